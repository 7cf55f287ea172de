import { sql, type Updateable } from "kysely";
import type { WriteTx } from "../db/db.ts";
import type { WebhookEndpoints } from "../db/schema.ts";
import { conflict } from "../http/problem.ts";
import { DISABLED_BY_HAND, type StoredEndpoint, useIndexes } from "./stored.ts";

/** Rows of one table that one transaction clears: its locks last some hundred milliseconds. */
const PAGE_ROWS = 5_000;
/** What the log says of a delivery that waited for an address which was cleared. */
const CLEARED = "The address was cleared before this had arrived: send it again if the new one is to have it";

/**
 * Gives up what waits for an endpoint, so that who is at an address that is set later gets nothing that was meant for
 * another one. It can be sent again. A page of it is done here, the rest by clearPage. Lock the endpoint before.
 * @param through the newest event: what happens from now on is for the new address.
 */
export async function giveUpWaiting(tx: WriteTx, id: number, through: number): Promise<void> {
  await setEndpoint(tx, id, { given_up_through: through });
  await clearPage(tx, id);
}

/**
 * What is set going before all that was given up has ended would end with it.
 * @param first the first event that is to be sent. @throws Problem 409 where it is among those that are still given up.
 */
export function checkGivenUp({ given_up_through }: StoredEndpoint, first: number): void {
  if (first > given_up_through) return;
  throw conflict(
    "What waited for the address before this one is still being given up: ask again in a minute",
  );
}

/**
 * Deletes an endpoint with its deliveries and its log. From here on nobody sees it and nothing is sent to it; where its
 * rows are more than a page, clearPage deletes the rest. Lock the endpoint before.
 */
export async function removeEndpoint(tx: WriteTx, id: number, at: string): Promise<void> {
  await setEndpoint(tx, id, {
    deleted_at: at,
    secret: null,
    previous_secret: null,
    previous_secret_until: null,
    headers: null,
    // A server of the former version, which may still run, knows nothing of deleted_at.
    is_enabled: false,
    disabled_reason: DISABLED_BY_HAND,
    disabled_at: at,
    failing_since: null,
  });
  await clearPage(tx, id);
}

/** How far the rows of an endpoint that was deleted are cleared: what goes on from there reads no row that is gone. */
export interface ClearedTo {
  readonly table: ClearedTable;
  readonly event_id: number;
}

type ClearedTable = "webhook_deliveries" | "webhook_attempts";

const NOTHING_YET: ClearedTo = { table: "webhook_deliveries", event_id: 0 };

/**
 * Clears a page of what was given up of an endpoint, or of one that was deleted; this too, with the last of its rows.
 * @param from what the former page gave.
 * @returns where to go on; undefined where there is no more. What others hold just now is left to the next sweep.
 */
export async function clearPage(
  tx: WriteTx,
  id: number,
  from: ClearedTo = NOTHING_YET,
): Promise<ClearedTo | undefined> {
  const [endpoint] = await Promise.all([
    tx.sql
      .selectFrom("webhook_endpoints")
      .select(["deleted_at", "given_up_through"])
      .where("company_id", "=", tx.company.id)
      .where("id", "=", id)
      .forNoKeyUpdate()
      .executeTakeFirst(),
    useIndexes(tx),
  ]);
  if (endpoint === undefined) return undefined;
  if (endpoint.deleted_at !== null) return deletePage(tx, id, from);
  if (endpoint.given_up_through === 0) return undefined;
  return (await endPage(tx, id, endpoint.given_up_through)) ? NOTHING_YET : undefined;
}

async function deletePage(
  tx: WriteTx,
  id: number,
  { table, event_id }: ClearedTo,
): Promise<ClearedTo | undefined> {
  const { rows } = await sql<{ event_id: number }>`
    delete from ${sql.table(table)}
    where company_id = ${tx.company.id} and endpoint_id = ${id} and event_id = any(array(
      select event_id
      from ${sql.table(table)}
      where company_id = ${tx.company.id} and endpoint_id = ${id} and event_id > ${event_id}
      order by event_id
      limit ${PAGE_ROWS}
      for update skip locked
    ))
    returning event_id`.execute(tx.sql);
  if (rows.length >= PAGE_ROWS) return { table, event_id: Math.max(...rows.map((row) => row.event_id)) };
  if (await hasRows(tx, id, table)) return undefined;
  // The log last: who writes a try into it has its delivery.
  if (table === "webhook_deliveries") return deletePage(tx, id, { table: "webhook_attempts", event_id: 0 });
  await tx.sql
    .deleteFrom("webhook_endpoints")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
  return undefined;
}

async function hasRows(tx: WriteTx, id: number, table: ClearedTable): Promise<boolean> {
  const row = await tx.sql
    .selectFrom(table)
    .select("event_id")
    .where("company_id", "=", tx.company.id)
    .where("endpoint_id", "=", id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function endPage(tx: WriteTx, id: number, through: number): Promise<boolean> {
  const isGivenUp = sql`
    company_id = ${tx.company.id} and endpoint_id = ${id} and status = 'waiting' and event_id <= ${through}`;
  // Two statements, as a plan may run a locking subquery anew; what a try is written of just now is not waited for.
  const { rows } = await sql<{ event_id: number; attempts: number }>`
    select event_id, attempts
    from webhook_deliveries
    where ${isGivenUp}
    order by due_at, event_id
    limit ${PAGE_ROWS}
    for update skip locked`.execute(tx.sql);
  if (rows.length > 0) await endThose(tx, id, rows);
  if (rows.length === PAGE_ROWS) return true;
  const { rows: left } = await sql`
    select event_id
    from webhook_deliveries
    where ${isGivenUp}
    order by due_at
    limit 1`.execute(tx.sql);
  if (left.length === 0) await setEndpoint(tx, id, { given_up_through: 0 });
  return false;
}

async function endThose(
  tx: WriteTx,
  id: number,
  rows: readonly { readonly event_id: number; readonly attempts: number }[],
): Promise<void> {
  const ids = rows.map(({ event_id }) => event_id);
  await sql`
    update webhook_deliveries
    set status = 'failed', attempts = attempts + 1, due_at = null
    where company_id = ${tx.company.id} and endpoint_id = ${id} and event_id = any(${ids}::bigint[])`.execute(
    tx.sql,
  );
  await sql`
    insert into webhook_attempts (company_id, endpoint_id, event_id, number, attempted_at, duration_ms, reason)
    select ${tx.company.id}::bigint, ${id}::bigint, ended.event_id, ended.attempts + 1,
      ${tx.now.toISOString()}::timestamptz, 0, ${CLEARED}
    from unnest(${ids}::bigint[], ${rows.map(({ attempts }) => attempts)}::integer[]) as ended (event_id, attempts)
    on conflict (company_id, endpoint_id, event_id, number) do nothing`.execute(tx.sql);
}

async function setEndpoint(tx: WriteTx, id: number, noted: Updateable<WebhookEndpoints>): Promise<void> {
  await tx.sql
    .updateTable("webhook_endpoints")
    .set(noted)
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
}
