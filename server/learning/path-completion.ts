import { sql } from "kysely";
import type { StoredAssignment } from "../assignments/assignments.ts";
import { issueCertificates } from "../certificates/issue.ts";
import type { WriteTx } from "../db/db.ts";
import { findLessonLists, findProgress, keyOf, type ProgressRow } from "./path-facts.ts";

/**
 * Completes those of these path and course assignments that are Incomplete and whose lessons are all completed, and
 * issues the certificates. One without lessons is never complete. Counts nothing: the caller does. Needs the assignment
 * counters locked.
 * @returns all of them, as they are now.
 */
export async function completeAssignments<Row extends StoredAssignment>(
  tx: WriteTx,
  assignments: readonly Row[],
  at: string,
): Promise<Row[]> {
  const open = assignments.filter(({ status }) => status === "Incomplete");
  if (open.length === 0) return [...assignments];
  const lists = await findLessonLists(tx, open);
  const progress = await findProgress(
    tx,
    open.map(({ id }) => id),
  );
  const byAssignment = Map.groupBy(progress, ({ assignment_id }) => assignment_id);
  const scores = new Map<number, number | null>();
  for (const row of open) {
    const done = findDone(lists.get(keyOf(row)) ?? [], byAssignment.get(row.id) ?? []);
    if (done !== undefined) scores.set(row.id, average(done));
  }
  await complete(tx, scores, at);
  await issueCertificates(
    tx,
    open.filter(({ id }) => scores.has(id)),
    at,
  );
  return assignments.map((row) => {
    const score = scores.get(row.id);
    if (score === undefined) return row;
    return { ...row, status: "Completed", completed_at: at, updated_at: at, score };
  });
}

/** The progress in each of the lessons, when all are completed. */
function findDone(lessons: readonly number[], progress: readonly ProgressRow[]): ProgressRow[] | undefined {
  const completed = new Map(
    progress.flatMap((row) => (row.status === "Completed" ? [[row.lesson_id, row] as const] : [])),
  );
  const done = lessons.flatMap((id) => completed.get(id) ?? []);
  return done.length === lessons.length && done.length > 0 ? done : undefined;
}

/** The average of the lessons that have a score, half up; null when none has. */
function average(done: readonly ProgressRow[]): number | null {
  const scores = done.flatMap(({ score }) => score ?? []);
  if (scores.length === 0) return null;
  const sum = scores.reduce((total, score) => total + score, 0);
  return Math.floor((2 * sum + scores.length) / (2 * scores.length));
}

async function complete(tx: WriteTx, scores: ReadonlyMap<number, number | null>, at: string): Promise<void> {
  if (scores.size === 0) return;
  await sql`
    update assignments
    set status = 'Completed', completed_at = ${at}, updated_at = ${at}, score = done.score
    from unnest(${[...scores.keys()]}::bigint[], ${[...scores.values()]}::integer[]) as done (id, score)
    where assignments.company_id = ${tx.company.id} and assignments.id = done.id`.execute(tx.sql);
}
