import type pg from "pg";
import { companyOfId, listSubdomains } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import type { Database } from "../db/db.ts";
import { addDays, momentText } from "../time.ts";

/** Partitions that are open from this month on: writes go on for so long when nobody opens new ones. */
const OPEN_MONTHS = 3;
/** Opening and dropping lock the table for a moment. Who can't have the lock soon lets the others go on, and tries tomorrow. */
const LOCK_TIMEOUT_MS = 2_000;

/** Days before those that are kept whose events the feed does without also where they are later than kept ones. */
const BORDER_DAYS = 31;
/** Larger than any id, where nothing is kept. */
const ENDLESS = Number.MAX_SAFE_INTEGER;

export interface Retention {
  readonly now: Date;
  readonly keptDays: number;
}

/**
 * Notes what the months hold that are to be dropped, so that the feed begins after all of it. A transaction that began in
 * one month and ended in the next has a later event than some that stay, and who is there must be told that it is missing.
 * The month that is dropped goes whole. An event that says it is older still, among those that stay, was written under a
 * clock that was far behind: it says nothing of those before it.
 */
export async function noteForgotten(database: Database, retention: Retention): Promise<void> {
  const before = firstKept(retention);
  const border = addDays(before, -BORDER_DAYS);
  for (const { company } of await listSubdomains(database)) {
    await database.write(companyOfId(company), commandActor, async (tx) => {
      const kept = await tx.sql
        .selectFrom("events")
        .select((eb) => eb.fn.min("id").as("id"))
        .where("company_id", "=", company)
        .where("occurred_at", ">=", before)
        .executeTakeFirst();
      const last = await tx.sql
        .selectFrom("events")
        .select((eb) => eb.fn.max("id").as("id"))
        .where("company_id", "=", company)
        .where("occurred_at", "<", before)
        .where((eb) => eb.or([eb("occurred_at", ">=", border), eb("id", "<", kept?.id ?? ENDLESS)]))
        .executeTakeFirst();
      if (last?.id == null) return;
      await tx.sql
        .updateTable("companies")
        .set({ events_forgotten_through: last.id })
        .where("company_id", "=", company)
        .where("events_forgotten_through", "<", last.id)
        .execute();
    });
  }
}

/**
 * Opens the partitions of the months to come, and drops those whose last day is no longer kept, which `noteForgotten` must
 * have noted. It may run at any time.
 * @param owner connections of the role that owns the tables.
 * @returns the partitions that were dropped.
 */
export async function keepPartitions(owner: pg.Pool, { now, keptDays }: Retention): Promise<string[]> {
  const client = await owner.connect();
  try {
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query("select open_event_partitions($1::date, $2)", [now.toISOString(), OPEN_MONTHS]);
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
       where inhparent = 'events'::regclass and relname < $1 and relname <> 'events_default' order by 1`,
      [nameOf(firstKept({ now, keptDays }))],
    );
    for (const { name } of rows) await client.query(`drop table ${client.escapeIdentifier(name)}`);
    return rows.map(({ name }) => name);
  } finally {
    await client.query("reset lock_timeout").catch(() => undefined);
    client.release();
  }
}

/**
 * Deletes what `noteForgotten` has noted and lay outside the months' partitions, as the clock was wrong or nobody opened
 * them.
 */
export async function forgetStrayEvents(database: Database, retention: Retention): Promise<void> {
  const before = firstKept(retention);
  for (const { company } of await listSubdomains(database)) {
    await database.write(companyOfId(company), commandActor, async (tx) => {
      await tx.sql
        .deleteFrom("events")
        .where("company_id", "=", company)
        .where("occurred_at", "<", before)
        .where("id", "<=", (eb) =>
          eb.selectFrom("companies").select("events_forgotten_through").where("company_id", "=", company),
        )
        .execute();
    });
  }
}

/** The first moment of the month in which the oldest kept day lies. */
function firstKept({ now, keptDays }: Retention): string {
  const oldest = addDays(`${momentText(now.getTime()).slice(0, DAY)} 00:00:00+00`, -keptDays);
  return `${oldest.slice(0, MONTH)}-01 00:00:00+00`;
}

const DAY = "2026-12-31".length;
const MONTH = "2026-12".length;

/** `events_2026_12` */
function nameOf(moment: string): string {
  return `events_${moment.slice(0, MONTH).replace("-", "_")}`;
}
