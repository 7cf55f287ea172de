import type { Tx, WriteTx } from "../db/db.ts";
import { assignmentCounters, giveAssignments } from "../assignments/give.ts";
import { nameOf } from "../assignments/assignments.ts";
import { findTargets, thingKey } from "../assignments/targets.ts";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter, moveTotals } from "../db/counters.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { conflict, invalid, notFound } from "../http/problem.ts";
import { parseMoment, utcTimeOrNull } from "../time.ts";
import { dueOf } from "./memberships.ts";
import type { GroupAssignment, NewGroupAssignment } from "./v2-assignment-schema.ts";
import { requireActiveGroup, requireVisibleGroup } from "./visible.ts";

/** A page of what a group assigns, archived content included, by id. @throws Problem 404 */
export async function listGivenByGroup(
  tx: Tx,
  group_id: number,
  query: { readonly cursor?: string; readonly limit?: number },
): Promise<{ data: GroupAssignment[]; next: string | null }> {
  const page = readCursorPage(query);
  await requireVisibleGroup(tx, "groups.read", group_id);
  const rows = await selectGiven(tx, group_id)
    .where("id", ">", idAfter(page) ?? 0)
    .orderBy("id")
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, rows, { position: ({ id }) => [id], show: toGroupAssignment });
}

/**
 * Assigns a thing to a group: its members of now get it, and everyone who joins later. Who has it already keeps what
 * they have.
 * @throws Problem 404; 409 for an archived group, for what it assigns already, and for a draft; 422 for what can't be assigned.
 */
export async function assignToGroup(
  tx: WriteTx,
  group_id: number,
  body: NewGroupAssignment,
): Promise<GroupAssignment> {
  const at = await lockCounters(tx, "groups", "group_assignments", ...assignmentCounters);
  await requireActiveGroup(tx, "assignments.write", group_id);
  await requireThing(tx, body);
  const { assignable_type, assignable_id, due_days = null } = body;
  const due_by = body.due_by == null ? null : (parseMoment(body.due_by) ?? null);
  if (due_days !== null && due_by !== null) {
    throw invalid({ field: "due_days", message: "can't stand beside due_by: give one of the two" });
  }
  const same = await selectGiven(tx, group_id)
    .where("assignable_type", "=", assignable_type)
    .where("assignable_id", "=", assignable_id)
    .executeTakeFirst();
  if (same !== undefined) {
    throw conflict(`The group assigns this already (${same.id}): take it away, then assign it anew`);
  }
  const id = await moveCounter(tx, { kind: "group_assignments", ids: 1, total: 1, at });
  const given = { id, group_id, assignable_type, assignable_id, due_days, due_by };
  await tx.sql
    .insertInto("group_assignments")
    .values({ company_id: tx.company.id, ...given })
    .execute();
  await giveToMembers(tx, given, at);
  await audit(tx, {
    action: "create_group_assignment",
    resource_type: "group",
    resource_id: group_id,
    after: given,
    at,
  });
  return toGroupAssignment(given);
}

/**
 * Ends that a group assigns something to who joins. Those who have got it keep it.
 * @throws Problem 404
 */
export async function endGroupAssignment(
  tx: WriteTx,
  { group_id, group_assignment_id: id }: { readonly group_id: number; readonly group_assignment_id: number },
): Promise<{ id: number }> {
  const at = await lockCounters(tx, "groups", "group_assignments");
  await requireVisibleGroup(tx, "assignments.write", group_id);
  const before = await selectGiven(tx, group_id).where("id", "=", id).executeTakeFirst();
  if (before === undefined) throw notFound("Group assignment");
  await tx.sql
    .deleteFrom("group_assignments")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
  await moveTotals(tx, [{ kind: "group_assignments", total: -1 }], at);
  await audit(tx, {
    action: "delete_group_assignment",
    resource_type: "group",
    resource_id: group_id,
    before,
    at,
  });
  return { id };
}

function selectGiven(tx: Tx, group_id: number) {
  return tx.sql
    .selectFrom("group_assignments")
    .select(["id", "group_id", "assignable_type", "assignable_id", "due_days", "due_by"])
    .where("company_id", "=", tx.company.id)
    .where("group_id", "=", group_id);
}

function toGroupAssignment({ due_by, ...given }: GroupAssignment): GroupAssignment {
  return { ...given, due_by: utcTimeOrNull(due_by) };
}

async function requireThing(tx: Tx, thing: NewGroupAssignment): Promise<void> {
  const { things } = await findTargets(tx, { user_ids: [], things: [thing], pairs: [] });
  const found = things.get(thingKey(thing));
  const noun = nameOf(thing.assignable_type).toLowerCase();
  const field = "assignable_id";
  if (found === undefined) throw invalid({ field, message: `names no ${noun} of this company` });
  if (found.archived_at !== null) {
    throw invalid({ field, message: `is archived: restore the ${noun} first` });
  }
  if (found.is_draft) throw conflict(`This ${noun} is not published yet`);
}

async function giveToMembers(tx: WriteTx, given: GroupAssignment, at: string): Promise<void> {
  const { group_id, assignable_type, assignable_id } = given;
  const members = await tx.sql
    .selectFrom("memberships")
    .select("user_id")
    .where("company_id", "=", tx.company.id)
    .where("group_id", "=", group_id)
    .where("role", "=", "member")
    .orderBy("user_id")
    .execute();
  const due_by = dueOf(tx, given);
  const wanted = members.map(({ user_id }) => ({
    assignee_id: user_id,
    assignable_type,
    assignable_id,
    due_by,
    group_id,
  }));
  await giveAssignments(tx, wanted, at);
}
