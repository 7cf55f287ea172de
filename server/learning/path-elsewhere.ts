import { sql } from "kysely";
import type { StoredAssignment } from "../assignments/assignments.ts";
import type { Learner } from "../assignments/learners.ts";
import type { WriteTx } from "../db/db.ts";
import { completeAssignments } from "./path-completion.ts";
import { findLessonLists, keyOf } from "./path-facts.ts";

/**
 * Counts into path assignments the lessons that their learners have completed elsewhere before, where the path says that
 * such lessons count; an assignment that was given anew counts what was completed since. An assignment that so has all
 * of its lessons is completed. It is for paths that were published here: of others nobody has said what counts.
 * Counts nothing: the caller does. Needs the assignment counters locked.
 * @returns all of the assignments, as they are now, and whose progress has changed.
 */
export async function adoptCompletions<Row extends StoredAssignment>(
  tx: WriteTx,
  assignments: readonly Row[],
  at: string,
): Promise<{ rows: Row[]; learners: Learner[] }> {
  const open = assignments.filter(
    (row) => row.status === "Incomplete" && row.assignable_type === "LearningPaths::Path",
  );
  if (open.length === 0) return { rows: [...assignments], learners: [] };
  const willing = await findWilling(tx, open);
  const toFill = open.filter(({ assignable_id }) => willing.has(assignable_id));
  if (toFill.length === 0) return { rows: [...assignments], learners: [] };
  const adopted = await adopt(tx, toFill);
  if (adopted.length === 0) return { rows: [...assignments], learners: [] };
  const starts = await noteStarts(tx, adopted, at);
  const begun = toFill.flatMap((row) => {
    const started_at = starts.get(row.id);
    return started_at === undefined ? [] : { ...row, started_at, updated_at: at };
  });
  const completed = await completeAssignments(tx, begun, at);
  const now = new Map(completed.map((row) => [row.id, row]));
  return { rows: assignments.map((row) => now.get(row.id) ?? row), learners: adopted };
}

/** Of the paths of these assignments those that were published here and count what was completed elsewhere. */
async function findWilling(tx: WriteTx, assignments: readonly StoredAssignment[]): Promise<Set<number>> {
  const ids = [...new Set(assignments.map(({ assignable_id }) => assignable_id))];
  const rows = await tx.sql
    .selectFrom("paths")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val(ids))))
    .where("counts_elsewhere", "=", true)
    .where("published_version", "is not", null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

interface Adopted extends Learner {
  readonly assignment_id: number;
  readonly started_at: string | null;
}

/** Writes progress for each lesson of an assignment's path that its learner has completed by another way. */
async function adopt(tx: WriteTx, assignments: readonly StoredAssignment[]): Promise<Adopted[]> {
  const lists = await findLessonLists(tx, assignments);
  const pairs = assignments.flatMap((row) =>
    (lists.get(keyOf(row)) ?? []).map((lesson_id) => ({ row, lesson_id })),
  );
  const { rows } = await sql<Adopted>`
    with asked as (
      select assignment_id, user_id, lesson_id
      from unnest(
        ${pairs.map(({ row }) => row.id)}::bigint[],
        ${pairs.map(({ row }) => row.assignee_id)}::bigint[],
        ${pairs.map(({ lesson_id }) => lesson_id)}::bigint[]
      ) as pair (assignment_id, user_id, lesson_id)
    ), evidence as (
      select asked.assignment_id, asked.user_id, asked.lesson_id, other.started_at, other.completed_at, other.score
      from asked
      join assignments other on other.company_id = ${tx.company.id} and other.assignee_id = asked.user_id
        and other.assignable_type = 'Lesson' and other.assignable_id = asked.lesson_id and other.status = 'Completed'
      union all
      select asked.assignment_id, asked.user_id, asked.lesson_id, other.started_at, other.completed_at, other.score
      from asked
      join lesson_progress other on other.company_id = ${tx.company.id} and other.lesson_id = asked.lesson_id
        and other.user_id = asked.user_id and other.assignment_id <> asked.assignment_id and other.status = 'Completed'
      union all
      select asked.assignment_id, asked.user_id, asked.lesson_id, attempt.started_at,
        coalesce(attempt.graded_at, attempt.finished_at), attempt.score
      from asked
      join attempts attempt on attempt.company_id = ${tx.company.id} and attempt.user_id = asked.user_id
        and attempt.lesson_id = asked.lesson_id and attempt.status = 'completed'
    )
    insert into lesson_progress as progress
      (company_id, assignment_id, lesson_id, user_id, started_at, completed_at, status, score)
    select distinct on (evidence.assignment_id, evidence.lesson_id)
      ${tx.company.id}::bigint, evidence.assignment_id, evidence.lesson_id, evidence.user_id, evidence.started_at,
      evidence.completed_at, 'Completed', evidence.score
    from evidence
    join assignments own on own.company_id = ${tx.company.id} and own.id = evidence.assignment_id
      and (own.reassigned_at is null or evidence.completed_at >= own.reassigned_at)
    order by evidence.assignment_id, evidence.lesson_id, evidence.completed_at desc
    on conflict (company_id, assignment_id, lesson_id) do update set
      started_at = coalesce(progress.started_at, excluded.started_at), completed_at = excluded.completed_at,
      status = excluded.status, score = excluded.score
      where progress.status <> 'Completed'
    returning assignment_id, lesson_id, user_id, started_at`.execute(tx.sql);
  return rows;
}

/**
 * Notes that assignments have begun with the first of their lessons.
 * @returns since when each has begun.
 */
async function noteStarts(
  tx: WriteTx,
  adopted: readonly Adopted[],
  at: string,
): Promise<Map<number, string | null>> {
  const starts = new Map<number, string>();
  for (const { assignment_id, started_at } of adopted) {
    const known = starts.get(assignment_id) ?? at;
    starts.set(assignment_id, started_at !== null && started_at < known ? started_at : known);
  }
  const { rows } = await sql<{ id: number; started_at: string | null }>`
    update assignments
    set started_at = coalesce(assignments.started_at, began.started_at), updated_at = ${at}
    from unnest(${[...starts.keys()]}::bigint[], ${[...starts.values()]}::timestamptz[]) as began (id, started_at)
    where assignments.company_id = ${tx.company.id} and assignments.id = began.id
    returning assignments.id, assignments.started_at`.execute(tx.sql);
  return new Map(rows.map(({ id, started_at }) => [id, started_at]));
}
