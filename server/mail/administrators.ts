import type { Tx } from "../db/db.ts";
import { grantsOfRole, parseGrant, type Privilege, type Scope } from "../privileges/privileges.ts";
import { builtInRoles } from "../users/roles.ts";

/** What somebody must be allowed to be told of something, and how far it must reach. */
export interface Needed {
  readonly privilege: Privilege;
  readonly scopes: readonly Scope[];
}

/** What a manager's week needs: who may not see reports is told none by mail. */
export const REPORTS_OF_GROUPS: Needed = { privilege: "reports.read", scopes: ["all", "managed"] };
/** What it needs to be told of webhooks. */
export const WEBHOOKS: Needed = { privilege: "webhooks.write", scopes: ["all"] };

/** The ids of the active people who may do this: administrators, and those of a role that says so. */
export async function listAdministrators(tx: Tx, needed: Needed): Promise<number[]> {
  const ids = await listRolesWith(tx, needed);
  const users = await tx.sql
    .selectFrom("users")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("role_id", "=", eb.fn.any(eb.val(ids))))
    .where("archived_at", "is", null)
    .orderBy("id")
    .limit(MOST_TOLD)
    .execute();
  return users.map(({ id }) => id);
}

/** A company where everybody is an administrator has enough of them who know. */
const MOST_TOLD = 100;

/** Whether somebody may do this now: their role may have changed since it was noted that they are to be told. */
export async function maySee(tx: Tx, user_id: number, needed: Needed): Promise<boolean> {
  const user = tx.sql
    .selectFrom("users")
    .select("role_id")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id);
  const [ids, found] = await Promise.all([listRolesWith(tx, needed), user.executeTakeFirst()]);
  return found !== undefined && ids.includes(found.role_id);
}

/** The ids of the roles whose people may do this. */
export async function listRolesWith(tx: Tx, { privilege, scopes }: Needed): Promise<number[]> {
  const roles = await tx.sql
    .selectFrom("roles")
    .select(["id", "privileges"])
    .where("company_id", "=", tx.company.id)
    .execute();
  return roles
    .filter((role) =>
      grantsOf(role).some((grant) => grant?.privilege === privilege && scopes.includes(grant.scope)),
    )
    .map(({ id }) => id);
}

interface StoredRole {
  readonly id: number;
  readonly privileges: readonly string[] | null;
}

function grantsOf({ id, privileges }: StoredRole) {
  const builtIn = builtInRoles.find((role) => role.id === id);
  return builtIn === undefined ? (privileges ?? []).map(parseGrant) : grantsOfRole(builtIn.name);
}
