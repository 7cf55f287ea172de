import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";

/** A learner in a lesson. */
export interface Learner {
  readonly lesson_id: number;
  readonly user_id: number;
}

/** By how much a lesson's completions move. */
export interface CompletionMove {
  readonly total: number;
  readonly via_assignment: number;
}

/**
 * Makes lesson_completions true for these learners: a row for who is completed or awaits a grade, by an assignment of
 * the lesson, within an assigned path, or from the library. Call it after the assignments, the progress and the attempts
 * have changed.
 * @returns by lesson, what has changed; it still has to be counted into the lesson.
 */
export async function recountLearners(
  tx: WriteTx,
  learners: readonly Learner[],
): Promise<Map<number, CompletionMove>> {
  if (learners.length === 0) return new Map();
  const found = await compareLearners(tx, learners);
  const gone = found.filter(({ stored, actual }) => stored !== null && actual === null);
  const changed = found.filter(({ stored, actual }) => actual !== null && stored !== actual);
  await removeCompletions(tx, gone);
  await putCompletions(tx, changed);
  const moves = new Map<number, CompletionMove>();
  for (const { lesson_id, stored, actual } of [...gone, ...changed]) {
    const { total, via_assignment } = moves.get(lesson_id) ?? { total: 0, via_assignment: 0 };
    moves.set(lesson_id, {
      total: total + Number(actual !== null) - Number(stored !== null),
      via_assignment: via_assignment + Number(actual === true) - Number(stored === true),
    });
  }
  return moves;
}

/** Of a learner in a lesson: null for no completion, otherwise whether it came by an assignment of the lesson. */
interface Comparison extends Learner {
  readonly stored: boolean | null;
  readonly actual: boolean | null;
}

function compareLearners(tx: WriteTx, learners: readonly Learner[]): Promise<Comparison[]> {
  return selectComparisons(tx, {
    company_id: tx.company.id,
    lesson_ids: learners.map(({ lesson_id }) => lesson_id),
    user_ids: learners.map(({ user_id }) => user_id),
  });
}

// The arrays stand in subqueries, which hides their lengths from the planner: else it would plan anew for each, and that
// takes ten times as long as the statement for one learner.
const selectComparisons = prepare<
  { company_id: number; lesson_ids: readonly number[]; user_ids: readonly number[] },
  Comparison
>(
  (_db, place) => sql<Comparison>`
    select asked.lesson_id, asked.user_id, completion.via_assignment as stored,
      case
        when exists (
          select from assignments
          where assignments.company_id = ${place("company_id")} and assignments.assignee_id = asked.user_id
            and assignments.assignable_type = 'Lesson' and assignments.assignable_id = asked.lesson_id
            and assignments.status <> 'Incomplete'
        ) then true
        when exists (
          select from lesson_progress
          where lesson_progress.company_id = ${place("company_id")}
            and lesson_progress.lesson_id = asked.lesson_id and lesson_progress.user_id = asked.user_id
            and lesson_progress.status <> 'Incomplete'
        ) then false
        when exists (
          select from attempts
          where attempts.company_id = ${place("company_id")} and attempts.user_id = asked.user_id
            and attempts.lesson_id = asked.lesson_id and attempts.assignment_id is null
            and attempts.status in ('grade_pending', 'completed')
        ) then false
      end as actual
    from (
      select distinct lesson_id, user_id
      from unnest((select ${place("lesson_ids")}::bigint[]), (select ${place("user_ids")}::bigint[]))
        as pair (lesson_id, user_id)
    ) asked
    left join lesson_completions completion on completion.company_id = ${place("company_id")}
      and completion.lesson_id = asked.lesson_id and completion.user_id = asked.user_id`,
);

async function removeCompletions(tx: WriteTx, gone: readonly Learner[]): Promise<void> {
  if (gone.length === 0) return;
  await sql`
    delete from lesson_completions
    using unnest(
      ${gone.map(({ lesson_id }) => lesson_id)}::bigint[],
      ${gone.map(({ user_id }) => user_id)}::bigint[]
    ) as gone (lesson_id, user_id)
    where lesson_completions.company_id = ${tx.company.id}
      and lesson_completions.lesson_id = gone.lesson_id and lesson_completions.user_id = gone.user_id`.execute(
    tx.sql,
  );
}

async function putCompletions(tx: WriteTx, changed: readonly Comparison[]): Promise<void> {
  if (changed.length === 0) return;
  await upsertCompletions(tx, {
    company_id: tx.company.id,
    lesson_ids: changed.map(({ lesson_id }) => lesson_id),
    user_ids: changed.map(({ user_id }) => user_id),
    via: changed.map(({ actual }) => actual),
  });
}

interface CompletionColumns {
  readonly company_id: number;
  readonly lesson_ids: readonly number[];
  readonly user_ids: readonly number[];
  readonly via: readonly (boolean | null)[];
}

const upsertCompletions = prepare<CompletionColumns, object>(
  (_db, place) => sql`
    insert into lesson_completions (company_id, lesson_id, user_id, via_assignment)
    select ${place("company_id")}, lesson_id, user_id, via_assignment
    from unnest(
      ${place("lesson_ids")}::bigint[], ${place("user_ids")}::bigint[], ${place("via")}::boolean[]
    ) as found (lesson_id, user_id, via_assignment)
    on conflict (company_id, lesson_id, user_id) do update set via_assignment = excluded.via_assignment`,
);
