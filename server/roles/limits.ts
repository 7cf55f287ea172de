import type { Tx } from "../db/db.ts";
import { forbidden, notFound } from "../http/problem.ts";
import {
  covers,
  type Grant,
  grantsOfRole,
  nobody,
  parseGrant,
  scopesOf,
  toGrantText,
  type Viewer,
} from "../privileges/privileges.ts";
import { builtInRoles } from "../users/roles.ts";

/**
 * Makes sure that the caller may themselves what they are about to let others do: nobody gives more than they have.
 * @throws Problem 403 that names what they lack.
 */
export function requireToHave(viewer: Viewer, grants: readonly Grant[]): void {
  const lacking = grants.filter((grant) => isMoreThan(viewer, grant)).map(toGrantText);
  if (lacking.length === 0) return;
  throw forbidden(`Nobody can give what they lack themselves: ${lacking.join(", ")}`);
}

/**
 * Makes sure that the caller may themselves all that these roles let somebody do: otherwise who may change users could
 * make themselves an administrator, or take an administrator's account over. Nobody yet, as at a single sign-on, is
 * given what the company's settings say.
 * @throws Problem 403
 */
export async function requireNoLessThan(tx: Tx, roleIds: readonly (number | undefined)[]): Promise<void> {
  if (mayAll(tx.viewer)) return;
  for (const id of new Set(roleIds)) {
    if (id !== undefined) requireToHave(tx.viewer, await getGrants(tx, id));
  }
}

/**
 * The same for the role that somebody has, whom the caller is about to archive, restore or erase. Nobody at all is no
 * matter of roles.
 * @throws Problem 403
 */
export async function requireNoLessThanUser(tx: Tx, user_id: number): Promise<void> {
  if (mayAll(tx.viewer)) return;
  const user = await tx.sql
    .selectFrom("users")
    .select("role_id")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .executeTakeFirst();
  await requireNoLessThan(tx, [user?.role_id]);
}

/** Who may everything, as full keys and administrators, needs no look into roles. */
function mayAll(viewer: Viewer): boolean {
  return viewer === nobody || !grantsOfRole("admin").some((grant) => isMoreThan(viewer, grant));
}

/**
 * Whether a grant would give power that the viewer lacks. What can only ever reach one's own, as learning, is none: a
 * key is nobody and can't have it, and makes learners all the same.
 */
function isMoreThan(viewer: Viewer, grant: Grant): boolean {
  const reachesOthers = scopesOf(grant.privilege).some((scope) => scope !== "own");
  return reachesOthers && !covers(viewer, grant);
}

/** What a role lets do. @throws Problem 404 */
async function getGrants(tx: Tx, role_id: number): Promise<Grant[]> {
  const builtIn = builtInRoles.find(({ id }) => id === role_id);
  if (builtIn !== undefined) return grantsOfRole(builtIn.name);
  const role = await tx.sql
    .selectFrom("roles")
    .select("privileges")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", role_id)
    .executeTakeFirst();
  if (role === undefined) throw notFound("Role");
  return (role.privileges ?? []).map(parseGrant).filter((grant) => grant !== undefined);
}
