import { sql } from "kysely";
import { type Kind, moveTotals } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import { addToLists, removeFromLists } from "../db/lists.ts";
import { isFinished, type StoredAssignment, type Thing } from "./assignments.ts";
import { noteAssignments } from "./events.ts";
import { noteMadeOverdue } from "./overdue-notices.ts";
import { type CompletionMove, type Learner, recountLearners } from "./learners.ts";
import { thingKey } from "./targets.ts";

/** Assignments before and after a write: one that is only in `after` is new, one that is only in `before` is gone. */
export interface Change {
  readonly before: readonly StoredAssignment[];
  readonly after: readonly StoredAssignment[];
  /** Whose progress in the lessons of an assigned path, or whose attempt from the library, has changed too. */
  readonly learners: readonly Learner[];
  /** Assignments whose people are not to be mailed about the change. */
  readonly silent?: ReadonlySet<number>;
  readonly at: string;
}

/** The list of all assignments, in list_blocks. */
export const ALL_ASSIGNMENTS = "assignments";

/** The list of a thing's assignments, in list_blocks. */
export function listOf({ assignable_type, assignable_id }: Thing): string {
  return `assignments/${assignable_type}/${assignable_id}`;
}

/**
 * Moves all that is counted of assignments, and notes the events of it: totals, lists, the counts of lessons, paths and courses, due dates. The
 * only place that does. Call it after the rows are written, under the lock of the assignment counters. It takes some
 * ten statements for any number of rows.
 */
export async function countAssignments(tx: WriteTx, change: Change): Promise<void> {
  if (change.before.length === 0 && change.after.length === 0 && change.learners.length === 0) return;
  noteAssignments(tx, change);
  await noteMadeOverdue(tx, change);
  const completions = await recountLearners(tx, findLearners(change));
  await countInLists(tx, change);
  // Each is one statement. What sends a second when the first has come back can't stand here: should another one
  // fail, that second would follow the rollback.
  await Promise.all([
    moveTotals(tx, sumTotals(change), change.at),
    moveThings(tx, sumThings(change, completions)),
    raiseDueDates(tx, sumDueDates(change)),
    lowerDueDates(tx, sumDueDates(change)),
  ]);
}

/** Who may have become, or ceased to be, one who has completed a lesson. */
function findLearners({ before, after, learners }: Change): Learner[] {
  const had = new Map(before.map(({ id, status }) => [id, status]));
  const has = new Map(after.map(({ id, status }) => [id, status]));
  const moved = [...before, ...after].filter(
    ({ id, assignable_type }) =>
      assignable_type === "Lesson" &&
      isFinished(had.get(id) ?? "Incomplete") !== isFinished(has.get(id) ?? "Incomplete"),
  );
  return [...learners, ...moved.map((row) => ({ lesson_id: row.assignable_id, user_id: row.assignee_id }))];
}

async function countInLists(tx: WriteTx, { before, after }: Change): Promise<void> {
  const had = new Set(before.map(({ id }) => id));
  const has = new Set(after.map(({ id }) => id));
  const gone = before.filter(({ id }) => !has.has(id));
  await removeFromLists(
    tx,
    gone.flatMap((row) => [
      { list: ALL_ASSIGNMENTS, id: row.id },
      { list: listOf(row), id: row.id },
    ]),
  );
  const added = new Map<string, number[]>();
  for (const row of after) {
    if (had.has(row.id)) continue;
    for (const list of [ALL_ASSIGNMENTS, listOf(row)]) {
      const ids = added.get(list);
      if (ids === undefined) added.set(list, [row.id]);
      else ids.push(row.id);
    }
  }
  await addToLists(
    tx,
    [...added].map(([list, ids]) => ({ list, ids })),
  );
}

/** By how much each total moves. The first always stands here, as its time has to move with every change. */
function sumTotals({ before, after }: Change): { kind: Kind; total: number }[] {
  const totals = new Map<Kind, number>([["assignments", after.length - before.length]]);
  const add = (kind: Kind, by: number) => totals.set(kind, (totals.get(kind) ?? 0) + by);
  for (const { status } of before) add(`assignments/${status}`, -1);
  for (const { status } of after) add(`assignments/${status}`, 1);
  return [...totals].map(([kind, total]) => ({ kind, total }));
}

interface ThingMove extends Thing {
  readonly by: { assignees: number; completed: number; total: number; via: number };
}

function sumThings({ before, after }: Change, completions: ReadonlyMap<number, CompletionMove>): ThingMove[] {
  const moves = new Map<string, ThingMove>();
  const moveOf = ({ assignable_type, assignable_id }: Thing): ThingMove["by"] => {
    const key = thingKey({ assignable_type, assignable_id });
    const move = moves.get(key) ?? {
      assignable_type,
      assignable_id,
      by: { assignees: 0, completed: 0, total: 0, via: 0 },
    };
    moves.set(key, move);
    return move.by;
  };
  const add = (row: StoredAssignment, sign: 1 | -1) => {
    const by = moveOf(row);
    by.assignees += sign;
    if (row.status === "Completed") by.completed += sign;
    // A lesson is completed within paths too, so each learner of it is looked at: recountLearners has done so.
    if (row.assignable_type === "Lesson" || !isFinished(row.status)) return;
    by.total += sign;
    by.via += sign;
  };
  for (const row of before) add(row, -1);
  for (const row of after) add(row, 1);
  for (const [assignable_id, { total, via_assignment }] of completions) {
    const by = moveOf({ assignable_type: "Lesson", assignable_id });
    by.total += total;
    by.via += via_assignment;
  }
  return [...moves.values()];
}

async function moveThings(tx: WriteTx, moves: readonly ThingMove[]): Promise<void> {
  await updateThings(tx, {
    company_id: tx.company.id,
    types: moves.map(({ assignable_type }) => assignable_type),
    ids: moves.map(({ assignable_id }) => assignable_id),
    assignees: moves.map(({ by }) => by.assignees),
    completed: moves.map(({ by }) => by.completed),
    totals: moves.map(({ by }) => by.total),
    via: moves.map(({ by }) => by.via),
  });
}

interface ThingColumns {
  readonly company_id: number;
  readonly types: readonly string[];
  readonly ids: readonly number[];
  readonly assignees: readonly number[];
  readonly completed: readonly number[];
  readonly totals: readonly number[];
  readonly via: readonly number[];
}

const updateThings = prepare<ThingColumns, object>(
  (_db, place) => sql`
    update assignables
    set assignees_count = assignees_count + moved.assignees,
      completed_count = completed_count + moved.completed,
      total_completions = total_completions + moved.total,
      via_assignment = via_assignment + moved.via
    from unnest(
      ${place("types")}::text[], ${place("ids")}::bigint[], ${place("assignees")}::bigint[],
      ${place("completed")}::bigint[], ${place("totals")}::bigint[], ${place("via")}::bigint[]
    ) as moved (assignable_type, assignable_id, assignees, completed, total, via)
    where assignables.company_id = ${place("company_id")}
      and assignables.assignable_type = moved.assignable_type
      and assignables.assignable_id = moved.assignable_id`,
);

/** By how much the number of Incomplete assignments that fall due on a day (UTC) moves. */
type DueDates = ReadonlyMap<string, number>;

function sumDueDates({ before, after }: Change): DueDates {
  const days = new Map<string, number>();
  const add = ({ status, due_by }: StoredAssignment, by: number) => {
    if (status !== "Incomplete" || due_by === null) return;
    const day = due_by.slice(0, "2020-12-31".length);
    days.set(day, (days.get(day) ?? 0) + by);
  };
  for (const row of before) add(row, -1);
  for (const row of after) add(row, 1);
  return days;
}

async function raiseDueDates(tx: WriteTx, dates: DueDates): Promise<void> {
  const raised = [...dates].filter(([, by]) => by > 0);
  if (raised.length === 0) return;
  await sql`
    insert into due_dates as day (company_id, due_on, incomplete)
    select ${tx.company.id}, due_on, raised
    from unnest(
      ${raised.map(([due_on]) => due_on)}::date[],
      ${raised.map(([, by]) => by)}::bigint[]
    ) as moved (due_on, raised)
    on conflict (company_id, due_on) do update set incomplete = day.incomplete + excluded.incomplete`.execute(
    tx.sql,
  );
}

/** Not by the statement above: PostgreSQL checks the row to be inserted first, and that can't be negative. */
async function lowerDueDates(tx: WriteTx, dates: DueDates): Promise<void> {
  const lowered = [...dates].filter(([, by]) => by < 0);
  if (lowered.length === 0) return;
  await updateDueDates(tx, {
    company_id: tx.company.id,
    days: lowered.map(([due_on]) => due_on),
    lowered: lowered.map(([, by]) => by),
  });
}

const updateDueDates = prepare<
  { company_id: number; days: readonly string[]; lowered: readonly number[] },
  object
>(
  (_db, place) => sql`
    update due_dates
    set incomplete = due_dates.incomplete + moved.lowered
    from unnest(${place("days")}::date[], ${place("lowered")}::bigint[]) as moved (due_on, lowered)
    where due_dates.company_id = ${place("company_id")} and due_dates.due_on = moved.due_on`,
);
