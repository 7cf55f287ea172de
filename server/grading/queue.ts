import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { cutCursorPage, type CursorPage, readCursorPage } from "../http/cursor.ts";
import { invalid } from "../http/problem.ts";
import { attemptColumns, type AttemptRow, joinVersion } from "../learning/attempts.ts";
import { getVersion } from "../learning/versions.ts";
import type { LessonAnswer } from "../lessons/content/answer-schema.ts";
import { toLearnerAnswer } from "../lessons/content/answers.ts";
import { toLearnerQuestion } from "../lessons/content/learner.ts";
import { parseMoment, utcTime } from "../time.ts";
import { isGradable } from "./reach.ts";
import type { PendingAnswer, QueueQuery } from "./v2-schema.ts";

interface Row extends AttemptRow {
  readonly finished_at: string;
  readonly question_id: string;
  readonly answer: LessonAnswer;
  readonly claimed_by: number | null;
  readonly claimed_until: string | null;
  readonly user_name: string;
}

/** Answers that wait for a person and that the viewer may grade: those that have waited longest come first. */
export async function listPending(
  tx: Tx,
  query: QueueQuery,
): Promise<{ data: PendingAnswer[]; next: string | null }> {
  const page = readCursorPage(query, 3);
  const rows = await selectPending(tx, page, listConditions(tx, page, query));
  const shown = await Promise.all(
    rows.map(async (row) => ({ row, item: await show(tx, row, query.blind === true) })),
  );
  return cutCursorPage(page, shown, {
    position: ({ row }) => [row.finished_at, row.id, row.question_id],
    show: ({ item }) => item,
  });
}

function listConditions(tx: Tx, { after }: CursorPage, query: QueueQuery): RawBuilder<unknown>[] {
  const { "filter[group_id]": group_id, "filter[lesson_id]": lesson_id } = query;
  const conditions: RawBuilder<unknown>[] = [isGradable(tx)];
  if (lesson_id !== undefined) conditions.push(sql`attempts.lesson_id = ${lesson_id}`);
  if (group_id !== undefined) {
    conditions.push(sql`attempts.user_id in (
      select user_id from memberships
      where memberships.company_id = ${tx.company.id} and group_id = ${group_id} and role = 'member'
    )`);
  }
  if (after !== undefined) {
    const [finished_at, id, question_id] = after;
    const moment = typeof finished_at === "string" ? parseMoment(finished_at) : undefined;
    if (moment === undefined || !Number.isSafeInteger(id) || typeof question_id !== "string") {
      throw invalid({ field: "cursor", message: "is no cursor of this list" });
    }
    conditions.push(sql`(attempts.finished_at, attempts.id, given.question_id)
      > (${moment}::timestamptz, ${id}::bigint, ${question_id}::text)`);
  }
  return conditions;
}

async function selectPending(
  tx: Tx,
  { limit }: CursorPage,
  conditions: readonly RawBuilder<unknown>[],
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select ${attemptColumns}, given.question_id, given.answer, users.name as user_name,
      case when given.claimed_until > ${tx.now.toISOString()} then given.claimed_by end as claimed_by,
      case when given.claimed_until > ${tx.now.toISOString()} then given.claimed_until end as claimed_until
    from attempts ${joinVersion(tx.company.id)}
    join attempt_answers given on given.company_id = ${tx.company.id} and given.attempt_id = attempts.id
      and given.points is null
    join users on users.company_id = ${tx.company.id} and users.id = attempts.user_id
    where attempts.company_id = ${tx.company.id} and attempts.status = 'grade_pending'
      and ${sql.join(conditions, sql` and `)}
    order by attempts.finished_at, attempts.id, given.question_id
    limit ${limit + 1}`.execute(tx.sql);
  return rows;
}

async function show(tx: Tx, row: Row, isBlind: boolean): Promise<PendingAnswer> {
  const { questions } = await getVersion(tx, row);
  const question = questions.get(row.question_id);
  if (question === undefined) throw new Error(`attempt ${row.id} answers no question of its version`);
  return {
    attempt_id: row.id,
    question_id: row.question_id,
    lesson_id: row.lesson_id,
    title: row.title,
    version: row.version,
    user: isBlind ? null : { id: row.user_id, name: row.user_name },
    finished_at: utcTime(row.finished_at),
    question: toLearnerQuestion(question, { seed: row.seed, answered: new Set() }),
    answer: toLearnerAnswer(question, row.answer, row.seed),
    claimed_by: row.claimed_by,
    claimed_until: row.claimed_until === null ? null : utcTime(row.claimed_until),
  };
}
