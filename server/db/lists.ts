import { type RawBuilder, sql } from "kysely";
import type { Tx, WriteTx } from "./db.ts";
import { prepare } from "./prepare.ts";

/** How many rows a block of a list counts. A million rows are 490 blocks: adding those up takes under a millisecond. */
const BLOCK_SIZE = 2_048;

/** Ids that came into a list, ascending and larger than all that were ever in it. */
export interface Added {
  readonly list: string;
  readonly ids: readonly number[];
}

/** Counts new ids in. Call it under the lock of the kind's counter, which is what makes the ids come in order. */
export async function addToLists(tx: WriteTx, added: readonly Added[]): Promise<void> {
  if (added.length === 0) return;
  const { rows } = await sql<{ list: string; first_id: number; total: number }>`
    select asked.list, last.first_id, last.total
    from unnest(${added.map(({ list }) => list)}::text[]) as asked (list)
    cross join lateral (
      select first_id, total from list_blocks
      where company_id = ${tx.company.id} and list_blocks.list = asked.list
      order by first_id desc limit 1
    ) last`.execute(tx.sql);
  const last = new Map(rows.map((row) => [row.list, row]));
  const blocks = added.flatMap(({ list, ids }) => fillBlocks(list, ids, last.get(list)));
  await sql`
    insert into list_blocks as block (company_id, list, first_id, total)
    select ${tx.company.id}, list, first_id, total
    from unnest(
      ${blocks.map((block) => block.list)}::text[],
      ${blocks.map((block) => block.first_id)}::bigint[],
      ${blocks.map((block) => block.total)}::integer[]
    ) as filled (list, first_id, total)
    on conflict (company_id, list, first_id) do update set total = excluded.total`.execute(tx.sql);
}

interface Block {
  readonly list: string;
  readonly first_id: number;
  readonly total: number;
}

/** The blocks that the ids change: the last one is filled up, then new ones begin. */
function fillBlocks(list: string, ids: readonly number[], last: Block | undefined): Block[] {
  const blocks: Block[] = [];
  const room = last === undefined ? 0 : Math.min(Math.max(BLOCK_SIZE - last.total, 0), ids.length);
  if (last !== undefined && room > 0) blocks.push({ ...last, total: last.total + room });
  for (let from = room; from < ids.length; from += BLOCK_SIZE) {
    const first_id = ids[from];
    if (first_id === undefined) break;
    blocks.push({ list, first_id, total: Math.min(BLOCK_SIZE, ids.length - from) });
  }
  return blocks;
}

/** Counts ids out, each from the block it lies in. */
export async function removeFromLists(
  tx: WriteTx,
  removed: readonly { readonly list: string; readonly id: number }[],
): Promise<void> {
  if (removed.length === 0) return;
  await sql`
    update list_blocks
    set total = list_blocks.total - gone.total
    from (
      select asked.list, block.first_id, count(*) as total
      from unnest(
        ${removed.map(({ list }) => list)}::text[],
        ${removed.map(({ id }) => id)}::bigint[]
      ) as asked (list, id)
      cross join lateral (
        select first_id from list_blocks
        where company_id = ${tx.company.id} and list_blocks.list = asked.list and first_id <= asked.id
        order by first_id desc limit 1
      ) block
      group by asked.list, block.first_id
    ) gone
    where company_id = ${tx.company.id} and list_blocks.list = gone.list
      and list_blocks.first_id = gone.first_id`.execute(tx.sql);
}

/** Lists that are counted anew: of a table's rows, or one for each of the things that these columns name together. */
export interface Recounted {
  readonly table: "users" | "assignments";
  readonly by: readonly string[];
}

/** Counts lists anew, after rows came in that are not the newest. Their names are the table's and the columns' values. */
export async function rebuildLists(tx: WriteTx, { table, by }: Recounted): Promise<void> {
  const columns = by.map((column) => sql.ref(column));
  const isRebuilt = by.length === 0 ? sql`list = ${table}` : sql`list like ${`${table}/%`}`;
  await sql`delete from list_blocks where company_id = ${tx.company.id} and ${isRebuilt}`.execute(tx.sql);
  const list = sql.join([sql.lit(table), ...columns.map((column) => sql`${column}::text`)], sql` || '/' || `);
  const partition = by.length === 0 ? sql`` : sql`partition by ${sql.join(columns)}`;
  const groups = sql.join([sql`company_id`, ...columns, sql`block`]);
  await sql`
    insert into list_blocks (company_id, list, first_id, total)
    select company_id, ${list}, min(id), count(*)
    from (
      select *, (row_number() over (${partition} order by id) - 1) / ${sql.lit(BLOCK_SIZE)} as block
      from ${sql.table(table)}
      where company_id = ${tx.company.id}
    ) numbered
    group by ${groups}
    on conflict (company_id, list, first_id) do nothing`.execute(tx.sql);
}

/** Where a page of a list begins: from this id on (or down from it), after skipping some rows. */
export interface Start {
  readonly id: number | null;
  readonly skip: number;
}

/**
 * Finds the row at an offset of a list that is ordered by id.
 * @returns the bound for the query: `id >= start.id` ascending, `id < start.id` descending; null for no bound.
 */
export async function findStart(
  tx: Tx,
  list: string,
  { offset, order }: { readonly offset: number; readonly order: "asc" | "desc" },
): Promise<Start> {
  if (offset < BLOCK_SIZE) return { id: null, skip: offset };
  const [block] = await selectStart[order](tx, { company_id: tx.company.id, list, offset });
  if (block !== undefined) return { id: block.bound, skip: offset - block.before };
  // Behind the end: no id meets this bound.
  return { id: order === "asc" ? Number.MAX_SAFE_INTEGER : 0, skip: 0 };
}

interface Position {
  readonly company_id: RawBuilder<number>;
  readonly list: RawBuilder<string>;
  readonly offset: RawBuilder<number>;
}

/**
 * The query for the block that an offset of a list falls in: the id that bounds it, and how many rows come before it.
 * The blocks are added up in the order of the list, and no further than to the one that is looked for.
 */
export function blockAt(order: "asc" | "desc", { company_id, list, offset }: Position) {
  const way = sql.raw(order);
  // Down a list, a block ends where the one above it begins.
  const bound = order === "asc" ? sql`first_id` : sql`lag(first_id) over way`;
  return sql<{ bound: number | null; before: number }>`
    select bound, before
    from (
      select first_id, ${bound} as bound, total, sum(total) over way - total as before
      from list_blocks
      where company_id = ${company_id} and list = ${list}
      window way as (order by first_id ${way} rows unbounded preceding)
    ) block
    where before + total > ${offset}
    order by first_id ${way} limit 1`;
}

const prepareStart = (order: "asc" | "desc") =>
  prepare<{ company_id: number; list: string; offset: number }, { bound: number | null; before: number }>(
    (_db, place) =>
      blockAt(order, { company_id: place("company_id"), list: place("list"), offset: place("offset") }),
  );
const selectStart = { asc: prepareStart("asc"), desc: prepareStart("desc") };
