import { type RawBuilder, sql } from "kysely";
import type { Tx, WriteTx } from "./db.ts";
import { prepare } from "./prepare.ts";

/** The kinds of things that are counted; each company has a row in `counters` for each. */
export const kinds = [
  "active_rules",
  "api_keys",
  "assignments",
  "assignments/Completed",
  "assignments/Grade Pending",
  "assignments/Incomplete",
  "attempts",
  "bulk_jobs",
  "certificates",
  "courses",
  "custom_user_field_values",
  "custom_user_fields",
  "events",
  "file_bytes",
  "files",
  "group_assignments",
  "groups",
  "lessons",
  "mails",
  "path_items",
  "paths",
  "roles",
  "sessions",
  "sign_in_links",
  "tags",
  "uploads",
  "users",
  "webhook_endpoints",
] as const;

export type Kind = (typeof kinds)[number];

/**
 * Begins a write: locks the counters of every kind that it may change, until it commits. Call it once, before anything
 * is read, with all the kinds: the rows are locked in the order of their names, so two writes never wait for each
 * other; and as they come one after the other, what a write reads stays true until it commits. That of events comes last,
 * as every write takes it at its end; who locks rows between the others and that one may call it a second time for it.
 * @returns the time of the write, as PostgreSQL text. It is later than that of every write of these kinds that was
 * committed before, and readers see this write before any later one. So a poller that asks for what changed after the
 * largest updated_at it has seen misses nothing (the contract's `gt[updated_at]`).
 */
export async function lockCounters(tx: WriteTx, ...kindsToLock: readonly Kind[]): Promise<string> {
  const [row] = await selectAndLock(tx, { company_id: tx.company.id, kinds: kindsToLock });
  if (row?.at == null || row.locked !== new Set(kindsToLock).size) {
    throw new Error(`company ${tx.company.id} lacks a counter among ${kindsToLock.join(", ")}`);
  }
  return row.at;
}

const selectAndLock = prepare<
  { company_id: number; kinds: readonly Kind[] },
  { at: string | null; locked: number }
>(
  (_db, place) => sql`
    select max(next) as at, count(*) as locked
    from (
      select greatest(clock_timestamp(), moved_at + interval '1 microsecond') as next
      from counters
      where company_id = ${place("company_id")} and kind = any(${place("kinds")})
      order by kind = 'events', kind
      for update
    ) counter`,
);

/** What a write adds to a kind: ids it takes, and by how much the total moves. */
export interface Movement {
  readonly kind: Kind;
  readonly ids?: number;
  readonly total: number;
  readonly at: string;
}

/**
 * Moves a counter that lockCounters has locked.
 * @returns the first of the ids taken; the others follow it.
 */
export async function moveCounter(tx: WriteTx, movement: Movement): Promise<number> {
  const ids = movement.ids ?? 0;
  const { last_id } = await tx.sql
    .updateTable("counters")
    .set((eb) => ({
      last_id: eb("last_id", "+", ids),
      total: eb("total", "+", movement.total),
      moved_at: movement.at,
    }))
    .where("company_id", "=", tx.company.id)
    .where("kind", "=", movement.kind)
    .returning("last_id")
    .executeTakeFirstOrThrow();
  return last_id - ids + 1;
}

/** Moves the totals of several kinds with one statement. It takes no ids; lockCounters has locked the counters. */
export async function moveTotals(
  tx: WriteTx,
  moves: readonly { readonly kind: Kind; readonly total: number }[],
  at: string,
): Promise<void> {
  await updateTotals(tx, {
    company_id: tx.company.id,
    at,
    kinds: moves.map(({ kind }) => kind),
    totals: moves.map(({ total }) => total),
  });
}

const updateTotals = prepare<
  { company_id: number; at: string; kinds: readonly Kind[]; totals: readonly number[] },
  object
>(
  (_db, place) => sql`
    update counters
    set total = counters.total + moved.total, moved_at = ${place("at")}
    from unnest(${place("kinds")}::text[], ${place("totals")}::bigint[]) as moved (kind, total)
    where counters.company_id = ${place("company_id")} and counters.kind = moved.kind`,
);

/** How many things of a kind the company has, without counting them. */
export async function getTotal(tx: Tx, kind: Kind): Promise<number> {
  const [row] = await selectTotal(tx, { company_id: tx.company.id, kind });
  if (row === undefined) throw new Error(`company ${tx.company.id} lacks a counter of ${kind}`);
  return row.total;
}

const selectTotal = prepare<{ company_id: number; kind: Kind }, { total: number }>((db, place) =>
  db
    .selectFrom("counters")
    .select("total")
    .where("company_id", "=", place("company_id"))
    .where("kind", "=", place("kind")),
);

/** The total as a column of a list's rows: so a page and its total come with one statement. */
export function totalOf(kind: Kind, company_id: RawBuilder<number>): RawBuilder<number> {
  return sql<number>`(select total from counters where company_id = ${company_id} and kind = ${sql.lit(kind)})`;
}
