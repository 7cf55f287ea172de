import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import type { Followed, NewEvent, State } from "./changes.ts";

/** Gives what a transaction has changed, as events that are ready to be written; undefined where it has changed nothing. */
export async function collectEvents(tx: WriteTx): Promise<EventColumns | undefined> {
  const made: NewEvent[] = [];
  const last: NewEvent[] = [];
  const deleted: NewEvent[] = [];
  for (const { kind, before, silent } of tx.changes.followed) {
    const after = await kind.read(tx, [...before.keys()]);
    for (const [id, was] of before) {
      const event = compare(kind, { id, before: was, after: after.get(id), notify: !silent.has(id) });
      if (event === undefined) continue;
      // What is deleted goes last, after what hung on it.
      if (!after.has(id)) deleted.push(event);
      else (kind.comesLast === true ? last : made).push(event);
    }
  }
  const events = [...made, ...tx.changes.events, ...last, ...deleted];
  return events.length === 0 ? undefined : toColumns(tx, events);
}

interface Comparison {
  readonly id: number;
  readonly before: State | undefined;
  readonly after: State | undefined;
  readonly notify: boolean;
}

/** @returns undefined where nothing has happened to it. */
function compare(kind: Followed, { id, before, after, notify }: Comparison): NewEvent | undefined {
  const shared = { resource_id: id, notify };
  if (after === undefined) {
    if (before === undefined) return undefined;
    const user_id = kind.userOf?.(before) ?? null;
    return { ...shared, type: `${kind.name}.deleted`, user_id, data: { id } };
  }
  const user_id = kind.userOf?.(after) ?? null;
  if (before === undefined) {
    const { name, nameCreation = "created" } = kind;
    return { ...shared, type: `${name}.${nameCreation}`, user_id, data: after };
  }
  const previous = differences(before, after);
  if (previous === undefined) return undefined;
  const type = `${kind.name}.${nameChange(kind, before, after)}`;
  return { ...shared, type, user_id, data: after, previous };
}

function nameChange(kind: Followed, before: State, after: State): string {
  if (before["archived_at"] === null && after["archived_at"] !== null) return "archived";
  if (before["archived_at"] !== null && after["archived_at"] === null) return "restored";
  return kind.nameChange?.(before, after) ?? "updated";
}

/**
 * The former values of what differs; undefined where nothing does.
 * Both are shown by one function, so they have the same keys but for those that a state lacks.
 */
export function differences(before: State, after: State): State | undefined {
  const former = Object.entries(before).filter(([key, value]) => !isDeepStrictEqual(value, after[key]));
  const added = Object.keys(after).filter((key) => !Object.hasOwn(before, key));
  if (former.length === 0 && added.length === 0) return undefined;
  return Object.fromEntries([...former, ...added.map((key) => [key, null] as const)]);
}

/**
 * Writes events, as the last thing that a transaction does: their ids are in the order of commits, as the counter is
 * held until then and nothing else is locked after it. All of it is sent before it returns, so that a commit may follow.
 */
export async function writeEvents(tx: WriteTx, events: EventColumns): Promise<void> {
  // The second sees what the first has done.
  await Promise.all([takeIds(tx, events), insertEvents(tx, events)]);
}

function toColumns(tx: WriteTx, events: readonly NewEvent[]): EventColumns {
  return {
    company_id: tx.company.id,
    total: events.length,
    occurred_at: tx.now.toISOString(),
    types: events.map(({ type }) => type),
    resource_ids: events.map(({ resource_id }) => resource_id),
    user_ids: events.map(({ user_id }) => user_id),
    notify: events.map(({ notify = true }) => notify),
    // Lines of JSON, which has none within: an array's own quoting would double every quote.
    data: events.map(({ data }) => JSON.stringify(data)).join("\n"),
    previous: events.map(({ previous = null }) => JSON.stringify(previous)).join("\n"),
  };
}

const takeIds = prepare<{ company_id: number; total: number }, object>(
  (_db, place) => sql`
    update counters set last_id = last_id + ${place("total")}
    where company_id = ${place("company_id")} and kind = 'events'`,
);

/** Events by the columns that they are written to. */
export interface EventColumns {
  readonly company_id: number;
  readonly total: number;
  readonly occurred_at: string;
  readonly types: readonly string[];
  readonly resource_ids: readonly (number | null)[];
  readonly user_ids: readonly (number | null)[];
  readonly notify: readonly boolean[];
  readonly data: string;
  readonly previous: string;
}

const insertEvents = prepare<EventColumns, object>(
  (_db, place) => sql`
    insert into events (company_id, id, occurred_at, type, resource_id, user_id, notify, data, previous)
    select counters.company_id, counters.last_id - ${place("total")}::bigint + event.position,
      ${place("occurred_at")}::timestamptz, event.type, event.resource_id, event.user_id, event.notify,
      event.data, nullif(event.previous, 'null')
    from counters, unnest(
      ${place("types")}::text[], ${place("resource_ids")}::bigint[], ${place("user_ids")}::bigint[],
      ${place("notify")}::boolean[], string_to_array(${place("data")}::text, E'\\n'),
      string_to_array(${place("previous")}::text, E'\\n')
    ) with ordinality as event (type, resource_id, user_id, notify, data, previous, position)
    where counters.company_id = ${place("company_id")} and counters.kind = 'events'
    returning id`,
);
