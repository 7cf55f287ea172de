import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";
import type { Tx } from "../db/db.ts";
import { conflict, notFound } from "../http/problem.ts";
import type { Privilege } from "../privileges/privileges.ts";

/**
 * Whether a privilege of the viewer reaches a group, as a condition: every group, or those that the viewer manages.
 * @param group_id the group's id, as a column or a value of the query that the condition stands in.
 */
export function isVisibleGroup(
  tx: Pick<Tx, "company" | "viewer">,
  privilege: Privilege,
  group_id: Expression<number>,
): RawBuilder<SqlBool> {
  if (tx.viewer.scope(privilege) === "all") return sql<SqlBool>`true`;
  // A key is nobody: it manages no groups.
  if (tx.viewer.scope(privilege) !== "managed" || tx.viewer.user_id === null) return sql<SqlBool>`false`;
  return sql<SqlBool>`exists (
    select from memberships as managing
    where managing.company_id = ${tx.company.id} and managing.group_id = ${group_id}
      and managing.role = 'manager' and managing.user_id = ${tx.viewer.user_id})`;
}

/**
 * Makes sure that a privilege of the viewer reaches a group that is there.
 * @throws Problem 404, whether there is no such group or the viewer may not know of it.
 */
export async function requireVisibleGroup(
  tx: Tx,
  privilege: Privilege,
  group_id: number,
): Promise<{ readonly archived_at: string | null }> {
  const found = await tx.sql
    .selectFrom("groups")
    .select("archived_at")
    .where("groups.company_id", "=", tx.company.id)
    .where("groups.id", "=", group_id)
    .where(isVisibleGroup(tx, privilege, sql.ref<number>("groups.id")))
    .executeTakeFirst();
  if (found === undefined) throw notFound("Group");
  return found;
}

/** Makes sure that a group can be changed. @throws Problem 404, 409 for an archived one. */
export async function requireActiveGroup(tx: Tx, privilege: Privilege, group_id: number): Promise<void> {
  const { archived_at } = await requireVisibleGroup(tx, privilege, group_id);
  if (archived_at !== null) throw conflict("This group is archived: restore it first");
}
