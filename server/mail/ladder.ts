import { sql } from "kysely";
import { type Company, walkCompanies } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import type { Database, Tx, WriteTx } from "../db/db.ts";
import { startOfDate } from "../time.ts";
import { type NewNotice, queueMail } from "./notices.ts";
import type { MailOptions } from "./options.ts";
import { morningOf, nextMorning, shiftDate, todayIn, workingMorning } from "./pace.ts";

/** How many days after its due date an assignment is brought to mind: the next day, then weekly, and no more. */
const OVERDUE_DAYS = [1, 8, 15, 22];
/** How many days before its last day the end of a certificate is told. */
const EXPIRING_DAYS = [30, 7, 1];
/** Days that are made up for where no mailer ran. What was to be told earlier is told by a later rung. */
const MOST_MISSED_DAYS = 3;
/** Rows that one statement reads. */
const PAGE_ROWS = 1_000;

/**
 * Plans what is brought to people's minds today, in every company and its time zone: what is due soon, what is overdue,
 * what certificates end. It may run at any time and several times a day: each rung is told once, and what comes to one
 * later in the day is found by a later run. It goes out with the digest at nine o'clock: that of this morning only where
 * nobody has planned it, as whoever moves due dates all day would have it told all day.
 */
export async function planReminders(
  database: Database,
  options: Pick<MailOptions, "dueSoonDays" | "publicUrl" | "clock" | "log">,
): Promise<void> {
  for await (const company of walkCompanies(database, options.publicUrl)) {
    await planRemindersOf(database, company, options).catch((error: unknown) =>
      options.log?.(`The reminders of company ${company.id} can't be planned: ${String(error)}`),
    );
  }
}

async function planRemindersOf(
  database: Database,
  company: Company,
  { dueSoonDays, clock }: Pick<MailOptions, "dueSoonDays" | "clock">,
): Promise<void> {
  const now = clock();
  const today = todayIn(now, company.time_zone);
  const last = await database.read(company, findLastDay);
  const send_at = (last === today ? nextMorning : workingMorning)(now, company.time_zone);
  for (const day of daysAfter(last ?? shiftDate(today, -1), today)) {
    for (const rung of rungsOf(day, dueSoonDays)) await planRung(database, company, { ...rung, send_at });
  }
  if (last !== today) await database.write(company, commandActor, (tx) => noteDay(tx, today));
}

/** The last day whose reminders were planned; null before the first. */
async function findLastDay(tx: Tx): Promise<string | null> {
  const state = await tx.sql
    .selectFrom("mail_state")
    .select("reminded_on")
    .where("company_id", "=", tx.company.id)
    .executeTakeFirst();
  return state?.reminded_on ?? null;
}

/** Today, and the days before it that nobody has planned. */
function daysAfter(last: string, today: string): string[] {
  const missed = Array.from({ length: MOST_MISSED_DAYS }, (_, index) =>
    shiftDate(today, index - MOST_MISSED_DAYS),
  );
  return [...missed.filter((day) => day > last), today];
}

async function noteDay(tx: WriteTx, reminded_on: string): Promise<void> {
  await tx.sql
    .insertInto("mail_state")
    .values({ company_id: tx.company.id, position: 0, reminded_on })
    .onConflict((conflict) =>
      conflict.column("company_id").doUpdateSet((eb) => ({ reminded_on: eb.ref("excluded.reminded_on") })),
    )
    .execute();
}

/** What is told on a day of what is due, or ends, on another. */
interface Rung {
  readonly kind: "due_soon" | "overdue" | "expiring";
  /** The day that it is told on. */
  readonly day: string;
  /** The due date, or a certificate's last day. */
  readonly date: string;
  readonly days: number;
}

function rungsOf(day: string, dueSoonDays: readonly number[]): Rung[] {
  return [
    ...dueSoonDays.map((days): Rung => ({ kind: "due_soon", day, date: shiftDate(day, days), days })),
    ...OVERDUE_DAYS.map((days): Rung => ({ kind: "overdue", day, date: shiftDate(day, -days), days })),
    ...EXPIRING_DAYS.map((days): Rung => ({ kind: "expiring", day, date: shiftDate(day, days), days })),
  ];
}

interface Planned extends Rung {
  readonly send_at: string;
}

async function planRung(database: Database, company: Company, rung: Planned): Promise<void> {
  const select = rung.kind === "expiring" ? selectExpiring : selectDue;
  let after = 0;
  for (;;) {
    const found = await database.read(company, (tx) => select(tx, rung, after));
    const last = found.at(-1);
    if (last === undefined) return;
    const notices = found.map((row) => toNotice(rung, row));
    await database.write(company, commandActor, (tx) => queueMail(tx, notices));
    if (found.length < PAGE_ROWS) return;
    after = last.id;
  }
}

/** An assignment or a certificate. */
interface Found {
  readonly id: number;
  readonly user_id: number;
}

function toNotice({ kind, date, days, send_at }: Planned, { id, user_id }: Found): NewNotice {
  const facts = kind === "expiring" ? { certificate_id: id } : { assignment_id: id, due_on: date };
  const key = `${kind}/${id}/${date}/${days}`;
  return { key, user_id, kind, pace: "digest", facts, send_at };
}

/**
 * What is due on the rung's date (UTC, as the contract has it) and not told on this rung yet. What somebody was given
 * only after the rung's morning they know of.
 */
async function selectDue(tx: Tx, { kind, day, date, days }: Rung, after: number): Promise<Found[]> {
  const company_id = tx.company.id;
  const { rows } = await sql<Found>`
    select id, assignee_id as user_id from assignments
    where company_id = ${company_id} and status = 'Incomplete' and due_by >= ${startOfDate(date, "UTC")}
      and due_by < ${startOfDate(shiftDate(date, 1), "UTC")} and id > ${after}
      and coalesce(reassigned_at, assigned_at) < ${morningOf(day, tx.company.time_zone)}
      and not exists (
        select from mail_notices
        where company_id = ${company_id}
          and key = ${kind}::text || '/' || assignments.id || '/' || ${date}::text || '/' || ${days}::int
      )
    order by id limit ${PAGE_ROWS}`.execute(tx.sql);
  return rows;
}

/** Certificates whose last day is the rung's date; the last of each person's for a path. */
async function selectExpiring(tx: Tx, { kind, date, days }: Rung, after: number): Promise<Found[]> {
  const company_id = tx.company.id;
  const { time_zone } = tx.company;
  const { rows } = await sql<Found>`
    select id, user_id from certificates
    where company_id = ${company_id} and revoked_at is null
      and expires_at >= ${startOfDate(shiftDate(date, 1), time_zone)}
      and expires_at < ${startOfDate(shiftDate(date, 2), time_zone)} and id > ${after}
      and not exists (
        select from certificates newer
        where newer.company_id = ${company_id} and newer.path_id = certificates.path_id
          and newer.user_id = certificates.user_id and newer.id > certificates.id and newer.revoked_at is null
      )
      and not exists (
        select from mail_notices
        where company_id = ${company_id}
          and key = ${kind}::text || '/' || certificates.id || '/' || ${date}::text || '/' || ${days}::int
      )
    order by id limit ${PAGE_ROWS}`.execute(tx.sql);
  return rows;
}
