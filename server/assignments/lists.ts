import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { notFound } from "../http/problem.ts";
import type { Page, PageRequest } from "../http/page.ts";
import { type Assignment, type AssignmentRow, type Thing, toAssignments } from "./assignments.ts";
import { listAll } from "./all.ts";
import { listById } from "./by-id.ts";
import { listChanges } from "./changes.ts";
import { getCounts } from "./completions.ts";
import { type ListedAssignment, toListedAssignments } from "./contents.ts";
import { listOf } from "./counts.ts";
import type { AssignmentFilters } from "./schema.ts";
import { countRows, isOfGroup, selectAssignments } from "./select.ts";

/** A page of all assignments, or of those that changed after a moment, as version 1 lists them. */
export async function listAssignments(
  tx: Tx,
  page: PageRequest,
  { "gt[updated_at]": since }: AssignmentFilters,
): Promise<Page<Assignment>> {
  const found = await findPage(tx, page, since === undefined ? {} : { "gt[updated_at]": since });
  return { ...found, rows: toAssignments(tx, found.rows) };
}

/** A page of assignments as version 1.1 lists them: it can ask for a group's, and shows the contents of paths. */
export async function listAssignmentsInFull(
  tx: Tx,
  page: PageRequest,
  filters: AssignmentFilters,
): Promise<Page<ListedAssignment>> {
  const found = await findPage(tx, page, filters);
  return { ...found, rows: await toListedAssignments(tx, found.rows) };
}

/** A page of the assignments of a lesson, path or course, by id. @throws Problem 404 */
export async function listOfThing(tx: Tx, page: PageRequest, thing: Thing): Promise<Page<Assignment>> {
  const { assignable_type, assignable_id } = thing;
  const found = await listById(tx, page, {
    list: listOf(thing),
    conditions: [
      sql<boolean>`assignable_type = ${assignable_type}`,
      sql<boolean>`assignable_id = ${assignable_id}`,
    ],
    total: async () => (await getCounts(tx, thing)).assignees_count,
  });
  return { ...found, rows: toAssignments(tx, found.rows) };
}

/** All assignments of a user, by id. @throws Problem 404 */
export async function listOfUser(tx: Tx, user_id: number): Promise<Assignment[]> {
  const [user, rows] = await Promise.all([
    tx.sql
      .selectFrom("users")
      .select("id")
      .where("company_id", "=", tx.company.id)
      .where("id", "=", user_id)
      .executeTakeFirst(),
    selectAssignments(tx, {
      conditions: [sql<boolean>`assignee_id = ${user_id}`],
      order: sql`id`,
      limit: null,
      offset: 0,
    }),
  ]);
  if (user === undefined) throw notFound("User");
  return toAssignments(tx, rows);
}

async function findPage(
  tx: Tx,
  page: PageRequest,
  { "gt[updated_at]": since, "filter[group_id]": group_id }: AssignmentFilters,
): Promise<Page<AssignmentRow>> {
  const conditions = group_id === undefined ? [] : [isOfGroup(tx, group_id)];
  if (since !== undefined) return listChanges(tx, page, { since, conditions });
  if (group_id === undefined) return listAll(tx, page);
  return listById(tx, page, { conditions, total: () => countRows(tx, conditions) });
}
