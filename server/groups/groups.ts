import type { Static } from "typebox";
import { archiveContent, toArchiveState } from "../db/archive.ts";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter, moveTotals } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { follow, followNew } from "../events/changes.ts";
import { malformed, notFound } from "../http/problem.ts";
import { selectUsers, toUserSummary } from "../users/show.ts";
import { groupEvents, noteMemberships } from "./events.ts";
import { restoreRuledGroup } from "./group-profiles.ts";
import { changeMembers, countersToChange } from "./memberships.ts";
import { ruleCounters } from "./refill.ts";
import type { DeletedGroup, Group, GroupList, GroupUpdate, ListedGroup, NewGroup } from "./schema.ts";

/** All groups of the company, the newest first. */
export async function listGroups(tx: Tx): Promise<Static<typeof GroupList>> {
  const rows = await selectGroups(tx).orderBy("id", "desc").execute();
  return { type: "groups", groups: rows.map((row) => toListedGroup(tx, row)) };
}

/**
 * One group with its people, the newest users first.
 * @throws Problem 404
 */
export async function getGroup(
  tx: Tx,
  id: number,
  type: Static<typeof Group>["type"] = "group",
): Promise<Static<typeof Group>> {
  const [row, people] = await Promise.all([findGroupRow(tx, id), listPeople(tx, id)]);
  if (row === undefined) throw notFound("Group");
  return { id, type, resource_type: "group", ...toState(tx, row), ...people };
}

/**
 * Makes a group.
 * @throws Problem 400 for members or managers that are unknown or archived.
 */
export async function createGroup(tx: WriteTx, body: NewGroup): Promise<Static<typeof Group>> {
  // A new group is assigned nothing yet, so no counter of assignments can move.
  const at = await lockCounters(tx, "groups");
  const name = body.name.trim();
  const id = await moveCounter(tx, { kind: "groups", ids: 1, total: 1, at });
  followNew(tx, groupEvents, { ids: [id] });
  await tx.sql.insertInto("groups").values({ company_id: tx.company.id, id, name, created_at: at }).execute();
  const { members, managers } = await changeMembers(tx, id, { ...body, at });
  const after = { name, members: members.added, managers: managers.added };
  await audit(tx, { action: "create_group", resource_type: "group", resource_id: id, after, at });
  return getGroup(tx, id, "create_group");
}

/**
 * Changes what the body names of a group. Who joins it as a member gets its assignments.
 * @throws Problem 404; 400 for an archived group, and for members or managers that are unknown or archived.
 */
export async function updateGroup(tx: WriteTx, id: number, body: GroupUpdate): Promise<Static<typeof Group>> {
  const at = await lockCounters(tx, ...countersToChange(body.members));
  const group = await getGroupRow(tx, id);
  if (group.archived_at !== null) throw malformed("This group is archived: restore it first");
  const name = body.name?.trim() ?? group.name;
  if (name !== group.name) {
    await follow(tx, groupEvents, [id]);
    await setColumns(tx, id, { name });
  }
  const changed = await changeMembers(tx, id, { ...body, at });
  const before = { name: group.name };
  const after = { name, ...changed };
  await audit(tx, { action: "update_group", resource_type: "group", resource_id: id, before, after, at });
  return getGroup(tx, id, "update_group");
}

/** Archives a group; one that is archived already stays as it is. @throws Problem 404 */
export async function archiveGroup(tx: WriteTx, id: number): Promise<Static<typeof Group>> {
  const at = await lockCounters(tx, "groups");
  await follow(tx, groupEvents, [id]);
  await archiveContent(tx, { table: "groups", id, at });
  return getGroup(tx, id);
}

/** Restores a group; one that is active stays as it is. Its rule, if it has one, is applied. @throws Problem 404 */
export async function restoreGroup(tx: WriteTx, id: number): Promise<Static<typeof Group>> {
  const at = await lockCounters(tx, ...ruleCounters);
  await restoreRuledGroup(tx, id, at);
  return getGroup(tx, id);
}

/**
 * Removes a group, its memberships and what it is assigned. The assignments that people got by it stay theirs.
 * @throws Problem 404
 */
export async function deleteGroup(tx: WriteTx, id: number): Promise<Static<typeof DeletedGroup>> {
  const at = await lockCounters(tx, "active_rules", "groups", "group_assignments");
  const group = await getGroupRow(tx, id);
  await follow(tx, groupEvents, [id]);
  const removed = await deleteBelongings(tx, id, at);
  const gone = await tx.sql
    .deleteFrom("groups")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .returning("rule")
    .executeTakeFirst();
  if (gone?.rule != null) await moveTotals(tx, [{ kind: "active_rules", total: -1 }], at);
  const before = { name: group.name, ...removed };
  await audit(tx, { action: "delete_group", resource_type: "group", resource_id: id, before, at });
  return { type: "delete_group", id: String(id), ...toState(tx, group) };
}

interface GroupRow {
  readonly id: number;
  readonly name: string;
  readonly archived_at: string | null;
  readonly archived_by_user_id: number | null;
}

function selectGroups(tx: Tx) {
  return tx.sql
    .selectFrom("groups")
    .select(["id", "name", "archived_at", "archived_by_user_id"])
    .where("company_id", "=", tx.company.id);
}

async function findGroupRow(tx: Tx, id: number): Promise<GroupRow | undefined> {
  return selectGroups(tx).where("id", "=", id).executeTakeFirst();
}

async function getGroupRow(tx: Tx, id: number): Promise<GroupRow> {
  const row = await findGroupRow(tx, id);
  if (row === undefined) throw notFound("Group");
  return row;
}

function toListedGroup(tx: Tx, row: GroupRow): Static<typeof ListedGroup> {
  return { id: row.id, ...toState(tx, row) };
}

function toState(tx: Tx, row: GroupRow) {
  return { name: row.name, ...toArchiveState(tx, row) };
}

type People = Pick<Static<typeof Group>, "members" | "managers">;

async function listPeople(tx: Tx, group_id: number): Promise<People> {
  const rows = await selectUsers(tx)
    .innerJoin("memberships", (join) =>
      join
        .onRef("memberships.company_id", "=", "users.company_id")
        .onRef("memberships.user_id", "=", "users.id"),
    )
    .select("memberships.role as membership")
    .where("memberships.company_id", "=", tx.company.id)
    .where("memberships.group_id", "=", group_id)
    .orderBy("users.id", "desc")
    .execute();
  const people: People = { members: [], managers: [] };
  for (const row of rows)
    people[row.membership === "member" ? "members" : "managers"].push(toUserSummary(tx, row));
  return people;
}

async function setColumns(tx: WriteTx, id: number, columns: Partial<Omit<GroupRow, "id">>): Promise<void> {
  await tx.sql
    .updateTable("groups")
    .set(columns)
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
}

async function deleteBelongings(tx: WriteTx, group_id: number, at: string) {
  const memberships = await tx.sql
    .deleteFrom("memberships")
    .where("company_id", "=", tx.company.id)
    .where("group_id", "=", group_id)
    .returning(["group_id", "role", "user_id"])
    .execute();
  noteMemberships(tx, "deleted", memberships);
  const assigned = await tx.sql
    .deleteFrom("group_assignments")
    .where("company_id", "=", tx.company.id)
    .where("group_id", "=", group_id)
    .returning(["assignable_type", "assignable_id"])
    .execute();
  const gone = [
    { kind: "groups", total: -1 },
    { kind: "group_assignments", total: -assigned.length },
  ] as const;
  await moveTotals(tx, gone, at);
  const idsOf = (role: "member" | "manager") =>
    memberships.filter((row) => row.role === role).map((row) => row.user_id);
  return { members: idsOf("member"), managers: idsOf("manager"), assigned };
}
