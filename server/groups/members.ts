import { sql } from "kysely";
import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { conflict, notFound } from "../http/problem.ts";
import { selectUsers, toUserSummary } from "../users/show.ts";
import { noteMemberships } from "./events.ts";
import { BY_RULE, changeMembers, countersToChange } from "./memberships.ts";
import type { GroupMember, Membership } from "./v2-schema.ts";
import { requireActiveGroup, requireVisibleGroup } from "./visible.ts";

/** Who is meant: the members or the managers of a group. */
export type Role = "member" | "manager";

interface MembersRequest {
  readonly group_id: number;
  readonly role: Role;
  readonly query: { readonly cursor?: string; readonly limit?: number };
}

/** A page of a group's members or managers, by id. @throws Problem 404 */
export async function listMembers(
  tx: Tx,
  { group_id, role, query }: MembersRequest,
): Promise<{ data: Static<typeof GroupMember>[]; next: string | null }> {
  const page = readCursorPage(query);
  await requireVisibleGroup(tx, "groups.read", group_id);
  const rows = await selectUsers(tx)
    .innerJoin("memberships", (join) =>
      join
        .onRef("memberships.company_id", "=", "users.company_id")
        .onRef("memberships.user_id", "=", "users.id"),
    )
    .select("memberships.by_rule")
    .where("memberships.company_id", "=", tx.company.id)
    .where("memberships.group_id", "=", group_id)
    .where("memberships.role", "=", role)
    .where("memberships.user_id", ">", idAfter(page) ?? 0)
    .orderBy("memberships.user_id")
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, rows, {
    position: ({ id }) => [id],
    show: ({ by_rule, ...row }) => ({ user: toUserSummary(tx, row), by_rule }),
  });
}

/**
 * Makes a user a member or manager, by hand. Who becomes a member gets the group's assignments.
 * @throws Problem 404; 409 for an archived group or user.
 */
export async function addMember(
  tx: WriteTx,
  membership: Static<typeof Membership>,
): Promise<Static<typeof Membership>> {
  const { group_id, user_id, role } = membership;
  const at = await lockCounters(tx, ...countersToChange(role === "member" ? [{ id: user_id }] : []));
  await requireActiveGroup(tx, "groups.write", group_id);
  const archived_at = await getArchivedAt(tx, user_id);
  if (archived_at !== null) throw conflict("This user is archived: restore them first");
  const changed = await changeMembers(tx, group_id, { [fieldOf[role]]: [{ id: user_id }], at });
  await audit(tx, {
    action: "update_group",
    resource_type: "group",
    resource_id: group_id,
    after: changed,
    at,
  });
  return membership;
}

/**
 * Takes a user out of a group's members or managers. What they were assigned stays theirs.
 * @throws Problem 404 where they are not in it; 409 for an archived group, and for who is a member by the rule.
 */
export async function removeMember(
  tx: WriteTx,
  membership: Static<typeof Membership>,
): Promise<{ id: number }> {
  const { group_id, user_id, role } = membership;
  const at = await lockCounters(tx, "groups");
  await requireActiveGroup(tx, "groups.write", group_id);
  const found = await findMembership(tx, membership);
  if (found === undefined) throw notFound(role === "member" ? "Member" : "Manager");
  if (found.by_rule) throw conflict(`This user ${BY_RULE}`);
  // An archived user leaves as well: changeMembers, as version 1 has it, would refuse to touch them.
  await sql`
    delete from memberships
    where company_id = ${tx.company.id} and group_id = ${group_id} and role = ${role}
      and user_id = ${user_id}`.execute(tx.sql);
  noteMemberships(tx, "deleted", [membership]);
  const after = { [fieldOf[role]]: { added: [], removed: [user_id] } };
  await audit(tx, { action: "update_group", resource_type: "group", resource_id: group_id, after, at });
  return { id: user_id };
}

const fieldOf = { member: "members", manager: "managers" } as const;

async function getArchivedAt(tx: Tx, user_id: number): Promise<string | null> {
  const user = await tx.sql
    .selectFrom("users")
    .select("archived_at")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .executeTakeFirst();
  if (user === undefined) throw notFound("User");
  return user.archived_at;
}

async function findMembership(
  tx: Tx,
  { group_id, user_id, role }: Static<typeof Membership>,
): Promise<{ by_rule: boolean } | undefined> {
  return tx.sql
    .selectFrom("memberships")
    .select("by_rule")
    .where("company_id", "=", tx.company.id)
    .where("group_id", "=", group_id)
    .where("role", "=", role)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
}
