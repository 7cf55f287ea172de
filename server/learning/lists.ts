import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { requireVisibleUser } from "../users/visible.ts";
import { attemptColumns, type AttemptRow, joinVersion, learnerOf } from "./attempts.ts";
import { toAttempt } from "./show.ts";
import type { AttemptQuery, LessonAttempt } from "./v2-schema.ts";

interface AttemptPage {
  data: LessonAttempt[];
  next: string | null;
}

/** The viewer's own attempts, the newest first. */
export async function listMyAttempts(tx: Tx, query: AttemptQuery): Promise<AttemptPage> {
  return listAttempts(tx, query, [sql<boolean>`attempts.user_id = ${learnerOf(tx)}`]);
}

/** The viewer's own report cards: attempts that were finished, the newest first. */
export async function listMyReportCards(tx: Tx, query: AttemptQuery): Promise<AttemptPage> {
  return listAttempts(tx, query, [sql<boolean>`attempts.user_id = ${learnerOf(tx)}`, isFinished]);
}

/** A user's report cards, the newest first. @throws Problem 404 for a user whom the viewer does not see. */
export async function listReportCards(tx: Tx, user_id: number, query: AttemptQuery): Promise<AttemptPage> {
  await requireVisibleUser(tx, "assignments.read", user_id);
  return listAttempts(tx, query, [sql<boolean>`attempts.user_id = ${user_id}`, isFinished]);
}

const isFinished = sql<boolean>`attempts.status in ('grade_pending', 'completed', 'failed')`;

async function listAttempts(
  tx: Tx,
  query: AttemptQuery,
  conditions: readonly RawBuilder<boolean>[],
): Promise<AttemptPage> {
  const page = readCursorPage(query);
  const after = idAfter(page);
  const { "filter[lesson_id]": lesson_id, "filter[status]": status } = query;
  const asked = [
    ...conditions,
    ...(after === undefined ? [] : [sql<boolean>`attempts.id < ${after}`]),
    ...(lesson_id === undefined ? [] : [sql<boolean>`attempts.lesson_id = ${lesson_id}`]),
    ...(status === undefined ? [] : [sql<boolean>`attempts.status = ${status}`]),
  ];
  const rows = await selectAttempts(tx, {
    conditions: asked,
    order: sql`attempts.id desc`,
    limit: page.limit + 1,
  });
  return cutCursorPage(page, rows, { position: ({ id }) => [id], show: toAttempt });
}

export interface AttemptSelection {
  readonly conditions: readonly RawBuilder<boolean>[];
  readonly order: RawBuilder<unknown>;
  readonly limit: number;
}

/** The attempts that meet the conditions, which name their table. */
export async function selectAttempts(
  tx: Tx,
  { conditions, order, limit }: AttemptSelection,
): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select ${attemptColumns}
    from attempts ${joinVersion(tx.company.id)}
    where attempts.company_id = ${tx.company.id} and ${sql.join(conditions, sql` and `)}
    order by ${order}
    limit ${limit}`.execute(tx.sql);
  return rows;
}
