import { sql } from "kysely";
import { getTotal } from "../db/counters.ts";
import type { Tx } from "../db/db.ts";
import type { Page, PageRequest } from "../http/page.ts";
import { startOfToday } from "../time.ts";
import { type Assignment, toAssignments } from "./assignments.ts";
import { listById } from "./by-id.ts";
import type { StatusName } from "./schema.ts";
import type { Condition } from "./select.ts";

/** A page of the assignments in a status, by id. The four lists partition all assignments. */
export async function listByStatus(tx: Tx, page: PageRequest, status: StatusName): Promise<Page<Assignment>> {
  const today = startOfToday(tx.now, tx.company.time_zone);
  const found = await listById(tx, page, {
    conditions: [conditionOf[status](today)],
    total: () => getStatusTotal(tx, status, today),
  });
  return { ...found, rows: toAssignments(tx, found.rows) };
}

/** What was due before the company's today, and is Incomplete, is overdue. */
const conditionOf: Readonly<Record<StatusName, (today: string) => Condition>> = {
  incomplete: (today) => sql<boolean>`status = 'Incomplete' and (due_by is null or due_by >= ${today})`,
  overdue: (today) => sql<boolean>`status = 'Incomplete' and due_by < ${today}`,
  completed: () => sql<boolean>`status = 'Completed'`,
  grade_pending: () => sql<boolean>`status = 'Grade Pending'`,
};

/** How many assignments are in a status, without counting them: what is overdue is a sum over the days past. */
async function getStatusTotal(tx: Tx, status: StatusName, today: string): Promise<number> {
  if (status === "completed") return getTotal(tx, "assignments/Completed");
  if (status === "grade_pending") return getTotal(tx, "assignments/Grade Pending");
  const { rows } = await sql<{ incomplete: number; overdue: number }>`
    select counters.total - past.overdue as incomplete, past.overdue
    from counters, (
      select coalesce(sum(incomplete), 0)::bigint as overdue
      from due_dates
      where company_id = ${tx.company.id} and due_on < ${today.slice(0, "2020-12-31".length)}
    ) past
    where counters.company_id = ${tx.company.id} and counters.kind = 'assignments/Incomplete'`.execute(
    tx.sql,
  );
  return rows[0]?.[status] ?? 0;
}
