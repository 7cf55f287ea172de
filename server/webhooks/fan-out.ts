import { sql } from "kysely";
import { commandActor } from "../companies/create.ts";
import type { Company } from "../companies/companies.ts";
import type { Database, Tx, WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import { getNewest, readTypes } from "../events/feed.ts";
import type { Secrets } from "../secrets.ts";
import { clearPage, type ClearedTo } from "./clearing.ts";
import { adoptFormer, sealEndpoint } from "./contract.ts";
import { lockEndpoint, useIndexes } from "./stored.ts";

/** Events that one transaction looks at: its lock on the endpoint lasts some ten milliseconds. */
const PAGE_EVENTS = 1_000;

export interface FanOut {
  readonly database: Database;
  readonly secrets: Secrets;
}

/**
 * Makes deliveries of a company's new events for each endpoint that wants them. An endpoint's position moves with its
 * deliveries in one transaction, so each event becomes one delivery, whoever runs this and however often.
 * @param sendDue is called after each round of one page for each endpoint, at least once: what one endpoint has behind it
 * holds up no other.
 */
export async function fanOut(ground: FanOut, company: Company, sendDue: () => Promise<void>): Promise<void> {
  const cleared: Cleared = new Map();
  let goesOn = true;
  while (goesOn) {
    goesOn = await takeRound(ground, company, cleared);
    await sendDue();
  }
}

/** How far the endpoints are cleared that are being deleted. */
type Cleared = Map<number, ClearedTo>;

/**
 * Takes a page for each endpoint that is behind by now: what happens while another has much to catch up with is not kept
 * until it has.
 * @returns whether one of them is still behind.
 */
async function takeRound(
  { database, secrets }: FanOut,
  company: Company,
  cleared: Cleared,
): Promise<boolean> {
  const rows = await database.read(company, (tx) => look(tx, { company_id: company.id }));
  if (rows.some(({ has_former }) => has_former)) {
    await database.write(company, commandActor, (tx) => adoptFormer(tx, secrets));
  }
  let goesOn = false;
  for (const { id, is_unsealed, is_behind, is_to_clear } of rows) {
    if (id === null) continue;
    if (is_to_clear) {
      const to = await database.write(company, commandActor, (tx) => clearPage(tx, id, cleared.get(id)));
      if (to !== undefined) cleared.set(id, to);
      goesOn ||= to !== undefined;
    }
    if (is_unsealed) await database.write(company, commandActor, (tx) => sealEndpoint(tx, id, secrets));
    if (!is_behind) continue;
    const isStillBehind = await database.write(company, commandActor, (tx) => takePage(tx, id));
    goesOn ||= isStillBehind;
  }
  return goesOn;
}

interface Look {
  readonly id: number | null;
  readonly is_unsealed: boolean;
  readonly is_behind: boolean;
  readonly is_to_clear: boolean;
  readonly has_former: boolean;
}

/** One reading for a company that has nothing new, which is most of them at every sweep. */
const look = prepare<{ company_id: number }, Look>(
  (_db, place) => sql<Look>`
    select endpoint.id,
      endpoint.deleted_at is null and (endpoint.secret is null or endpoint.plain_authorization is not null) as is_unsealed,
      endpoint.deleted_at is null and endpoint.is_enabled and endpoint.url is not null
        and endpoint.position < feed.last_id as is_behind,
      endpoint.deleted_at is not null or endpoint.given_up_through > 0 as is_to_clear,
      company.lesson_completed_callback_url is not null
        or company.lesson_completed_callback_authorization is not null as has_former
    from companies company
    join counters feed on feed.company_id = ${place("company_id")} and feed.kind = 'events'
    left join webhook_endpoints endpoint on endpoint.company_id = ${place("company_id")}
    where company.company_id = ${place("company_id")}
    order by endpoint.id`,
);

/** @returns whether there is more to look at. */
async function takePage(tx: WriteTx, id: number): Promise<boolean> {
  const [endpoint] = await Promise.all([lockEndpoint(tx, id), useIndexes(tx)]);
  // Read before the events: what it counts is committed.
  const newest = await getNewest(tx);
  if (endpoint === undefined || !endpoint.is_enabled || endpoint.url === null) return false;
  if (endpoint.position >= newest) return false;
  const until = Math.min(newest, endpoint.position + PAGE_EVENTS);
  await insertDeliveries(tx, { ...endpoint, until });
  await tx.sql
    .updateTable("webhook_endpoints")
    .set({ position: until })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
  return until < newest;
}

interface Span {
  readonly id: number;
  readonly types: readonly string[];
  readonly position: number;
  readonly until: number;
}

async function insertDeliveries(tx: WriteTx, { id, types, position, until }: Span): Promise<void> {
  await sql`
    insert into webhook_deliveries (company_id, endpoint_id, event_id, occurred_at, status, tries, attempts, due_at)
    select company_id, ${id}::bigint, id, occurred_at, 'waiting', 0, 0, ${tx.now.toISOString()}::timestamptz
    from events
    where company_id = ${tx.company.id} and id > ${position} and id <= ${until} and ${isWanted(types)}
    on conflict (company_id, endpoint_id, event_id) do nothing`.execute(tx.sql);
}

/** Whether an event is of a type that an endpoint wants: `user.created`, all of `user.*`, or all at `*`. */
export function isWanted(types: readonly string[]) {
  const { names, beginnings } = readTypes(types);
  return sql<boolean>`(
    events.type = any(${names}::text[])
    or exists (select from unnest(${beginnings}::text[]) as beginning where starts_with(events.type, beginning)))`;
}

/** An endpoint with deliveries that wait, and in how many milliseconds the first of them is due; less than 0 when it is. */
export interface WaitingEndpoint {
  readonly id: number;
  readonly due_in_ms: number;
}

/** The endpoints that something waits for, in a transaction. It costs one look at an index for each. */
export async function listWaiting(tx: Tx): Promise<WaitingEndpoint[]> {
  await useIndexes(tx);
  return selectWaiting(tx, { company_id: tx.company.id, now: tx.now.toISOString() });
}

const selectWaiting = prepare<{ company_id: number; now: string }, WaitingEndpoint>(
  (_db, place) => sql<WaitingEndpoint>`
    select endpoint.id, (extract(epoch from first.due_at - ${place("now")}::timestamptz) * 1000)::float8 as due_in_ms
    from webhook_endpoints endpoint
    cross join lateral (
      select due_at
      from webhook_deliveries
      where company_id = ${place("company_id")} and endpoint_id = endpoint.id and status = 'waiting'
        and event_id > endpoint.given_up_through
      order by due_at
      limit 1
    ) first
    where endpoint.company_id = ${place("company_id")} and endpoint.deleted_at is null and endpoint.is_enabled
      and endpoint.url is not null and endpoint.secret is not null`,
);
