import { type RawBuilder, sql } from "kysely";
import { getTotal } from "../db/counters.ts";
import type { Tx } from "../db/db.ts";
import { findStart } from "../db/lists.ts";
import { notFound } from "../http/problem.ts";
import { cutPage, type Page, type PageRequest, readPosition } from "../http/page.ts";
import { startOfToday } from "../time.ts";
import type { AssignmentRow, Thing } from "./assignments.ts";
import { listChanges } from "./changes.ts";
import { getCounts } from "./completions.ts";
import { ALL_ASSIGNMENTS, listOf } from "./counts.ts";
import type { AssignmentFilters, StatusName } from "./schema.ts";

/**
 * A page of all assignments, or of those that a filter leaves: by id, but the newest change first for who asks what
 * changed.
 */
export async function listAssignments(
  tx: Tx,
  page: PageRequest,
  filters: AssignmentFilters,
): Promise<Page<AssignmentRow>> {
  const { "gt[updated_at]": since, "filter[group_id]": group_id } = filters;
  const conditions = group_id === undefined ? [] : [isOfGroup(tx, group_id)];
  if (since !== undefined) return listChanges(tx, page, { since, conditions });
  if (conditions.length > 0) {
    return listById(tx, page, { conditions, total: () => countAssignments(tx, conditions) });
  }
  return listById(tx, page, { list: ALL_ASSIGNMENTS, conditions, total: () => getTotal(tx, "assignments") });
}

/** A page of the assignments of a lesson, path or course, by id. @throws Problem 404 */
export async function listOfThing(tx: Tx, page: PageRequest, thing: Thing): Promise<Page<AssignmentRow>> {
  const { assignable_type, assignable_id } = thing;
  return listById(tx, page, {
    list: listOf(thing),
    conditions: [
      sql<boolean>`assignments.assignable_type = ${assignable_type}`,
      sql<boolean>`assignments.assignable_id = ${assignable_id}`,
    ],
    total: async () => (await getCounts(tx, thing)).assignees_count,
  });
}

/** A page of the assignments in a status, by id. The four lists partition all assignments. */
export async function listByStatus(
  tx: Tx,
  page: PageRequest,
  status: StatusName,
): Promise<Page<AssignmentRow>> {
  const today = startOfToday(tx.now, tx.company.time_zone);
  return listById(tx, page, {
    conditions: [conditionsOfStatus[status](today)],
    total: () => getStatusTotal(tx, status, today),
  });
}

/** All assignments of a user, by id. @throws Problem 404 */
export async function listOfUser(tx: Tx, user_id: number): Promise<AssignmentRow[]> {
  const [user, { rows }] = await Promise.all([
    tx.sql
      .selectFrom("users")
      .select("id")
      .where("company_id", "=", tx.company.id)
      .where("id", "=", user_id)
      .executeTakeFirst(),
    sql<AssignmentRow>`
      ${selectAssignments(tx)}
      where assignments.company_id = ${tx.company.id} and assignments.assignee_id = ${user_id}
      order by assignments.id`.execute(tx.sql),
  ]);
  if (user === undefined) throw notFound("User");
  return rows;
}
