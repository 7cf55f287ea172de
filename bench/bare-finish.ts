import type { Pool, PoolClient } from "pg";
import type { LessonAnswer } from "../server/lessons/content/answer-schema.ts";
import { markAnswer, scoreLesson } from "../server/lessons/content/marks.ts";
import { inTransaction } from "./bare-answers.ts";
import { toTime } from "./bare-rows.ts";
import { document, questions } from "./lesson.ts";

interface Attempt {
  readonly id: number;
  readonly user_id: number;
  readonly lesson_id: number;
  readonly title: string;
  readonly version: number;
  readonly assignment_id: number | null;
  readonly status: string;
  readonly score: number | null;
  readonly page_id: string | null;
  readonly seconds_spent: number;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly graded_at: string | null;
}

interface Finished {
  readonly company: string;
  readonly attempt: Attempt;
  readonly score: number | null;
  readonly at: string | undefined;
}

/** Finishes an attempt: marks it, completes the assignment of the lesson, and counts that. */
export async function finishAttempt(pool: Pool, company: string, id: string): Promise<object> {
  return inTransaction(pool, async (client) => {
    const at = await lockTotals(client, company);
    const attempt = await lockAttempt(client, company, id);
    if (attempt.status !== "open") throw new Error(`attempt ${id} is finished`);
    const score = await mark(client, company, id);
    if (score !== null && score < (await readPassMark(client, company, attempt))) {
      throw new Error(`attempt ${id} fails`);
    }
    const finished = { company, attempt, score, at };
    await completeAttempt(client, finished);
    const due_by = await completeAssignment(client, finished);
    await findPaths(client, finished);
    await complete(client, finished);
    await count(client, finished, due_by);
    return toAnswer(await readAttempt(client, company, id));
  });
}

async function lockTotals(client: PoolClient, company: string): Promise<string | undefined> {
  const { rows } = await client.query<{ at: string }>({
    name: "lock totals",
    text: `select greatest(clock_timestamp(), max(moved_at) + interval '1 microsecond') as at
      from (
        select moved_at from counters
        where company_id = $1 and kind in ('assignments', 'assignments/Completed', 'assignments/Grade Pending',
          'assignments/Incomplete', 'attempts', 'certificates')
        order by kind for update
      ) locked`,
    values: [company],
  });
  return rows[0]?.at;
}

const attemptFields = `a.id, a.user_id, a.lesson_id, v.title, a.version, a.assignment_id, a.status, a.score, a.page_id,
  a.seconds_spent, a.started_at, a.finished_at, a.graded_at`;

const fromAttempts = `from attempts a
  join lesson_versions v on v.company_id = a.company_id and v.lesson_id = a.lesson_id and v.number = a.version
  where a.company_id = $1 and a.id = $2`;

async function lockAttempt(client: PoolClient, company: string, id: string): Promise<Attempt> {
  const { rows } = await client.query<Attempt>({
    name: "lock attempt",
    text: `select ${attemptFields} ${fromAttempts} for no key update of a`,
    values: [company, id],
  });
  if (rows[0] === undefined) throw new Error(`there is no attempt ${id}`);
  return rows[0];
}

async function readAttempt(client: PoolClient, company: string, id: string): Promise<Attempt> {
  const { rows } = await client.query<Attempt>({
    name: "read attempt",
    text: `select ${attemptFields} ${fromAttempts}`,
    values: [company, id],
  });
  if (rows[0] === undefined) throw new Error(`there is no attempt ${id}`);
  return rows[0];
}

async function mark(client: PoolClient, company: string, id: string): Promise<number | null> {
  const { rows } = await client.query<{ question_id: string; answer: LessonAnswer }>({
    name: "read answers",
    text: "select question_id, answer from attempt_answers where company_id = $1 and attempt_id = $2",
    values: [company, id],
  });
  const given = new Map(rows.map(({ question_id, answer }) => [question_id, answer]));
  const marks = new Map(questions.map((each) => [each.id, markAnswer(each, given.get(each.id) ?? null)]));
  const points = [...marks.values()].map((each) =>
    each.points === null || each.points.possible === 0
      ? 0
      : Math.round((each.points.earned * 10_000) / each.points.possible),
  );
  await client.query({
    name: "keep marks",
    text: `update attempt_answers set points = marked.points
      from unnest($3::text[], $4::integer[]) as marked (question_id, points)
      where company_id = $1 and attempt_id = $2 and attempt_answers.question_id = marked.question_id`,
    values: [company, id, [...marks.keys()], points],
  });
  const score = scoreLesson(document, marks);
  return score === "pending" ? null : score;
}

async function readPassMark(client: PoolClient, company: string, attempt: Attempt): Promise<number> {
  const { rows } = await client.query<{ retake_score: number }>({
    name: "pass mark",
    text: "select retake_score from lessons where company_id = $1 and id = $2 and published_version = $3",
    values: [company, attempt.lesson_id, attempt.version],
  });
  return rows[0]?.retake_score ?? 0;
}

async function completeAttempt(client: PoolClient, { company, attempt, score, at }: Finished): Promise<void> {
  await client.query({
    name: "complete attempt",
    text: `update attempts set status = 'completed', score = $3, finished_at = $4 where company_id = $1 and id = $2`,
    values: [company, attempt.id, score, at],
  });
}

async function completeAssignment(
  client: PoolClient,
  { company, attempt, score, at }: Finished,
): Promise<string | null> {
  const { rows } = await client.query<{ id: number; due_by: string | null }>({
    name: "assignment of attempt",
    text: `select * from assignments
      where company_id = $1 and assignee_id = $2 and assignable_type = 'Lesson' and assignable_id = $3`,
    values: [company, attempt.user_id, attempt.lesson_id],
  });
  await client.query({
    name: "complete assignment",
    text: `update assignments set status = 'Completed', score = $3, completed_at = $4, updated_at = $4
      where company_id = $1 and id = $2`,
    values: [company, rows[0]?.id, score, at],
  });
  return rows[0]?.due_by ?? null;
}

/** The lessons of the bench are in no assigned path: none is found. */
async function findPaths(client: PoolClient, { company, attempt }: Finished): Promise<void> {
  const { rows } = await client.query({
    name: "paths of attempt",
    text: `with recursive holders (path_id) as (
        select path_id from path_items where company_id = $1 and lesson_id = $3
        union
        select item.path_id from holders
        join path_items item on item.company_id = $1 and item.nested_path_id = holders.path_id
      )
      select a.id from assignments a
      where a.company_id = $1 and a.assignee_id = $2 and a.status = 'Incomplete' and (
        a.assignable_type = 'LearningPaths::Path' and a.assignable_id in (select path_id from holders)
        or a.assignable_type = 'Course' and a.assignable_id in (
          select course_id from course_lessons where company_id = $1 and lesson_id = $3
        )
      )`,
    values: [company, attempt.user_id, attempt.lesson_id],
  });
  if (rows.length > 0) throw new Error(`lesson ${attempt.lesson_id} is in a path`);
}

/** Who has completed a lesson in any other way is not counted twice: nobody of the bench has. */
async function complete(client: PoolClient, { company, attempt }: Finished): Promise<void> {
  const { rows } = await client.query<{ is_new: boolean }>({
    name: "completed before",
    text: `select not (
        exists (select from lesson_completions where company_id = $1 and lesson_id = $2 and user_id = $3)
        or exists (
          select from lesson_progress
          where company_id = $1 and lesson_id = $2 and user_id = $3 and status <> 'Incomplete'
        )
        or exists (
          select from attempts
          where company_id = $1 and lesson_id = $2 and user_id = $3 and assignment_id is null
            and status in ('grade_pending', 'completed')
        )
      ) as is_new`,
    values: [company, attempt.lesson_id, attempt.user_id],
  });
  if (rows[0]?.is_new !== true) throw new Error(`lesson ${attempt.lesson_id} is completed`);
  await client.query({
    name: "put completion",
    text: `insert into lesson_completions (company_id, lesson_id, user_id, via_assignment) values ($1, $2, $3, true)
      on conflict (company_id, lesson_id, user_id) do update set via_assignment = true`,
    values: [company, attempt.lesson_id, attempt.user_id],
  });
}

async function count(
  client: PoolClient,
  { company, attempt, at }: Finished,
  due_by: string | null,
): Promise<void> {
  await client.query({
    name: "count totals",
    text: `update counters
      set total = total + case kind when 'assignments/Completed' then 1 when 'assignments/Incomplete' then -1 else 0 end,
        moved_at = $2
      where company_id = $1 and kind in ('assignments', 'assignments/Completed', 'assignments/Incomplete')`,
    values: [company, at],
  });
  await client.query({
    name: "count in lesson",
    text: `update assignables set completed_count = completed_count + 1, total_completions = total_completions + 1,
        via_assignment = via_assignment + 1
      where company_id = $1 and assignable_type = 'Lesson' and assignable_id = $2`,
    values: [company, attempt.lesson_id],
  });
  if (due_by === null) return;
  await client.query({
    name: "count due date",
    text: "update due_dates set incomplete = incomplete - 1 where company_id = $1 and due_on = $2::timestamptz::date",
    values: [company, due_by],
  });
}

function toAnswer(row: Attempt): object {
  return {
    id: row.id,
    resource_type: "attempt",
    user_id: row.user_id,
    lesson_id: row.lesson_id,
    title: row.title,
    version: row.version,
    assignment_id: row.assignment_id,
    status: row.status,
    score: row.score,
    page_id: row.page_id,
    seconds_spent: row.seconds_spent,
    started_at: toTime(row.started_at),
    finished_at: toTime(row.finished_at),
    graded_at: toTime(row.graded_at),
  };
}
