import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import type { StoredAssignment } from "./assignments.ts";
import { countAssignments } from "./counts.ts";
import { deleteNotices } from "./overdue-notices.ts";
import type { Learner } from "./learners.ts";

/**
 * Removes a user's assignments with their progress, results and completions, and counts them out everywhere, also what
 * was completed without an assignment: remove the attempts before. Needs `assignmentCounters` locked.
 * @returns how many rows were removed, by table.
 */
export async function deleteAssignmentsOfUser(
  tx: WriteTx,
  user_id: number,
  at: string,
): Promise<Record<(typeof tablesOfAssignments)[number] | "assignments", number>> {
  const [before, learners] = await Promise.all([findAssignments(tx, user_id), findCompletions(tx, user_id)]);
  const removed = { assignments: before.length, lesson_progress: 0, assignment_results: 0 };
  const ids = before.map(({ id }) => id);
  for (const table of tablesOfAssignments) {
    const { numDeletedRows } = await tx.sql
      .deleteFrom(table)
      .where("company_id", "=", tx.company.id)
      .where((eb) => eb("assignment_id", "=", eb.fn.any(eb.val(ids))))
      .executeTakeFirst();
    removed[table] = Number(numDeletedRows);
  }
  await deleteNotices(tx, ids);
  await tx.sql
    .deleteFrom("assignments")
    .where("company_id", "=", tx.company.id)
    .where("assignee_id", "=", user_id)
    .execute();
  // With nothing left that they could have completed a lesson by, the recount removes their completions.
  await countAssignments(tx, { before, after: [], learners, at });
  return removed;
}

const tablesOfAssignments = ["lesson_progress", "assignment_results"] as const;

async function findAssignments(tx: WriteTx, user_id: number): Promise<StoredAssignment[]> {
  const { rows } = await sql<StoredAssignment>`
    select id, assignee_id, assignable_type, assignable_id, group_id, assigned_at, due_by, reassigned_at, started_at,
      completed_at, updated_at, status, score
    from assignments
    where company_id = ${tx.company.id} and assignee_id = ${user_id}`.execute(tx.sql);
  return rows;
}

async function findCompletions(tx: WriteTx, user_id: number): Promise<Learner[]> {
  const { rows } = await sql<Learner>`
    select lesson_id, user_id
    from lesson_completions
    where company_id = ${tx.company.id} and user_id = ${user_id}`.execute(tx.sql);
  return rows;
}
