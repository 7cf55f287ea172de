import type { Tx } from "../db/db.ts";
import { parseGrant, type Privilege } from "../privileges/privileges.ts";
import { ADMIN_ROLE_ID } from "../users/roles.ts";

/** The ids of the active people who may do this in the whole company: administrators, and those of a role that says so. */
export async function listAdministrators(tx: Tx, privilege: Privilege): Promise<number[]> {
  const roles = await tx.sql
    .selectFrom("roles")
    .select(["id", "privileges"])
    .where("company_id", "=", tx.company.id)
    .execute();
  const ids = roles
    .filter(({ id, privileges }) => id === ADMIN_ROLE_ID || hasIt(privileges, privilege))
    .map(({ id }) => id);
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

function hasIt(privileges: readonly string[] | null, privilege: Privilege): boolean {
  return (privileges ?? [])
    .map(parseGrant)
    .some((grant) => grant?.privilege === privilege && grant.scope === "all");
}
