import type { Tx } from "../db/db.ts";
import { notFound } from "../http/problem.ts";
import { nameOf, type Thing } from "./assignments.ts";

/** What is counted of a lesson, path or course. It is kept true with every change: reading it is one row. */
export interface Counts {
  readonly assignees_count: number;
  readonly completed_count: number;
  readonly total_completions: number;
  readonly via_assignment: number;
}

/** What is counted of a lesson, path or course. @throws Problem 404 */
export async function getCounts(tx: Tx, { assignable_type, assignable_id }: Thing): Promise<Counts> {
  const counts = await tx.sql
    .selectFrom("assignables")
    .select(["assignees_count", "completed_count", "total_completions", "via_assignment"])
    .where("company_id", "=", tx.company.id)
    .where("assignable_type", "=", assignable_type)
    .where("assignable_id", "=", assignable_id)
    .executeTakeFirst();
  if (counts === undefined) throw notFound(nameOf(assignable_type));
  return counts;
}

/** How many of those who are assigned a thing have completed it. @throws Problem 404 */
export async function getCompleted<const T extends string>(tx: Tx, type: T, thing: Thing) {
  const { completed_count } = await getCounts(tx, thing);
  return { type, completed_count };
}

/** How many learners have completed a thing by any way, or await a grade. @throws Problem 404 */
export async function getCompletions<const T extends string>(tx: Tx, type: T, thing: Thing) {
  const { total_completions } = await getCounts(tx, thing);
  return { type, completion_count: total_completions };
}

/** By which way learners have completed a lesson. @throws Problem 404 */
export async function getBreakdown(tx: Tx, thing: Thing) {
  const { total_completions: total, via_assignment } = await getCounts(tx, thing);
  const type = "lesson_completion_breakdown" as const;
  return { type, total, via_assignment, via_other: total - via_assignment };
}
