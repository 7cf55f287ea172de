import { sql } from "kysely";
import { companyOfId, listSubdomains } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import type { Database, WriteTx } from "../db/db.ts";
import { removeRefusals } from "./erase.ts";

/** As long as the change feed goes back by default: who asks what somebody was mailed asks within a quarter. */
const KEPT_DAYS = 90;
const DAY_MS = 86_400_000;
/** Rows that one transaction deletes. */
const ROWS_AT_ONCE = 1_000;

/**
 * Forgets the letters that ended long ago, with what they told. What was told is not told again: nothing asks for it any
 * more. And it forgets which addresses were refused that nobody has any more.
 */
export async function forgetMails(database: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS).toISOString();
  for (const { company } of await listSubdomains(database)) {
    await database.write(companyOfId(company), commandActor, (tx) => removeRefusals(tx));
    while (await database.write(companyOfId(company), commandActor, (tx) => forgetSome(tx, before)));
  }
}

/** @returns whether there may be more. */
async function forgetSome(tx: WriteTx, before: string): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`
    select id from mails
    where company_id = ${tx.company.id} and created_at < ${before} and next_try_at is null
    order by id limit ${ROWS_AT_ONCE}`.execute(tx.sql);
  if (rows.length === 0) return false;
  const ids = rows.map(({ id }) => id);
  await sql`
    delete from mail_notices where company_id = ${tx.company.id} and mail_id = any(${ids}::bigint[])`.execute(
    tx.sql,
  );
  await sql`delete from mails where company_id = ${tx.company.id} and id = any(${ids}::bigint[])`.execute(
    tx.sql,
  );
  return rows.length === ROWS_AT_ONCE;
}
