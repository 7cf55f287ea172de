import { sql } from "kysely";
import type { Tx, WriteTx } from "../db/db.ts";
import type { SentEvent } from "./message.ts";
import { selectEndpoints, type StoredEndpoint, useIndexes } from "./stored.ts";

/** For how long who takes a delivery up has it to themselves; then others take it up, as they were killed. */
export const LEASE_MS = 60_000;

/** A delivery that this process has taken up. */
export interface Claimed {
  readonly event_id: number;
  /** Tries since it was last to be sent, and attempts since ever, before this one. */
  readonly tries: number;
  readonly attempts: number;
  /** The address that it was taken up for. */
  readonly url: string;
  /** Milliseconds since 1970 until which nobody else takes it up. */
  readonly leasedUntilMs: number;
  /** Undefined where the feed no longer keeps it. */
  readonly event: SentEvent | undefined;
}

export interface Claim {
  /** Undefined where nothing may be sent to it, or nothing is due. */
  readonly endpoint: StoredEndpoint | undefined;
  readonly deliveries: readonly Claimed[];
}

/** Takes up deliveries of an endpoint that are due, the longest due first, and what others have taken up never. */
export async function claimDeliveries(tx: WriteTx, endpoint_id: number, limit: number): Promise<Claim> {
  const nothing: Claim = { endpoint: undefined, deliveries: [] };
  const [endpoint] = await Promise.all([
    selectEndpoints(tx).where("id", "=", endpoint_id).executeTakeFirst(),
    useIndexes(tx),
  ]);
  if (endpoint?.secret == null || endpoint.url === null || !endpoint.is_enabled) return nothing;
  const { url, given_up_through, begun_at } = endpoint;
  const leasedUntil = new Date(tx.now.getTime() + LEASE_MS);
  // What was due when the endpoint began anew has not been tried since.
  const triesNow = sql<number>`case when due_at <= ${begun_at}::timestamptz then 0 else tries end`;
  // Two statements: a plan may run a locking subquery anew for each row that it is joined with.
  const { rows } = await sql<Row>`
    select event_id, occurred_at, ${triesNow} as tries, attempts
    from webhook_deliveries
    where company_id = ${tx.company.id} and endpoint_id = ${endpoint_id} and status = 'waiting'
      and due_at <= ${tx.now.toISOString()} and event_id > ${given_up_through}
    order by due_at, event_id
    limit ${limit}
    for update skip locked`.execute(tx.sql);
  if (rows.length === 0) return nothing;
  const [events] = await Promise.all([
    readEvents(tx, rows),
    sql`
      update webhook_deliveries
      set due_at = ${leasedUntil.toISOString()}, tries = ${triesNow}
      where company_id = ${tx.company.id} and endpoint_id = ${endpoint_id}
        and event_id = any(${rows.map(({ event_id }) => event_id)}::bigint[])`.execute(tx.sql),
  ]);
  const deliveries = rows
    .toSorted((a, b) => a.event_id - b.event_id)
    .map(({ event_id, tries, attempts }) => ({
      event_id,
      tries,
      attempts,
      url,
      leasedUntilMs: leasedUntil.getTime(),
      event: events.get(event_id),
    }));
  return { endpoint, deliveries };
}

interface Row {
  readonly event_id: number;
  readonly occurred_at: string;
  readonly tries: number;
  readonly attempts: number;
}

/** By id and time, so that only the partitions that hold them are looked at. */
async function readEvents(tx: WriteTx, rows: readonly Row[]): Promise<Map<number, SentEvent>> {
  const times = rows.map(({ occurred_at }) => occurred_at).toSorted();
  const { rows: events } = await sql<SentEvent>`
    select id, type, occurred_at, data, previous
    from events
    where company_id = ${tx.company.id} and id = any(${rows.map(({ event_id }) => event_id)}::bigint[])
      and occurred_at between ${times[0]}::timestamptz and ${times.at(-1)}::timestamptz`.execute(tx.sql);
  return new Map(events.map((event) => [event.id, event]));
}

/** Deliveries that one request makes due, of those latest due: about a second's work. Others come at their own time. */
const MOST_MADE_DUE = 100_000;

/**
 * What waits for an endpoint begins anew, as somebody says that it hears again: it counts its tries from here, and what is
 * due later than a lease lasts is due now. What is taken up is left to who has it. Lock the endpoint before.
 */
export async function beginAnew(tx: WriteTx, { id, given_up_through }: StoredEndpoint): Promise<void> {
  const now = tx.now.toISOString();
  // What is due by now may be millions of rows: who takes one of them up sees by this that its tries are of before.
  await tx.sql
    .updateTable("webhook_endpoints")
    .set({ begun_at: now })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
  // What comes within a minute may be on its way, and is due no sooner.
  await sql`
    update webhook_deliveries
    set tries = 0, due_at = case when due_at > ${whenLeasesEnd(tx)}::timestamptz then ${now}::timestamptz else due_at end
    where company_id = ${tx.company.id} and endpoint_id = ${id} and status = 'waiting'
      and event_id = any(array(
        select event_id
        from webhook_deliveries
        where company_id = ${tx.company.id} and endpoint_id = ${id} and status = 'waiting' and due_at > ${now}
          and event_id > ${given_up_through}
        order by due_at desc, event_id desc
        limit ${MOST_MADE_DUE}
        for update skip locked
      ))`.execute(tx.sql);
}

/** What waits beyond this moment is taken up by nobody. */
export function whenLeasesEnd(tx: Tx): string {
  return new Date(tx.now.getTime() + LEASE_MS).toISOString();
}

/** Gives back what was taken up and not tried, as the process stops. */
export async function releaseDeliveries(
  tx: WriteTx,
  endpoint_id: number,
  deliveries: readonly Claimed[],
): Promise<void> {
  await sql`
    update webhook_deliveries
    set due_at = ${tx.now.toISOString()}
    from unnest(
      ${deliveries.map(({ event_id }) => event_id)}::bigint[], ${deliveries.map(({ attempts }) => attempts)}::integer[]
    ) as given (event_id, attempts)
    where webhook_deliveries.company_id = ${tx.company.id} and webhook_deliveries.endpoint_id = ${endpoint_id}
      and webhook_deliveries.event_id = given.event_id and webhook_deliveries.attempts = given.attempts
      and webhook_deliveries.status = 'waiting'`.execute(tx.sql);
}
