import { sql } from "kysely";
import { getTotal, totalOf } from "../db/counters.ts";
import type { Tx } from "../db/db.ts";
import { blockAt } from "../db/lists.ts";
import { prepare } from "../db/prepare.ts";
import { cutPage, type Page, type PageRequest, readPosition } from "../http/page.ts";
import type { AssignmentRow } from "./assignments.ts";
import { ALL_ASSIGNMENTS } from "./counts.ts";
import { columnsOf } from "./select.ts";

/** A page of all the company's assignments, by id: one statement, wherever the page lies. */
export async function listAll(tx: Tx, page: PageRequest): Promise<Page<AssignmentRow>> {
  const after = readPosition(page);
  const [company_id, limit] = [tx.company.id, page.per_page + 1];
  const rows = await (after === undefined
    ? selectPageAt(tx, { company_id, limit, offset: page.offset, list: ALL_ASSIGNMENTS })
    : selectPageAfter(tx, { company_id, limit, after }));
  const total = rows[0]?.total ?? (await getTotal(tx, "assignments"));
  return cutPage(page, { total, rows }, ({ id }) => id);
}

type Row = AssignmentRow & { readonly total: number };

const selectPageAt = prepare<{ company_id: number; list: string; limit: number; offset: number }, Row>(
  (_db, place) => {
    const company_id = place("company_id");
    const start = blockAt("asc", { company_id, list: place("list"), offset: place("offset") });
    return sql<Row>`
      with start as materialized (${start})
      select ${columnsOf(company_id)}, ${totalOf("assignments", company_id)} as total
      from (
        select *
        from assignments
        where company_id = ${company_id} and id >= (select bound from start)
        order by id
        limit ${place("limit")} offset ${place("offset")} - (select before from start)
      ) page
      order by id`;
  },
);

const selectPageAfter = prepare<{ company_id: number; limit: number; after: number }, Row>((_db, place) => {
  const company_id = place("company_id");
  return sql<Row>`
    select ${columnsOf(company_id)}, ${totalOf("assignments", company_id)} as total
    from (
      select *
      from assignments
      where company_id = ${company_id} and id > ${place("after")}
      order by id
      limit ${place("limit")}
    ) page
    order by id`;
});
