import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import { type AssignmentRow, isFinished, type StoredStatus } from "./assignments.ts";
import type { Learner } from "./learners.ts";

/** A completed assignment that begins anew, with its new due date. */
export interface Reassignment {
  readonly row: AssignmentRow;
  readonly due_by: string | null;
}

/**
 * Begins completed assignments anew: the result moves to assignment_results, the progress in a path's lessons with it.
 * The score stays until the next completion. Counts nothing: the caller does. Needs the assignment counters locked.
 * @returns the rows as they are now, and whose progress is gone.
 */
export async function reassign(
  tx: WriteTx,
  reassignments: readonly Reassignment[],
  at: string,
): Promise<{ rows: AssignmentRow[]; learners: Learner[] }> {
  if (reassignments.length === 0) return { rows: [], learners: [] };
  const ids = reassignments.map(({ row }) => row.id);
  const [progress, rounds] = await Promise.all([findProgress(tx, ids), findLastRounds(tx, ids)]);
  await Promise.all([
    keepResults(tx, reassignments, { progress, rounds }),
    tx.sql
      .deleteFrom("lesson_progress")
      .where("company_id", "=", tx.company.id)
      .where((eb) => eb("assignment_id", "=", eb.fn.any(eb.val(ids))))
      .execute(),
    beginAnew(tx, reassignments, at),
  ]);
  return {
    rows: reassignments.map(({ row, due_by }) => ({
      ...row,
      due_by,
      reassigned_at: at,
      started_at: null,
      completed_at: null,
      updated_at: at,
      status: "Incomplete",
    })),
    learners: progress.filter(({ status }) => isFinished(status)),
  };
}

interface Progress extends Learner {
  readonly assignment_id: number;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly status: StoredStatus;
  readonly score: number | null;
}

async function findProgress(tx: WriteTx, ids: readonly number[]): Promise<Progress[]> {
  const { rows } = await sql<Progress>`
    select assignment_id, lesson_id, user_id, started_at, completed_at, status, score
    from lesson_progress
    where company_id = ${tx.company.id} and assignment_id = any(${ids}::bigint[])
    order by lesson_id`.execute(tx.sql);
  return rows;
}

async function findLastRounds(tx: WriteTx, ids: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ assignment_id: number; round: number }>`
    select assignment_id, max(round) as round
    from assignment_results
    where company_id = ${tx.company.id} and assignment_id = any(${ids}::bigint[])
    group by assignment_id`.execute(tx.sql);
  return new Map(rows.map(({ assignment_id, round }) => [assignment_id, round]));
}

async function keepResults(
  tx: WriteTx,
  reassignments: readonly Reassignment[],
  { progress, rounds }: { progress: readonly Progress[]; rounds: ReadonlyMap<number, number> },
): Promise<void> {
  const rows = reassignments.map(({ row }) => row);
  const contents = Map.groupBy(progress, ({ assignment_id }) => assignment_id);
  await sql`
    insert into assignment_results
      (company_id, assignment_id, round, due_by, started_at, completed_at, score, contents)
    select ${tx.company.id}, assignment_id, round, due_by, started_at, completed_at, score, contents
    from unnest(
      ${rows.map(({ id }) => id)}::bigint[],
      ${rows.map(({ id }) => (rounds.get(id) ?? 0) + 1)}::integer[],
      ${rows.map(({ due_by }) => due_by)}::timestamptz[],
      ${rows.map(({ started_at }) => started_at)}::timestamptz[],
      ${rows.map(({ completed_at }) => completed_at)}::timestamptz[],
      ${rows.map(({ score }) => score)}::integer[],
      ${rows.map(({ id }) => toContents(contents.get(id) ?? []))}::jsonb[]
    ) as result (assignment_id, round, due_by, started_at, completed_at, score, contents)
    returning assignment_id`.execute(tx.sql);
}

/** The progress in a path's lessons as a result keeps it: in the columns' own words, with all their digits. */
function toContents(progress: readonly Progress[]): string {
  return JSON.stringify(
    progress.map(({ lesson_id, started_at, completed_at, status, score }) => ({
      lesson_id,
      started_at,
      completed_at,
      status,
      score,
    })),
  );
}

async function beginAnew(tx: WriteTx, reassignments: readonly Reassignment[], at: string): Promise<void> {
  await sql`
    update assignments
    set status = 'Incomplete', started_at = null, completed_at = null, due_by = again.due_by,
      reassigned_at = ${at}, updated_at = ${at}
    from unnest(
      ${reassignments.map(({ row }) => row.id)}::bigint[],
      ${reassignments.map(({ due_by }) => due_by)}::timestamptz[]
    ) as again (id, due_by)
    where assignments.company_id = ${tx.company.id} and assignments.id = again.id`.execute(tx.sql);
}
