import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import type { StoredAssignment } from "./assignments.ts";
import { countAssignments } from "./counts.ts";
import { deleteNotices } from "./overdue-notices.ts";
import type { Learner } from "./learners.ts";

/**
 * Takes assignments away, with their progress and results, and counts them out. What was learned stays: the learners'
 * attempts and report cards, which then name an assignment that is gone. An attempt that is under way, or waits for a
 * grader, goes on as one from the library. Needs the assignment counters locked.
 */
export async function takeAway(tx: WriteTx, before: readonly StoredAssignment[], at: string): Promise<void> {
  if (before.length === 0) return;
  const ids = before.map(({ id }) => id);
  const learners = [...(await freeAttempts(tx, ids)), ...(await deleteProgress(tx, ids))];
  for (const [table, column] of [
    ["assignment_results", "assignment_id"],
    ["assignments", "id"],
  ] as const) {
    await sql`
      delete from ${sql.table(table)}
      where company_id = ${tx.company.id} and ${sql.ref(column)} = any(${ids}::bigint[])`.execute(tx.sql);
  }
  await deleteNotices(tx, ids);
  await countAssignments(tx, { before, after: [], learners, at });
}

async function freeAttempts(tx: WriteTx, ids: readonly number[]): Promise<Learner[]> {
  const { rows } = await sql<Learner>`
    update attempts
    set assignment_id = null
    where company_id = ${tx.company.id} and assignment_id = any(${ids}::bigint[])
      and status in ('open', 'grade_pending')
    returning lesson_id, user_id`.execute(tx.sql);
  return rows;
}

async function deleteProgress(tx: WriteTx, ids: readonly number[]): Promise<Learner[]> {
  const { rows } = await sql<Learner>`
    delete from lesson_progress
    where company_id = ${tx.company.id} and assignment_id = any(${ids}::bigint[])
    returning lesson_id, user_id`.execute(tx.sql);
  return rows;
}
