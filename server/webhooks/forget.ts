import { type RawBuilder, sql } from "kysely";
import { companyOfId, listSubdomains } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import type { Database, WriteTx } from "../db/db.ts";

/** How long the log and what has arrived are kept. */
const KEEP_DAYS = 30;
const DAY_MS = 86_400_000;
/** Rows that one transaction deletes: its locks last some ten milliseconds. */
const BATCH_ROWS = 5_000;

interface Retention {
  readonly now: Date;
  /** For how long the feed keeps events: what was given up can be sent again for so long. */
  readonly keptDays: number;
}

/** Forgets attempts and deliveries that nobody asks for any more. */
export async function forgetDeliveries(database: Database, { now, keptDays }: Retention): Promise<void> {
  const logged = new Date(now.getTime() - KEEP_DAYS * DAY_MS).toISOString();
  // Whole months of events are kept, so what is older than this by a month has surely lost its event.
  const gone = new Date(now.getTime() - (keptDays + 31) * DAY_MS).toISOString();
  for (const { company } of await listSubdomains(database)) {
    for (const forget of [
      (tx: WriteTx) => forgetAttempts(tx, logged),
      (tx: WriteTx) => forgetThose(tx, "delivered", sql`delivered_at < ${logged}`),
      (tx: WriteTx) => forgetThose(tx, "failed", sql`occurred_at < ${gone}`),
      // What still waits then waits for an endpoint that nothing may be sent to.
      (tx: WriteTx) => forgetThose(tx, "waiting", sql`occurred_at < ${gone}`),
    ]) {
      let forgotten = BATCH_ROWS;
      while (forgotten === BATCH_ROWS) {
        forgotten = await database.write(companyOfId(company), commandActor, forget);
      }
    }
  }
}

async function forgetAttempts(tx: WriteTx, before: string): Promise<number> {
  const { rows } = await sql`
    with old as materialized (
      select endpoint_id, event_id, number
      from webhook_attempts
      where company_id = ${tx.company.id} and attempted_at < ${before}
      order by attempted_at
      limit ${BATCH_ROWS}
    )
    delete from webhook_attempts
    using old
    where webhook_attempts.company_id = ${tx.company.id} and webhook_attempts.endpoint_id = old.endpoint_id
      and webhook_attempts.event_id = old.event_id and webhook_attempts.number = old.number
    returning webhook_attempts.number`.execute(tx.sql);
  return rows.length;
}

async function forgetThose(
  tx: WriteTx,
  status: "delivered" | "failed" | "waiting",
  isOld: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql`
    with old as materialized (
      select endpoint_id, event_id
      from webhook_deliveries
      where company_id = ${tx.company.id} and status = ${sql.lit(status)} and ${isOld}
      limit ${BATCH_ROWS}
    )
    delete from webhook_deliveries
    using old
    where webhook_deliveries.company_id = ${tx.company.id} and webhook_deliveries.endpoint_id = old.endpoint_id
      and webhook_deliveries.event_id = old.event_id and webhook_deliveries.status = ${sql.lit(status)}
    returning webhook_deliveries.event_id`.execute(tx.sql);
  return rows.length;
}
