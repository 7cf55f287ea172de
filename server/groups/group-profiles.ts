import { sql } from "kysely";
import { archiveContent, restoreContent } from "../db/archive.ts";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter, moveTotals } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { follow, followNew } from "../events/changes.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { requireMatch } from "../http/match.ts";
import { conflict, invalid, notFound } from "../http/problem.ts";
import type { Privilege } from "../privileges/privileges.ts";
import { groupEvents } from "./events.ts";
import { checkRules, fillGroups, findFields, ruleCounters } from "./refill.ts";
import { findRuleErrors, listFieldIds } from "./rules.ts";
import { groupColumns, toGroupProfile } from "./show.ts";
import type { GroupProfile, GroupProfileUpdate, GroupRule, GroupsQuery } from "./v2-schema.ts";
import { isVisibleGroup } from "./visible.ts";

/** A page of the groups that the viewer may see, by id. */
export async function listGroupProfiles(
  tx: Tx,
  query: GroupsQuery,
): Promise<{ data: GroupProfile[]; next: string | null }> {
  const page = readCursorPage(query);
  const { "filter[q]": q, "filter[archived]": archived } = query;
  let rows = selectProfiles(tx, "groups.read").where("groups.id", ">", idAfter(page) ?? 0);
  if (q !== undefined) rows = rows.where("groups.name", "ilike", `%${q.replaceAll(/[\\%_]/g, "\\$&")}%`);
  if (archived !== undefined) rows = rows.where("groups.archived_at", archived ? "is not" : "is", null);
  return cutCursorPage(
    page,
    await rows
      .orderBy("groups.id")
      .limit(page.limit + 1)
      .execute(),
    { position: ({ id }) => [id], show: toGroupProfile },
  );
}

/** One group. @throws Problem 404 */
export async function getGroupProfile(
  tx: Tx,
  id: number,
  privilege: Privilege = "groups.read",
): Promise<GroupProfile> {
  const row = await selectProfiles(tx, privilege).where("groups.id", "=", id).executeTakeFirst();
  if (row === undefined) throw notFound("Group");
  return toGroupProfile(row);
}

/**
 * Makes a group. With a rule it is filled at once.
 * @throws Problem 422 for a rule that can't be applied.
 */
export async function createGroupProfile(tx: WriteTx, body: NewGroup): Promise<GroupProfile> {
  const { name, rule = null } = body;
  const at = await lockCounters(tx, ...(rule === null ? (["groups"] as const) : ruleCounters));
  await requireRule(tx, rule);
  const id = await moveCounter(tx, { kind: "groups", ids: 1, total: 1, at });
  followNew(tx, groupEvents, { ids: [id] });
  const company_id = tx.company.id;
  await tx.sql
    .insertInto("groups")
    .values({ company_id, id, name: name.trim(), rule: toJson(rule), created_at: at })
    .execute();
  if (rule !== null) {
    await moveTotals(tx, [{ kind: "active_rules", total: 1 }], at);
    await fillGroups(tx, [{ id, rule }], at);
  }
  const after = { name: name.trim(), rule };
  await audit(tx, { action: "create_group", resource_type: "group", resource_id: id, after, at });
  return getGroupProfile(tx, id, "groups.write");
}

/**
 * Changes what the body names of a group. A new rule is applied at once; without one, those whom it had taken in stay as
 * members by hand.
 * @throws Problem 404; 409 for an archived group; 412; 422 for a rule that can't be applied.
 */
export async function updateGroupProfile(
  tx: WriteTx,
  id: number,
  body: GroupProfileUpdate,
): Promise<GroupProfile> {
  const at = await lockCounters(tx, ...(body.rule === undefined ? (["groups"] as const) : ruleCounters));
  const before = await getGroupProfile(tx, id, "groups.write");
  requireMatch(tx, before, body);
  if (before.archived_at !== null) throw conflict("This group is archived: restore it first");
  await follow(tx, groupEvents, [id]);
  const name = body.name?.trim() ?? before.name;
  await tx.sql
    .updateTable("groups")
    .set({ name })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
  if (body.rule !== undefined) await setRule(tx, before, { rule: body.rule, at });
  const after = await getGroupProfile(tx, id, "groups.write");
  await audit(tx, { action: "update_group", resource_type: "group", resource_id: id, before, after, at });
  return after;
}

/** Archives a group; one that is archived stays as it is. Nobody joins or leaves it by its rule. @throws Problem 404 */
export async function archiveGroupProfile(tx: WriteTx, id: number): Promise<GroupProfile> {
  const at = await lockCounters(tx, "groups");
  await getGroupProfile(tx, id, "groups.write");
  await follow(tx, groupEvents, [id]);
  await archiveContent(tx, { table: "groups", id, at });
  return getGroupProfile(tx, id, "groups.write");
}

/** Restores a group, and applies its rule to what has changed since. @throws Problem 404 */
export async function restoreGroupProfile(tx: WriteTx, id: number): Promise<GroupProfile> {
  const at = await lockCounters(tx, ...ruleCounters);
  await getGroupProfile(tx, id, "groups.write");
  await restoreRuledGroup(tx, id, at);
  return getGroupProfile(tx, id, "groups.write");
}

/** Restores a group and applies its rule. Needs `ruleCounters` locked. */
export async function restoreRuledGroup(tx: WriteTx, id: number, at: string): Promise<void> {
  await follow(tx, groupEvents, [id]);
  await restoreContent(tx, { table: "groups", id, at });
  const groups = await checkRules(tx);
  await fillGroups(
    tx,
    groups.filter((group) => group.id === id),
    at,
  );
}

interface NewGroup {
  readonly name: string;
  readonly rule?: GroupRule | null;
}

/** Makes sure that a rule can be applied. @throws Problem 422 naming each wrong part. */
export async function requireRule(tx: Tx, rule: GroupRule | null): Promise<void> {
  if (rule === null) return;
  const errors = findRuleErrors(rule, await findFields(tx, listFieldIds([rule])));
  if (errors.length > 0) throw invalid(...errors);
}

async function setRule(
  tx: WriteTx,
  { id, rule: before }: GroupProfile,
  { rule, at }: { readonly rule: GroupRule | null; readonly at: string },
): Promise<void> {
  await requireRule(tx, rule);
  await tx.sql
    .updateTable("groups")
    .set({ rule: toJson(rule), rule_error: null })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
  const total = Number(rule !== null) - Number(before !== null);
  await moveTotals(tx, [{ kind: "active_rules", total }], at);
  if (rule !== null) return fillGroups(tx, [{ id, rule }], at);
  await tx.sql
    .updateTable("memberships")
    .set({ by_rule: false })
    .where("company_id", "=", tx.company.id)
    .where("group_id", "=", id)
    .where("by_rule", "=", true)
    .execute();
}

function selectProfiles(tx: Tx, privilege: Privilege) {
  return tx.sql
    .selectFrom("groups")
    .select(groupColumns)
    .where("groups.company_id", "=", tx.company.id)
    .where(isVisibleGroup(tx, privilege, sql.ref<number>("groups.id")));
}

function toJson(rule: GroupRule | null): string | null {
  return rule === null ? null : JSON.stringify(rule);
}
