import { sql } from "kysely";
import { type Company, walkCompanies } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import type { Database, Tx } from "../db/db.ts";
import { listRolesWith, REPORTS_OF_GROUPS } from "./administrators.ts";
import { type NewNotice, queueMail } from "./notices.ts";
import type { MailOptions } from "./options.ts";
import { shiftDate, todayIn, workingMorning } from "./pace.ts";

/** Days of a week on which it is still planned: what nobody planned on Monday, or came up that night, is told a day late. */
const PLANNED_ON_DAYS = 2;
/** Managers whose notices one transaction makes. */
const PAGE_MANAGERS = 1_000;

/**
 * Plans, in every company, what its managers are told of the week that is over: on Mondays at nine o'clock of the
 * company's time zone. It may run at any time and several times: each week is told once. The numbers are those of the
 * moment of sending.
 */
export async function planWeekly(
  database: Database,
  { publicUrl, clock, log }: Pick<MailOptions, "publicUrl" | "clock" | "log">,
): Promise<void> {
  const now = clock();
  for await (const company of walkCompanies(database, publicUrl)) {
    await planWeeklyOf(database, company, now).catch((error: unknown) =>
      log?.(`The weekly mails of company ${company.id} can't be planned: ${String(error)}`),
    );
  }
}

async function planWeeklyOf(database: Database, company: Company, now: Date): Promise<void> {
  const today = todayIn(now, company.time_zone);
  const monday = mondayOf(today);
  if (today >= shiftDate(monday, PLANNED_ON_DAYS)) return;
  const send_at = workingMorning(now, company.time_zone);
  let after = 0;
  for (;;) {
    const managers = await database.read(company, (tx) => selectManagers(tx, monday, after));
    const last = managers.at(-1);
    if (last === undefined) return;
    const notices = managers.map((user_id): NewNotice => ({
      key: `weekly/${user_id}/${monday}`,
      user_id,
      kind: "weekly",
      pace: "alone",
      send_at,
      facts: { monday },
    }));
    await database.write(company, commandActor, (tx) => queueMail(tx, notices));
    if (managers.length < PAGE_MANAGERS) return;
    after = last;
  }
}

/** The Monday of a date's week. */
function mondayOf(date: string): string {
  const day = new Date(date).getUTCDay();
  return shiftDate(date, day === 0 ? -6 : 1 - day);
}

/** Who manages a group that has active members, may see reports of it, and was not told of this week. */
async function selectManagers(tx: Tx, monday: string, after: number): Promise<number[]> {
  const company_id = tx.company.id;
  const role_ids = await listRolesWith(tx, REPORTS_OF_GROUPS);
  const { rows } = await sql<{ id: number }>`
    select users.id from users
    where users.company_id = ${company_id} and users.id > ${after} and users.archived_at is null
      and users.role_id = any(${role_ids}::bigint[])
      and exists (
        select from memberships managing
        join groups on groups.company_id = ${company_id} and groups.id = managing.group_id and groups.archived_at is null
        join memberships member on member.company_id = ${company_id} and member.group_id = managing.group_id
          and member.role = 'member'
        join users learner on learner.company_id = ${company_id} and learner.id = member.user_id
          and learner.archived_at is null
        where managing.company_id = ${company_id} and managing.user_id = users.id and managing.role = 'manager'
      )
      and not exists (
        select from mail_notices
        where company_id = ${company_id} and key = 'weekly/' || users.id || '/' || ${monday}::text
      )
    order by users.id limit ${PAGE_MANAGERS}`.execute(tx.sql);
  return rows.map(({ id }) => id);
}
