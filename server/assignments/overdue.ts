import { sql } from "kysely";
import { type Company, workInEachCompany } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import { lockCounters } from "../db/counters.ts";
import type { Database, Tx, WriteTx } from "../db/db.ts";
import { addDays, startOfToday } from "../time.ts";
import type { StoredAssignment } from "./assignments.ts";
import { addNotices, dayOf, noteOverdue } from "./overdue-notices.ts";

/** Assignments that one transaction tells of: it holds the counter of assignments meanwhile. */
const MOST_AT_ONCE = 500;

/**
 * Tells, in every company, which assignments have become overdue since the last look: each once for each due date. It
 * may run at any time, and several times at once. A company that is looked at for the first time is told nothing of its
 * past.
 * @returns how many have become overdue.
 */
export async function tellOverdue(database: Database, now: Date, publicUrl: string): Promise<number> {
  return workInEachCompany(database, publicUrl, (company) => tellOverdueOf(database, company, now));
}

async function tellOverdueOf(database: Database, company: Company, now: Date): Promise<number> {
  const today = startOfToday(now, company.time_zone);
  let told = 0;
  // A look without a lock first: but for once a day there is nothing to do.
  for (;;) {
    if (isDone(await database.read(company, readThrough), today)) return told;
    told += await database.write(company, commandActor, (tx) => tellSome(tx, today));
  }
}

/**
 * Under the lock that whatever changes an assignment holds. When nothing is left to tell, the day is noted in the same
 * transaction: from then on who makes something overdue of that day tells it; see overdue-notices.ts.
 */
async function tellSome(tx: WriteTx, today: string): Promise<number> {
  await lockCounters(tx, "assignments");
  const through = await readThrough(tx);
  if (isDone(through, today)) return 0;
  const rows = through === null ? [] : await selectOverdue(tx, { from: addDays(through, 1), today });
  if (rows.length < MOST_AT_ONCE) await moveThrough(tx, dayOf(addDays(today, -1)));
  await addNotices(tx, rows);
  for (const row of rows) noteOverdue(tx, row, { notify: true });
  return rows.length;
}

function isDone(through: string | null, today: string): boolean {
  return through !== null && addDays(through, 1) >= today;
}

async function readThrough(tx: Tx): Promise<string | null> {
  const { overdue_through } = await tx.sql
    .selectFrom("companies")
    .select("overdue_through")
    .where("company_id", "=", tx.company.id)
    .executeTakeFirstOrThrow();
  return overdue_through;
}

async function moveThrough(tx: WriteTx, overdue_through: string): Promise<void> {
  await tx.sql
    .updateTable("companies")
    .set({ overdue_through })
    .where("company_id", "=", tx.company.id)
    .execute();
}

/** What fell due from that midnight on and before today, and was not told yet: an index leads there. */
async function selectOverdue(
  tx: Tx,
  { from, today }: { readonly from: string; readonly today: string },
): Promise<StoredAssignment[]> {
  const { rows } = await sql<StoredAssignment>`
    select id, assignee_id, assignable_type, assignable_id, group_id, assigned_at, due_by, reassigned_at, started_at,
      completed_at, updated_at, status, score
    from assignments
    where company_id = ${tx.company.id} and status = 'Incomplete' and due_by >= ${from} and due_by < ${today}
      and not exists (
        select from overdue_notices notice
        where notice.company_id = ${tx.company.id} and notice.assignment_id = assignments.id
          and notice.due_on = (assignments.due_by at time zone 'UTC')::date
      )
    order by due_by, id
    limit ${MOST_AT_ONCE}`.execute(tx.sql);
  return rows;
}
