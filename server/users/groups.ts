import { sql } from "kysely";
import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import { changeGroups, countersToChange } from "../groups/memberships.ts";
import type { UserGroups, UserGroupsUpdate } from "../groups/schema.ts";
import { malformed, notFound } from "../http/problem.ts";
import type { ListedUser } from "./schema.ts";

/**
 * The groups that a user is a member of and those they manage, the newest group first.
 * @throws Problem 404
 */
export async function getUserGroups(
  tx: Tx,
  user_id: number,
  type: Static<typeof UserGroups>["type"] = "user_groups",
): Promise<Static<typeof UserGroups>> {
  const [user, groups] = await Promise.all([findState(tx, user_id), listGroupNames(tx, [user_id])]);
  if (user === undefined) throw notFound("User");
  const { member = [], manager = [] } = groups.get(user_id) ?? {};
  return { type, memberships: member, managing: manager };
}

/**
 * Adds a user to groups and removes them. Where they become a member they get the group's assignments.
 * @throws Problem 404; 400 for an archived user, and for groups that are unknown or archived.
 */
export async function updateUserGroups(
  tx: WriteTx,
  user_id: number,
  body: UserGroupsUpdate,
): Promise<Static<typeof UserGroups>> {
  const at = await lockCounters(tx, ...countersToChange(body.memberships));
  const user = await findState(tx, user_id);
  if (user === undefined) throw notFound("User");
  if (user.archived_at !== null) throw malformed("This user is archived: restore it first");
  const after = await changeGroups(tx, user_id, { ...body, at });
  await audit(tx, { action: "update_user_groups", resource_type: "user", resource_id: user_id, after, at });
  return getUserGroups(tx, user_id, "update_user_groups");
}

type GroupNames = Static<typeof ListedUser>["groups"];

/** The groups of users, by user, the newest group first. */
export async function listGroupNames(tx: Tx, userIds: readonly number[]): Promise<Map<number, GroupNames>> {
  const rows = await selectNames(tx, { company_id: tx.company.id, user_ids: userIds });
  const byUser = new Map<number, GroupNames>();
  for (const { user_id, role, id, name } of rows) {
    const names = byUser.get(user_id) ?? { member: [], manager: [] };
    names[role].push({ id, name });
    byUser.set(user_id, names);
  }
  return byUser;
}

const selectNames = prepare<
  { company_id: number; user_ids: readonly number[] },
  { user_id: number; role: "member" | "manager"; id: number; name: string }
>((db, place) =>
  db
    .selectFrom("memberships")
    .innerJoin("groups", (join) =>
      join
        .onRef("groups.company_id", "=", "memberships.company_id")
        .onRef("groups.id", "=", "memberships.group_id"),
    )
    .select(["memberships.user_id", "memberships.role", "groups.id", "groups.name"])
    .where("memberships.company_id", "=", place("company_id"))
    .where("groups.company_id", "=", place("company_id"))
    .where("memberships.user_id", "=", sql<number>`any(${place("user_ids")})`)
    .orderBy("groups.id", "desc"),
);

async function findState(tx: Tx, id: number): Promise<{ archived_at: string | null } | undefined> {
  return tx.sql
    .selectFrom("users")
    .select("archived_at")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .executeTakeFirst();
}
