import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { findStart } from "../db/lists.ts";
import { cutPage, type Page, type PageRequest, readPosition } from "../http/page.ts";
import type { AssignmentRow } from "./assignments.ts";
import { type Condition, selectAssignments } from "./select.ts";

/** What a list ordered by id shows, and how its total is found. */
export interface ListById {
  /** The list in list_blocks that holds just the rows that meet the conditions, if there is one. */
  readonly list?: string;
  readonly conditions: readonly Condition[];
  readonly total: () => Promise<number>;
}

/** A page of assignments, ordered by id. */
export async function listById(tx: Tx, page: PageRequest, asked: ListById): Promise<Page<AssignmentRow>> {
  const { from, offset } = await findFrom(tx, page, asked.list);
  const [total, rows] = await Promise.all([
    asked.total(),
    selectAssignments(tx, {
      conditions: [...asked.conditions, sql<boolean>`id >= ${from}`],
      order: sql`id`,
      limit: page.per_page + 1,
      offset,
    }),
  ]);
  return cutPage(page, { total, rows }, ({ id }) => id);
}

/** The first id that the page may show, and how many rows from there on it passes over. */
async function findFrom(
  tx: Tx,
  page: PageRequest,
  list: string | undefined,
): Promise<{ from: number; offset: number }> {
  const after = readPosition(page);
  if (after !== undefined) return { from: after + 1, offset: 0 };
  if (list === undefined) return { from: 1, offset: page.offset };
  const start = await findStart(tx, list, { offset: page.offset, order: "asc" });
  return { from: start.id ?? 1, offset: start.skip };
}
