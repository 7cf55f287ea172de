import { sql } from "kysely";
import { toSummary } from "../db/archive.ts";
import type { Tx } from "../db/db.ts";
import type { PathContent } from "./schema.ts";

/** A thing with a title in a path: a lesson or a nested path. */
interface TitledItem<Kind extends "lesson" | "path"> {
  readonly path_id: number;
  readonly resource_type: Kind;
  readonly id: number;
  readonly title: string;
  readonly archived_at: string | null;
  readonly archived_by_user_id: number | null;
}

interface WaitStepItem {
  readonly path_id: number;
  readonly resource_type: "wait_step";
  readonly id: number;
  readonly effect: string;
  readonly condition: string;
  readonly unit: string;
  readonly amount: number;
  /** The day that it waits for, where its condition is `date`. */
  readonly wait_until: string | null;
}

interface PlaceholderItem {
  readonly path_id: number;
  readonly resource_type: "placeholder";
  readonly id: number;
  readonly description: string | null;
}

/** An item of a path, on its own level; `id` is the lesson's or nested path's, or the item's own. */
export type StructureItem = TitledItem<"lesson"> | TitledItem<"path"> | WaitStepItem | PlaceholderItem;

/** The items of paths in order, by path: those that were asked for and all that are nested in them, each path once. */
export type Structures = ReadonlyMap<number, readonly StructureItem[]>;

/** Reads the structures of paths, with all that is nested in them, in one statement. A path without items is absent. */
export async function findStructures(tx: Tx, pathIds: readonly number[]): Promise<Structures> {
  const company_id = tx.company.id;
  // UNION forgets what it has seen, so a path is read once, however many paths hold it. OFFSET 0 makes PostgreSQL look
  // each path's items up: without it every level reads the items of all paths.
  const { rows } = await sql<StructureItem>`
    with recursive reachable (path_id) as (
      select id from paths where company_id = ${company_id} and id = any(${[...pathIds]}::bigint[])
      union
      select item.nested_path_id
      from reachable
      cross join lateral (
        select nested_path_id from path_items
        where company_id = ${company_id} and path_id = reachable.path_id and nested_path_id is not null
        offset 0
      ) item
    )
    select item.path_id, item.resource_type, coalesce(item.lesson_id, item.nested_path_id, item.item_id) as id,
      coalesce(lesson.title, nested.title) as title,
      coalesce(lesson.archived_at, nested.archived_at) as archived_at,
      coalesce(lesson.archived_by_user_id, nested.archived_by_user_id) as archived_by_user_id,
      item.effect, item.condition, item.unit, item.amount, item.wait_until, item.description
    from reachable
    join path_items item on item.company_id = ${company_id} and item.path_id = reachable.path_id
    left join lessons lesson on lesson.company_id = ${company_id} and lesson.id = item.lesson_id
    left join paths nested on nested.company_id = ${company_id} and nested.id = item.nested_path_id
    order by item.path_id, item.position`.execute(tx.sql);
  return Map.groupBy(rows, ({ path_id }) => path_id);
}

/**
 * Makes the contents of every path of the structures, as answers show them. What is nested is the nested path's own
 * array, not a copy: no depth overflows the stack here, and a path that many hold is made once.
 */
export function toContents(tx: Tx, structures: Structures): ReadonlyMap<number, PathContent[]> {
  const contents = new Map<number, PathContent[]>();
  const contentsOf = (path_id: number): PathContent[] => {
    const known = contents.get(path_id) ?? [];
    contents.set(path_id, known);
    return known;
  };
  for (const [path_id, items] of structures) {
    const own = contentsOf(path_id);
    for (const item of items) own.push(toContent(tx, item, contentsOf));
  }
  return contents;
}

function toContent(tx: Tx, item: StructureItem, contentsOf: (path_id: number) => PathContent[]): PathContent {
  switch (item.resource_type) {
    case "lesson":
      return { resource_type: "lesson", ...toSummary(tx, item) };
    case "path":
      return { resource_type: "path", ...toSummary(tx, item), contents: contentsOf(item.id) };
    case "wait_step": {
      const { resource_type, id, effect, condition, unit, amount } = item;
      return { resource_type, id, effect, condition, unit, amount };
    }
    default:
      return { resource_type: "placeholder", id: item.id, description: item.description };
  }
}
