import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { invalid } from "../http/problem.ts";
import { cutPage, type Page, type PageRequest } from "../http/page.ts";
import { parseMoment } from "../time.ts";
import type { AssignmentRow } from "./assignments.ts";
import { type Condition, countRows, selectAssignments } from "./select.ts";

/** What changed after a moment, of the assignments that meet the conditions. */
export interface ChangeRequest {
  /** A date or a timestamp, as the caller wrote it. */
  readonly since: string;
  readonly conditions: readonly Condition[];
}

/**
 * A page of what changed, the newest change first. Who walks the pages while rows change, and then asks for what
 * changed after the largest updated_at they have seen, misses nothing:
 *
 * - Within a company, changes become visible in the order of their updated_at (the lock on the counter sees to that).
 *   So what becomes visible after the first page was read is newer than all that stands on it.
 * - A row that changes during the walk moves to the front, past the pages that were read. The walk may not show it,
 *   but its time is larger than the largest seen, which stood on page 1: the next poll does.
 *
 * By id it would be missed: one that was read changes, then one that was not; the walk shows the second, and the poll
 * that goes on from its time leaves out the first.
 */
export async function listChanges(
  tx: Tx,
  page: PageRequest,
  { since, conditions }: ChangeRequest,
): Promise<Page<AssignmentRow>> {
  const moment = parseMoment(since);
  if (moment === undefined)
    throw invalid({ field: "gt[updated_at]", message: "must be a date or a timestamp" });
  const asked = [...conditions, sql<boolean>`updated_at > ${moment}`];
  const position = readChangePosition(page);
  const [total, rows] = await Promise.all([
    conditions.length === 0 ? countChanges(tx, moment) : countRows(tx, asked),
    selectAssignments(tx, {
      conditions: position === undefined ? asked : [...asked, isBehind(position)],
      order: sql`updated_at desc, id desc`,
      limit: page.per_page + 1,
      offset: position === undefined ? page.offset : 0,
    }),
  ]);
  return cutPage(page, { total, rows }, toPosition);
}

/**
 * How many assignments changed after a moment. Who begins to follow them asks since long ago: then it is all of them,
 * which is known without counting a million rows anew for each page.
 */
async function countChanges(tx: Tx, moment: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select case
      when exists (select from assignments where company_id = ${tx.company.id} and updated_at <= ${moment})
      then (select count(*) from assignments where company_id = ${tx.company.id} and updated_at > ${moment})
      else (select total from counters where company_id = ${tx.company.id} and kind = 'assignments')
    end as total`.execute(tx.sql);
  return rows[0]?.total ?? 0;
}

/** Where a row stands among the changes. */
interface Position {
  readonly updated_at: string;
  readonly id: number;
}

function isBehind({ updated_at, id }: Position): Condition {
  return sql<boolean>`(updated_at, id) < (${updated_at}::timestamptz, ${id}::bigint)`;
}

/** `2026-12-31T09:00:00.123456Z~17`: with every digit that is stored, as rows of one second are told apart by them. */
function toPosition({ updated_at, id }: Position): string {
  return `${updated_at.slice(0, 10)}T${updated_at.slice(11, -"+00".length)}Z~${id}`;
}

function readChangePosition({ after }: PageRequest): Position | undefined {
  if (after === undefined) return undefined;
  const [, time = "", id = ""] = /^([^~]+)~([1-9][0-9]{0,15})$/.exec(after) ?? [];
  const updated_at = parseMoment(time);
  if (updated_at === undefined) throw invalid({ field: "after", message: "is no position of this list" });
  return { updated_at, id: Number(id) };
}
