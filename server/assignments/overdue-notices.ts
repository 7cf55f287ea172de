import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import { addDays, startOfToday } from "../time.ts";
import type { StoredAssignment } from "./assignments.ts";
import { showAssignment } from "./show.ts";

/**
 * Days after today up to which what falls due is looked at. Another process may have told of a day that has not ended by
 * the clock of this one, or had not when this transaction began to wait for its lock.
 */
const MARGIN_DAYS = 2;

interface Change {
  readonly before: readonly StoredAssignment[];
  readonly after: readonly StoredAssignment[];
  readonly silent?: ReadonlySet<number>;
}

/**
 * Notes which assignments a write has made overdue, of a day that was told already: the sweep in overdue.ts does not
 * come back to it. Most writes make none, and ask the database nothing. Needs the counter of assignments locked.
 */
export async function noteMadeOverdue(tx: WriteTx, { before, after, silent }: Change): Promise<void> {
  const today = startOfToday(tx.now, tx.company.time_zone);
  const end = addDays(today, MARGIN_DAYS);
  const had = new Map(before.map((row) => [row.id, row]));
  const candidates = after.filter((row) => isPending(row, end) && !wasSo(had.get(row.id), row));
  if (candidates.length === 0) return;
  const yesterday = dayOf(addDays(today, -1));
  const made = await addNotices(tx, candidates, { yesterday });
  for (const row of candidates) {
    if (made.has(row.id)) noteOverdue(tx, row, { notify: silent === undefined || !silent.has(row.id) });
  }
}

function isPending({ status, due_by }: StoredAssignment, end: string): boolean {
  return status === "Incomplete" && due_by !== null && due_by < end;
}

/** What was Incomplete and due on that day before has not become overdue by the write. */
function wasSo(was: StoredAssignment | undefined, { due_by }: StoredAssignment): boolean {
  if (was?.status !== "Incomplete" || was.due_by === null || due_by === null) return false;
  return dayOf(was.due_by) === dayOf(due_by);
}

/**
 * Notes that these are told now, but for what was told of the same due date before.
 * @param told.yesterday only what fell due up to where the sweep has come; up to this day, where it never ran.
 * @returns the ids of those that were not told before.
 */
export async function addNotices(
  tx: WriteTx,
  rows: readonly StoredAssignment[],
  told?: { readonly yesterday: string },
): Promise<Set<number>> {
  const due = rows.flatMap(({ id, due_by }) => (due_by === null ? [] : [{ id, day: dayOf(due_by) }]));
  if (due.length === 0) return new Set();
  const isTold =
    told === undefined
      ? sql`true`
      : sql`due.day <= (
        select coalesce(overdue_through, ${told.yesterday}::date) from companies where company_id = ${tx.company.id}
      )`;
  const { rows: added } = await sql<{ assignment_id: number }>`
    insert into overdue_notices (company_id, assignment_id, due_on)
    select ${tx.company.id}::bigint, due.id, due.day
    from unnest(${due.map(({ id }) => id)}::bigint[], ${due.map(({ day }) => day)}::date[]) as due (id, day)
    where ${isTold}
    on conflict (company_id, assignment_id, due_on) do nothing
    returning assignment_id`.execute(tx.sql);
  return new Set(added.map(({ assignment_id }) => assignment_id));
}

/** Notes that an assignment is overdue. Its row does not change by that, and updated_at stays. */
export function noteOverdue(
  tx: WriteTx,
  row: StoredAssignment,
  { notify }: { readonly notify: boolean },
): void {
  const shown = showAssignment(row, startOfToday(tx.now, tx.company.time_zone));
  tx.changes.add({
    type: "assignment.overdue",
    resource_id: row.id,
    user_id: row.assignee_id,
    data: { ...shown, status: "Overdue" },
    previous: { status: "Incomplete" },
    notify,
  });
}

/** Forgets what was told of assignments that are gone. */
export async function deleteNotices(tx: WriteTx, assignment_ids: readonly number[]): Promise<void> {
  await tx.sql
    .deleteFrom("overdue_notices")
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("assignment_id", "=", eb.fn.any(eb.val([...assignment_ids]))))
    .execute();
}

/** The day (UTC) of a moment of PostgreSQL's text. */
export function dayOf(moment: string): string {
  return moment.slice(0, "2020-12-31".length);
}
