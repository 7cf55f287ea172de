import { randomBytes } from "node:crypto";
import type { Client } from "pg";
import { hashToken } from "../server/sessions/find.ts";
import { document, rightAnswers } from "./lesson.ts";

/** Somebody who is signed in. */
export interface Learner {
  readonly user_id: number;
  /** The token of the session. */
  readonly token: string;
}

/** A lesson that somebody is taking. */
export interface OpenAttempt {
  readonly id: number;
  readonly learner: Learner;
  readonly seed: string;
}

/** What is said last is left to be answered. */
const UNANSWERED = "sure";
/** Lessons that everybody in the company has failed once: their reports have much to count. */
const HARD_LESSONS = 10;

/** Publishes the lesson of the bench as each lesson of a company. */
export async function publishLessons(client: Client, company: number): Promise<void> {
  await client.query(
    `insert into lesson_versions (company_id, lesson_id, number, title, language, retake_score, content, diff, published_at)
     select company_id, id, 1, title, 'en', 80, $2::jsonb, '{}', created_at from lessons where company_id = $1`,
    [company, JSON.stringify(document)],
  );
  await client.query("update lessons set published_version = 1 where company_id = $1", [company]);
}

/** Signs a company's learners in. */
export async function signLearnersIn(client: Client, company: number): Promise<Learner[]> {
  const { rows } = await client.query<{ id: string }>(
    "select id from users where company_id = $1 and id > 1 and archived_at is null order by id",
    [company],
  );
  const learners = rows.map(({ id }) => ({
    user_id: Number(id),
    token: `${company}.${randomBytes(32).toString("base64url")}`,
  }));
  await client.query(
    `insert into sessions (company_id, id, hash, user_id, created_at, last_seen_at, expires_at)
     select $1, user_id, hash, user_id, now(), now(), now() + interval '1 day'
     from unnest($2::bigint[], $3::bytea[]) as made (user_id, hash)`,
    [company, learners.map(({ user_id }) => user_id), learners.map(({ token }) => hashToken(token))],
  );
  await countAll(client, company, "sessions");
  return learners;
}

/**
 * Begins what the learners have not finished: all that they are assigned alone, answered but for the last question. The
 * lessons that are in paths are left, so that a path's progress stays as it is.
 */
export async function beginLessons(
  client: Client,
  company: number,
  learners: readonly Learner[],
): Promise<OpenAttempt[]> {
  await client.query(
    `insert into attempts (company_id, id, user_id, lesson_id, version, assignment_id, round, status, page_id,
       seconds_spent, last_active_at, started_at, seed)
     select company_id, row_number() over (order by assignable_id, assignee_id), assignee_id, assignable_id, 1, id, 0,
       'open', $2, 60, assigned_at + interval '2 minutes', assigned_at + interval '1 minute', 'seed ' || id
     from assignments
     where company_id = $1 and assignable_type = 'Lesson' and status = 'Incomplete' and assignee_id = any($3::bigint[])
       and not exists (
         select from path_items item
         where item.company_id = assignments.company_id and item.lesson_id = assignments.assignable_id
       )`,
    [company, document.sections[0]?.pages[1]?.id, learners.map(({ user_id }) => user_id)],
  );
  await client.query(
    `update assignments set started_at = attempts.started_at from attempts
     where attempts.company_id = $1 and assignments.company_id = $1 and assignments.id = attempts.assignment_id`,
    [company],
  );
  await answerAll(client, company, UNANSWERED);
  await countAll(client, company, "attempts");
  const { rows } = await client.query<{ id: string; user_id: string; seed: string }>(
    "select id, user_id, seed from attempts where company_id = $1 order by id",
    [company],
  );
  const byId = new Map(learners.map((learner) => [learner.user_id, learner]));
  return rows.flatMap(({ id, user_id, seed }) => {
    const learner = byId.get(Number(user_id));
    return learner === undefined ? [] : [{ id: Number(id), learner, seed }];
  });
}

/**
 * Gives a company's assignments the attempts that they were completed by, as many as are asked for at most, and all its
 * users one that has failed and was begun from the library at each of some lessons.
 */
export async function finishLessons(client: Client, company: number, most: number): Promise<void> {
  await client.query(
    `insert into attempts (company_id, id, user_id, lesson_id, version, assignment_id, round, status, score,
       seconds_spent, last_active_at, started_at, finished_at, seed)
     select $1, row_number() over (), user_id, lesson_id, 1, assignment_id, 0, status, score, seconds, at, at, at, ''
     from (
       (select assignee_id as user_id, assignable_id as lesson_id, id as assignment_id, 'completed' as status, score,
          60 + id % 900 as seconds, completed_at as at
        from assignments where company_id = $1 and assignable_type = 'Lesson' and status = 'Completed' limit $2)
       union all
       (select user_id, lesson_id, assignment_id, 'completed', score, 60 + assignment_id % 900, completed_at
        from lesson_progress where company_id = $1 and status = 'Completed' limit $2)
       union all
       select users.id, lessons.id, null, 'failed', 40, 60 + users.id % 600, users.created_at + interval '1 year'
       from users join lessons on lessons.company_id = users.company_id and lessons.id <= $3
       where users.company_id = $1
     ) done`,
    [company, most, HARD_LESSONS],
  );
  await answerAll(client, company, "");
  await countAll(client, company, "attempts");
}

/** Answers all questions but one in all attempts, rightly. */
async function answerAll(client: Client, company: number, but: string): Promise<void> {
  const given = [...rightAnswers].filter(([id]) => id !== but);
  await client.query(
    `insert into attempt_answers (company_id, attempt_id, question_id, answer, revision, is_final, saved_at, points)
     select $1, attempts.id, given.question_id, given.answer, 1, false, attempts.started_at,
       case when attempts.status <> 'open' then 10000 end
     from attempts, unnest($2::text[], $3::jsonb[]) as given (question_id, answer)
     where attempts.company_id = $1`,
    [company, given.map(([id]) => id), given.map(([, answer]) => JSON.stringify(answer))],
  );
}

async function countAll(client: Client, company: number, table: string): Promise<void> {
  await client.query(
    `update counters set (last_id, total) = (
       select coalesce(max(id), 0), count(*) from ${table} where company_id = $1
     ) where company_id = $1 and kind = $2`,
    [company, table],
  );
}
