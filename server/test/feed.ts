import { sql } from "kysely";
import { selectAssignments } from "../assignments/select.ts";
import { showAssignment } from "../assignments/show.ts";
import { certificateEvents } from "../certificates/events.ts";
import type { Company } from "../companies/companies.ts";
import { courseEvents } from "../courses/events.ts";
import type { Database, Tx } from "../db/db.ts";
import type { Followed } from "../events/changes.ts";
import { groupEvents } from "../groups/events.ts";
import { lessonEvents } from "../lessons/events.ts";
import { pathEvents } from "../paths/events.ts";
import { startOfToday } from "../time.ts";
import { userEvents } from "../users/events.ts";

/** An event as the table has it. */
export interface StoredEvent {
  readonly id: number;
  readonly type: string;
  readonly resource_id: number | null;
  readonly user_id: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly previous: Readonly<Record<string, unknown>> | null;
  readonly notify: boolean;
}

/** The events of a company that are newer than one, in their order. */
export async function readEvents(database: Database, company: Company, after = 0): Promise<StoredEvent[]> {
  return database.read(company, async (tx) => {
    const { rows } = await sql<
      Omit<StoredEvent, "data" | "previous"> & { data: string; previous: string | null }
    >`
      select id, type, resource_id, user_id, data, previous, notify
      from events
      where company_id = ${tx.company.id} and id > ${after}
      order by id`.execute(tx.sql);
    return rows.map(({ data, previous, ...event }) => ({
      ...event,
      data: JSON.parse(data),
      previous: previous === null ? null : JSON.parse(previous),
    }));
  });
}

/** What there is in an account: by kind, by what names it, as events show it. */
export type Account = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

/** A kind of thing that events tell of from its beginning to its end. */
export interface AccountKind {
  /** What its events' types begin with. */
  readonly name: string;
  /** What names one of them, in its events and in its tombstones. */
  readonly keyOf: (data: Readonly<Record<string, unknown>>) => string;
  /** All of them, as they are now. */
  readonly read: (tx: Tx) => Promise<readonly object[]>;
}

/** What is happenings alone, without a state of the thing: whoever rebuilds an account leaves it out. */
const happenings = new Set(["lesson.completed"]);

/** The kinds that a feed can be held against, whatever else a test makes without telling. */
export const accountKinds: readonly AccountKind[] = [
  followedKind(userEvents, "users"),
  followedKind(groupEvents, "groups"),
  {
    name: "membership",
    keyOf: ({ group_id, role, user_id }) => `${group_id} ${role} ${user_id}`,
    read: (tx) =>
      tx.sql
        .selectFrom("memberships")
        .select(["group_id", "user_id", "role"])
        .where("company_id", "=", tx.company.id)
        .execute(),
  },
];

/** The kinds that a feed can be held against where content and assignments too are made by the API alone. */
export const allKinds: readonly AccountKind[] = [
  ...accountKinds,
  followedKind(lessonEvents, "lessons"),
  followedKind(pathEvents, "paths"),
  followedKind(courseEvents, "courses"),
  followedKind(certificateEvents, "certificates"),
  {
    name: "assignment",
    keyOf: ({ id }) => String(id),
    async read(tx) {
      const all = { conditions: [sql<boolean>`true`], order: sql`id`, limit: null, offset: 0 };
      const today = startOfToday(tx.now, tx.company.time_zone);
      return (await selectAssignments(tx, all)).map((row) => showAssignment(row, today));
    },
  },
];

/** A kind whose things are named by their ids, in the table of its name. */
export function followedKind(
  kind: Followed,
  table: "users" | "groups" | "lessons" | "paths" | "courses" | "certificates",
): AccountKind {
  return {
    name: kind.name,
    keyOf: ({ id }) => String(id),
    async read(tx) {
      const rows = await tx.sql
        .selectFrom(table)
        .select("id")
        .where("company_id", "=", tx.company.id)
        .execute();
      const states = await kind.read(
        tx,
        rows.map(({ id }) => id),
      );
      return [...states.values()];
    },
  };
}

/** What a reader has who has copied an account and then does what its events say. */
export function rebuild(
  events: Iterable<StoredEvent>,
  copy: Account = new Map(),
  kinds: readonly AccountKind[] = accountKinds,
): Account {
  const account = new Map(kinds.map(({ name }) => [name, new Map<string, unknown>(copy.get(name))] as const));
  for (const { type, data } of events) {
    const [name = "", what] = type.split(".");
    const kind = kinds.find((one) => one.name === name);
    if (kind === undefined || happenings.has(type)) continue;
    const things = account.get(name);
    if (what === "deleted") things?.delete(kind.keyOf(data));
    else things?.set(kind.keyOf(data), data);
  }
  return account;
}

/** The account itself, as its tables have it. */
export async function readAccount(tx: Tx, kinds: readonly AccountKind[] = accountKinds): Promise<Account> {
  const account = new Map<string, Map<string, unknown>>();
  for (const { name, keyOf, read } of kinds) {
    // As JSON has it: a state may say undefined where what was told says nothing.
    const states: Record<string, unknown>[] = JSON.parse(JSON.stringify(await read(tx)));
    account.set(name, new Map(states.map((state) => [keyOf(state), state])));
  }
  return account;
}
