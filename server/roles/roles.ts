import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { requireMatch } from "../http/match.ts";
import { conflict, invalid, notFound } from "../http/problem.ts";
import {
  type Grant,
  grantsOfRole,
  parseGrant,
  privilegeNames,
  privileges,
  type RoleName,
  scopesOf,
  toGrantText,
} from "../privileges/privileges.ts";
import { userEvents } from "../users/events.ts";
import { builtInRoles } from "../users/roles.ts";
import { requireToHave } from "./limits.ts";
import type { NewRole, PrivilegeItem, Role, RoleUpdate } from "./v2-schema.ts";

/** The ids below are the built-in roles'. */
const FIRST_CUSTOM_ROLE_ID = 100;
/** More roles than a company can tell apart. */
const MOST_ROLES = 500;

/** A page of the company's roles, the built-in ones first. @throws Problem 422 for a cursor of another list */
export async function listRoles(
  tx: Tx,
  query: { cursor?: string; limit?: number },
): Promise<{ data: Role[]; next: string | null }> {
  const page = readCursorPage(query);
  const rows = await selectRoles(tx)
    .where("id", ">", idAfter(page) ?? 0)
    .orderBy("id")
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, rows, { position: ({ id }) => [id], show: toRole });
}

/** One role. @throws Problem 404 */
export async function getRole(tx: Tx, id: number): Promise<Role> {
  const row = await selectRoles(tx).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw notFound("Role");
  return toRole(row);
}

/**
 * Makes a role of the company's own.
 * @throws Problem 422 for a name that is taken or a privilege that does not exist; 403 for one that the caller lacks;
 * 409 for one role too many.
 */
export async function createRole(tx: WriteTx, body: Static<typeof NewRole>): Promise<Role> {
  const at = await lockCounters(tx, "roles");
  const grants = readGrants(body.privileges);
  requireToHave(tx.viewer, grants);
  await checkName(tx, body.name);
  const id = await takeId(tx, at);
  await tx.sql
    .insertInto("roles")
    .values({ company_id: tx.company.id, id, name: body.name, privileges: grants.map(toGrantText) })
    .execute();
  const role = await getRole(tx, id);
  await audit(tx, { action: "create_role", resource_type: "role", resource_id: id, after: role, at });
  return role;
}

/**
 * Changes what the body names of a role; who has it may so within a second.
 * @throws Problem 404; 409 for a built-in role; 412; 422 and 403 as createRole has it, 403 also for a role that may
 * already do more than the caller.
 */
export async function updateRole(tx: WriteTx, id: number, body: Static<typeof RoleUpdate>): Promise<Role> {
  // Users too: whoever is given the role meanwhile would be shown with the former name.
  const at = await lockCounters(tx, "roles", "users");
  const before = await getCustomRole(tx, id);
  requireMatch(tx, before, body);
  const grants = readGrants(body.privileges ?? before.privileges);
  requireToHave(tx.viewer, [...readGrants(before.privileges), ...grants]);
  if (body.name !== undefined && body.name !== before.name) {
    await checkName(tx, body.name, id);
    await follow(tx, userEvents, await listHolders(tx, id));
  }
  await tx.sql
    .updateTable("roles")
    .set({ name: body.name ?? before.name, privileges: grants.map(toGrantText) })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
  const after = await getRole(tx, id);
  await audit(tx, { action: "update_role", resource_type: "role", resource_id: id, before, after, at });
  return after;
}

/** Removes a role that nobody has. @throws Problem 404; 409 for a built-in role, and for one that is in use. */
export async function deleteRole(tx: WriteTx, id: number): Promise<{ id: number }> {
  // Users too: nobody is given the role meanwhile.
  const at = await lockCounters(tx, "roles", "users");
  const before = await getCustomRole(tx, id);
  await checkUnused(tx, id);
  await tx.sql.deleteFrom("roles").where("company_id", "=", tx.company.id).where("id", "=", id).execute();
  await audit(tx, { action: "delete_role", resource_type: "role", resource_id: id, before, at });
  return { id };
}

/** The table of privileges. */
export function listPrivileges(): { data: Static<typeof PrivilegeItem>[]; next: null } {
  const data = privilegeNames.map((name) => {
    const reach: Partial<Record<RoleName, string>> = privileges[name].reach;
    const { admin = null, creator = null, manager = null, learner = null } = reach;
    const built_in_roles = { admin, creator, manager, learner };
    return { name, means: privileges[name].means, reaches: scopesOf(name), built_in_roles };
  });
  return { data, next: null };
}

/**
 * Reads what a body lets do, each privilege once; of two the last counts.
 * @throws Problem 422 naming each that does not exist.
 */
export function readGrants(texts: readonly string[], field = "privileges"): Grant[] {
  const grants = texts.map(parseGrant);
  const wrong = grants.flatMap((grant, index) => (grant === undefined ? [index] : []));
  if (wrong.length > 0) {
    const message = "is no privilege, or none with this reach: see /api/v2/privileges";
    throw invalid(...wrong.map((index) => ({ field: `${field}[${index}]`, message })));
  }
  const byName = new Map(
    grants.filter((grant) => grant !== undefined).map((grant) => [grant.privilege, grant]),
  );
  return [...byName.values()];
}

interface RoleRow {
  readonly id: number;
  readonly name: string;
  readonly privileges: string[] | null;
}

function selectRoles(tx: Tx) {
  return tx.sql
    .selectFrom("roles")
    .select(["id", "name", "privileges"])
    .where("company_id", "=", tx.company.id);
}

function toRole({ id, name, privileges: own }: RoleRow): Role {
  const builtIn = builtInRoles.find((role) => role.id === id);
  return {
    id,
    name,
    built_in: builtIn !== undefined,
    privileges: builtIn === undefined ? (own ?? []) : grantsOfRole(builtIn.name).map(toGrantText),
  };
}

async function getCustomRole(tx: Tx, id: number): Promise<Role> {
  const role = await getRole(tx, id);
  if (role.built_in) {
    throw conflict("Every company has this role as it is: make a role of your own instead");
  }
  return role;
}

/** Names are told apart without regard to case, so that nobody takes one role for another. */
async function checkName(tx: Tx, name: string, ownId = 0): Promise<void> {
  const roles = await selectRoles(tx).execute();
  if (roles.length >= MOST_ROLES && ownId === 0) {
    throw conflict(`A company can have ${MOST_ROLES} roles: delete one that nobody has`);
  }
  if (roles.some((role) => role.id !== ownId && role.name.toLowerCase() === name.toLowerCase())) {
    throw invalid({ field: "name", message: "is another role's" });
  }
}

async function takeId(tx: WriteTx, at: string): Promise<number> {
  const id = await moveCounter(tx, { kind: "roles", ids: 1, total: 0, at });
  if (id >= FIRST_CUSTOM_ROLE_ID) return id;
  await moveCounter(tx, { kind: "roles", ids: FIRST_CUSTOM_ROLE_ID - id, total: 0, at });
  return FIRST_CUSTOM_ROLE_ID;
}

/** Who has a role: each is shown with its name. */
async function listHolders(tx: Tx, role_id: number): Promise<number[]> {
  const users = await tx.sql
    .selectFrom("users")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("role_id", "=", role_id)
    .orderBy("id")
    .execute();
  return users.map(({ id }) => id);
}

async function checkUnused(tx: Tx, role_id: number): Promise<void> {
  const [users, provider] = await Promise.all([
    tx.sql
      .selectFrom("users")
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .where("company_id", "=", tx.company.id)
      .where("role_id", "=", role_id)
      .executeTakeFirstOrThrow(),
    tx.sql
      .selectFrom("identity_providers")
      .select("new_user_role_id")
      .where("company_id", "=", tx.company.id)
      .where("new_user_role_id", "=", role_id)
      .executeTakeFirst(),
  ]);
  if (users.total > 0) {
    throw conflict(`${users.total} users have this role: give them another first`);
  }
  if (provider !== undefined) {
    throw conflict("New users of the single sign-on get this role: choose another there first");
  }
}
