import { sql } from "kysely";
import type { AssignmentRow } from "../assignments/assignments.ts";
import { countAssignments } from "../assignments/counts.ts";
import { assignmentCounters } from "../assignments/give.ts";
import { reassign } from "../assignments/reassign.ts";
import { selectAssignments } from "../assignments/select.ts";
import { type Company, workInEachCompany } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { Database, WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { momentText, startOfDate } from "../time.ts";
import { certificateEvents } from "./events.ts";
import { lastDayOf } from "./validity.ts";

/** Certificates that one transaction opens the renewal of: it holds the counters meanwhile. */
const MOST_AT_ONCE = 200;

/**
 * Begins anew, in every company, the path assignments whose certificate ends so soon that it is to be renewed: due on the
 * certificate's last day, until which it stays valid, as the old result stays. It may run at any time, and several times
 * at once: each certificate is renewed once.
 * @returns how many renewals were opened.
 */
export async function openRenewals(database: Database, now: Date, publicUrl: string): Promise<number> {
  return workInEachCompany(database, publicUrl, (company) => openRenewalsOf(database, company, now));
}

async function openRenewalsOf(database: Database, company: Company, now: Date): Promise<number> {
  const moment = momentText(now.getTime());
  let opened = 0;
  // A look without a lock first: nearly always there is nothing to do.
  while ((await database.read(company, (tx) => findDue(tx, moment))).length > 0) {
    const done = await database.write(company, commandActor, (tx) => openSome(tx, moment));
    if (done === 0) break;
    opened += done;
  }
  return opened;
}

async function openSome(tx: WriteTx, moment: string): Promise<number> {
  const at = await lockCounters(tx, ...assignmentCounters);
  const due = await findDue(tx, moment);
  if (due.length === 0) return 0;
  const before = await findAssignments(tx, due);
  const ends = new Map(due.map(({ assignment_id, due_by }) => [assignment_id, due_by]));
  const again = before.map((row) => ({ row, due_by: ends.get(row.id) ?? null }));
  const { rows: after, learners } = await reassign(tx, again, at);
  await countAssignments(tx, { before, after, learners, at });
  const ids = due.map(({ id }) => id);
  await follow(tx, certificateEvents, ids);
  await sql`
    update certificates set renewal_opened_at = ${at}
    where company_id = ${tx.company.id} and id = any(${ids}::bigint[])`.execute(tx.sql);
  for (const { id, assignment_id, due_by } of due) {
    const deed = {
      action: "open_certificate_renewal",
      resource_type: "certificate",
      resource_id: id,
    } as const;
    await audit(tx, { ...deed, after: { assignment_id, due_by }, at });
  }
  return due.length;
}

interface Due {
  readonly id: number;
  readonly assignment_id: number;
  /** The last day of its validity, as due dates are written: as a date in UTC, wherever the company is. */
  readonly due_by: string;
}

/**
 * The certificates whose renewal is to be opened now. No path has more than 365 renewal_days, so an index leads there. Only the last that somebody has for a path is renewed, and only
 * where its assignment rests; archived people and paths, and paths that certify nothing any more, are left in peace.
 */
async function findDue(tx: Pick<WriteTx, "sql" | "company">, moment: string): Promise<Due[]> {
  const company_id = tx.company.id;
  const { rows } = await sql<Omit<Due, "due_by"> & { expires_at: string }>`
    select certificate.id, certificate.assignment_id, certificate.expires_at
    from certificates certificate
    join paths path on path.company_id = ${company_id} and path.id = certificate.path_id
      and path.archived_at is null and path.is_certification
    join users holder on holder.company_id = ${company_id} and holder.id = certificate.user_id
      and holder.archived_at is null
    join assignments assignment on assignment.company_id = ${company_id}
      and assignment.id = certificate.assignment_id and assignment.status = 'Completed'
    where certificate.company_id = ${company_id} and certificate.renewal_opened_at is null
      and certificate.revoked_at is null
      and certificate.expires_at <= ${moment}::timestamptz + interval '365 days'
      and certificate.expires_at <= ${moment}::timestamptz + path.renewal_days * interval '1 day'
      and not exists (
        select from certificates later
        where later.company_id = ${company_id} and later.assignment_id = certificate.assignment_id
          and later.user_id = certificate.user_id and later.id > certificate.id
      )
    order by certificate.expires_at, certificate.id
    limit ${MOST_AT_ONCE}`.execute(tx.sql);
  return rows.map(({ id, assignment_id, expires_at }) => {
    const due_by = startOfDate(lastDayOf(expires_at, tx.company.time_zone), "UTC");
    return { id, assignment_id, due_by };
  });
}

async function findAssignments(tx: WriteTx, due: readonly Due[]): Promise<AssignmentRow[]> {
  return selectAssignments(tx, {
    conditions: [sql<boolean>`id = any(${due.map(({ assignment_id }) => assignment_id)}::bigint[])`],
    order: sql`id`,
    limit: null,
    offset: 0,
  });
}
