import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";
import type { Tx } from "../db/db.ts";
import { notFound } from "../http/problem.ts";
import type { Privilege, Viewer } from "../privileges/privileges.ts";

/**
 * Whether a privilege of the viewer reaches a user, as a condition: everybody; the members of groups that the viewer
 * manages, archived groups left out; or oneself. Archived users are reached like others, as their results stay.
 * @param user_id the user's id, as a column or a value of the query that the condition stands in.
 */
export function isVisibleUser(
  tx: Pick<Tx, "company" | "viewer">,
  privilege: Privilege,
  user_id: Expression<number | null>,
): RawBuilder<SqlBool> {
  const scope = tx.viewer.scope(privilege);
  if (scope === "all") return sql<SqlBool>`true`;
  // A key is nobody: it manages no groups and has nothing of its own.
  if (scope === undefined || tx.viewer.user_id === null) return sql<SqlBool>`false`;
  if (scope === "own") return sql<SqlBool>`${user_id} = ${tx.viewer.user_id}`;
  return sql<SqlBool>`exists (
    select from memberships as managing
    join groups as managed on managed.company_id = ${tx.company.id} and managed.id = managing.group_id
    join memberships as held on held.company_id = ${tx.company.id} and held.group_id = managing.group_id
    where managing.company_id = ${tx.company.id} and managing.user_id = ${tx.viewer.user_id}
      and managing.role = 'manager' and managed.archived_at is null
      and held.role = 'member' and held.user_id = ${user_id})`;
}

/**
 * Makes sure that a privilege of the viewer reaches a user who is there.
 * @throws Problem 404, whether there is no such user or the viewer may not know of them.
 */
export async function requireVisibleUser(tx: Tx, privilege: Privilege, user_id: number): Promise<void> {
  const found = await tx.sql
    .selectFrom("users")
    .select("users.id")
    .where("users.company_id", "=", tx.company.id)
    .where("users.id", "=", user_id)
    .where(isVisibleUser(tx, privilege, sql.ref<number>("users.id")))
    .executeTakeFirst();
  if (found === undefined) throw notFound("User");
}

/** Whether the viewer's privilege reaches everybody, so that no query needs narrowing. */
export function reachesEverybody(viewer: Viewer, privilege: Privilege): boolean {
  return viewer.scope(privilege) === "all";
}
