import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import { gone, invalid } from "../http/problem.ts";
import { utcTime } from "../time.ts";
import type { Event, Events, EventsQuery, FeedPosition } from "./v2-schema.ts";

/** Events that one request looks at, where it asks for a rare type: what is beyond comes with the next one. */
const MOST_LOOKED_AT = 20_000;

/**
 * A page of the change feed, in the order that things were committed. A reader that goes on with `next` sees each event
 * once, and none is missing.
 * @throws Problem 410 where the reader has fallen behind what is kept, or is ahead of the feed; 422
 */
export async function listEvents(tx: Tx, query: EventsQuery): Promise<Events> {
  const { limit = 100 } = query;
  // Read before the events: all up to it are committed, as the row stays locked until they are.
  const { position, oldest } = await getPosition(tx);
  const after = query.after ?? (oldest ?? position + 1) - 1;
  if (after > position) throw ahead(after, position);
  if (after < (oldest ?? position + 1) - 1) throw behind(after);
  const until = Math.min(position, after + MOST_LOOKED_AT);
  const rows = after === until ? [] : await selectEvents(tx, { ...typesOf(query), after, until, limit });
  const last = rows.at(-1);
  return { data: rows.map(toEvent), next: rows.length === limit && last !== undefined ? last.id : until };
}

/** Where the feed is now, and where what is kept of it begins. */
export async function getPosition(tx: Tx): Promise<FeedPosition> {
  const [row] = await selectPosition(tx, { company_id: tx.company.id });
  if (row === undefined) throw new Error(`company ${tx.company.id} lacks a counter of events`);
  return row;
}

const selectPosition = prepare<{ company_id: number }, FeedPosition>(
  (_db, place) => sql<FeedPosition>`
    select last_id as position, (
      select id
      from events
      where company_id = ${place("company_id")} and id > (
        select events_forgotten_through from companies where company_id = ${place("company_id")}
      )
      order by id
      limit 1
    ) as oldest
    from counters
    where company_id = ${place("company_id")} and kind = 'events'`,
);

/** The newest event's id. Where an account was imported, the ids go on from those that it had elsewhere. */
export async function getNewest(tx: Tx): Promise<number> {
  const newest = await findNewest(tx);
  if (newest === undefined) throw new Error(`company ${tx.company.id} lacks a counter of events`);
  return newest;
}

/** The same; undefined where the company has been deleted meanwhile. */
export async function findNewest(tx: Tx): Promise<number | undefined> {
  const [row] = await selectNewest(tx, { company_id: tx.company.id });
  return row?.last_id;
}

const selectNewest = prepare<{ company_id: number }, { last_id: number }>((db, place) =>
  db
    .selectFrom("counters")
    .select("last_id")
    .where("company_id", "=", place("company_id"))
    .where("kind", "=", "events"),
);

function behind(after: number) {
  return gone(
    `Event ${after + 1} is no longer kept. Ask for GET /api/v2/events/position, copy the account anew, then follow from that position`,
  );
}

function ahead(after: number, position: number) {
  return gone(
    `There is no event ${after}: the newest is ${position}. Where the account was restored from a backup, ask for GET /api/v2/events/position and copy it anew`,
  );
}

/** Types of events that are asked for. */
export interface Types {
  /** Null for all. */
  readonly names: readonly string[] | null;
  /** What a type begins with, such as `user.`. */
  readonly beginnings: readonly string[];
}

/** Every event. */
export const ALL_TYPES: Types = { names: null, beginnings: [] };

/** Reads such as `user.*` and `assignment.completed`. */
export function readTypes(types: readonly string[]): Types {
  return {
    names: types.filter((type) => !type.endsWith("*")),
    beginnings: types.filter((type) => type.endsWith("*")).map((type) => type.slice(0, -1)),
  };
}

function typesOf({ types }: EventsQuery): Types {
  if (types === undefined) return ALL_TYPES;
  const asked = types.split(",");
  if (asked.length > MOST_TYPES) {
    throw invalid({ field: "types", message: `names more than ${MOST_TYPES}: leave it out for all` });
  }
  return readTypes(asked);
}

const MOST_TYPES = 50;

/** An event as it is stored, with what followers ask besides. */
export interface StoredEvent {
  readonly id: number;
  readonly type: string;
  readonly occurred_at: string;
  readonly resource_id: number | null;
  readonly user_id: number | null;
  /** Whether people may be mailed for it. */
  readonly notify: boolean;
  /** JSON, as it was written. */
  readonly data: string;
  readonly previous: string | null;
}

/** Which events: those after one, up to another, in their order. */
export interface Stretch extends Types {
  readonly after: number;
  readonly until: number;
  readonly limit: number;
}

/** The events of a stretch of the feed, in order. */
export function selectEvents(tx: Tx, stretch: Stretch): Promise<StoredEvent[]> {
  return select(tx, { ...stretch, company_id: tx.company.id });
}

const select = prepare<Stretch & { readonly company_id: number }, StoredEvent>(
  (_db, place) => sql<StoredEvent>`
    select id, type, occurred_at, resource_id, user_id, notify, data, previous
    from events
    where company_id = ${place("company_id")} and id > ${place("after")}::bigint and id <= ${place("until")}::bigint
      and (
        ${place("names")}::text[] is null or type = any(${place("names")}::text[])
        or split_part(type, '.', 1) || '.' = any(${place("beginnings")}::text[])
      )
    order by id
    limit ${place("limit")}`,
);

function toEvent({ id, type, occurred_at, data, previous }: StoredEvent): Event {
  return {
    id,
    type,
    occurred_at: utcTime(occurred_at),
    data: JSON.parse(data),
    previous: previous === null ? null : JSON.parse(previous),
  };
}
