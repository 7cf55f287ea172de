import { sql } from "kysely";
import type { StoredStatus } from "../assignments/assignments.ts";
import type { StoredAssignment } from "../assignments/assignments.ts";
import type { WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import type { LessonOutcome } from "./path-progress.ts";

/** An assignment of a path or course that has the lesson, with the learner's progress in it. */
export interface Holder extends StoredAssignment {
  readonly progress_status: StoredStatus | null;
  readonly progress_score: number | null;
  readonly progress_completed_at: string | null;
}

/**
 * The learner's open assignments of paths and courses in which the outcome counts. From the lesson upwards, through the
 * paths that hold it at any depth: a learner has few assignments, and a lesson is in few paths.
 */
export function findHolders(tx: WriteTx, outcome: LessonOutcome): Promise<Holder[]> {
  const { lesson_id, user_id, assignment_id } = outcome;
  return selectHolders(tx, { company_id: tx.company.id, lesson_id, user_id, assignment_id });
}

interface HolderKey extends Pick<LessonOutcome, "lesson_id" | "user_id" | "assignment_id"> {
  readonly company_id: number;
}

const selectHolders = prepare<HolderKey, Holder>(
  (_db, place) => sql<Holder>`
    with recursive holders (path_id) as (
      select path_id from path_items where company_id = ${place("company_id")} and lesson_id = ${place("lesson_id")}
      union
      select item.path_id
      from holders
      join paths held on held.company_id = ${place("company_id")} and held.id = holders.path_id and held.archived_at is null
      join path_items item on item.company_id = ${place("company_id")} and item.nested_path_id = holders.path_id
    )
    select own.id, own.assignee_id, own.assignable_type, own.assignable_id, own.group_id, own.assigned_at, own.due_by,
      own.reassigned_at, own.started_at, own.completed_at, own.updated_at, own.status, own.score,
      progress.status as progress_status, progress.score as progress_score,
      progress.completed_at as progress_completed_at
    from assignments own
    left join paths path on path.company_id = ${place("company_id")} and own.assignable_type = 'LearningPaths::Path'
      and path.id = own.assignable_id
    left join lesson_progress progress on progress.company_id = ${place("company_id")} and progress.assignment_id = own.id
      and progress.lesson_id = ${place("lesson_id")}
    where own.company_id = ${place("company_id")} and own.assignee_id = ${place("user_id")} and own.status = 'Incomplete'
      and (
        own.assignable_type = 'LearningPaths::Path' and own.assignable_id in (select path_id from holders)
          and (path.counts_elsewhere or own.id = ${place("assignment_id")})
        or own.assignable_type = 'Course' and own.assignable_id in (
          select course_id from course_lessons
          where company_id = ${place("company_id")} and lesson_id = ${place("lesson_id")}
        )
      )
    order by own.id`,
);

/** Whether the outcome changes the progress: what is completed stays, and the same is not written twice. */
export function isNews(
  { progress_status, progress_score, progress_completed_at }: Holder,
  outcome: LessonOutcome,
): boolean {
  if (progress_status === "Completed") return false;
  return (
    progress_status !== outcome.status ||
    (outcome.score !== null && progress_score !== outcome.score) ||
    progress_completed_at !== outcome.completed_at
  );
}

/** The assignment without the progress. */
export function toAssignment(holder: Holder): StoredAssignment {
  const {
    progress_status: _status,
    progress_score: _score,
    progress_completed_at: _at,
    ...assignment
  } = holder;
  return assignment;
}

/**
 * Writes the outcome as the progress in the lesson, in each of the assignments. Who takes it again keeps the score until
 * there is another one.
 */
export async function putProgress(
  tx: WriteTx,
  assignmentIds: readonly number[],
  outcome: LessonOutcome,
): Promise<void> {
  const { lesson_id, user_id, status, score, started_at, completed_at } = outcome;
  await sql`
    insert into lesson_progress as progress
      (company_id, assignment_id, lesson_id, user_id, started_at, completed_at, status, score)
    select ${tx.company.id}::bigint, assignment_id, ${lesson_id}::bigint, ${user_id}::bigint,
      ${started_at}::timestamptz, ${completed_at}::timestamptz, ${status}::text, ${score}::integer
    from unnest(${assignmentIds}::bigint[]) as touched (assignment_id)
    on conflict (company_id, assignment_id, lesson_id) do update set
      started_at = coalesce(progress.started_at, excluded.started_at), completed_at = excluded.completed_at,
      status = excluded.status,
      score = case when excluded.status = 'Completed' then excluded.score else coalesce(excluded.score, progress.score) end`.execute(
    tx.sql,
  );
}
