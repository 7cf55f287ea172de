import { sql } from "kysely";
import { assignmentCounters } from "../assignments/give.ts";
import { audit } from "../db/audit.ts";
import { type Kind, lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { groupEvents, noteMemberships } from "./events.ts";
import { giveGroupAssignments, type Row, unnestRows } from "./memberships.ts";
import { listProfiles } from "./profiles.ts";
import { isTaken, listFieldIds, type Profile, readRule } from "./rules.ts";
import type { GroupRule } from "./v2-schema.ts";

/** Users that are looked at together: their profiles take some MiB. */
const USERS_AT_ONCE = 10_000;

/** A group with its rule. */
export interface RuledGroup {
  readonly id: number;
  readonly rule: GroupRule;
}

/** A write that changes users, as it was begun: its time, and the groups that users may move in and out of. */
export interface UserWrite {
  readonly at: string;
  readonly groups: readonly RuledGroup[];
}

/** The counters that whoever makes, changes or removes rules, or applies them to everybody, has to lock. */
export const ruleCounters: readonly Kind[] = ["active_rules", "groups", ...assignmentCounters];

/**
 * Begins a write of users, as lockCounters does. Where rules fill groups, it may move people in and out of them, and
 * locks what that takes too. No rule can come or go meanwhile, as it would have to lock `active_rules`.
 */
export async function lockForUsers(tx: WriteTx, ...kindsToLock: readonly Kind[]): Promise<UserWrite> {
  const { total } = await tx.sql
    .selectFrom("counters")
    .select("total")
    .where("company_id", "=", tx.company.id)
    .where("kind", "=", "active_rules")
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (total === 0) return { at: await lockCounters(tx, ...kindsToLock), groups: [] };
  const at = await lockCounters(tx, ...new Set([...kindsToLock, ...ruleCounters]));
  return { at, groups: await checkRules(tx) };
}

/**
 * Moves users whose profiles have changed in and out of the groups that rules fill. Who joins gets the group's
 * assignments. Nothing where the company has no rules.
 */
export async function refillGroups(
  tx: WriteTx,
  { at, groups }: UserWrite,
  user_ids: readonly number[],
): Promise<void> {
  if (groups.length === 0 || user_ids.length === 0) return;
  const field_ids = listFieldIds(groups.map(({ rule }) => rule));
  const profiles = await listProfiles(tx, { users: user_ids, field_ids });
  await move(tx, await compare(tx, groups, profiles), at);
}

/** Applies rules to everybody. Needs `ruleCounters` locked. */
export async function fillGroups(tx: WriteTx, groups: readonly RuledGroup[], at: string): Promise<void> {
  if (groups.length === 0) return;
  const moves: Moves = { joining: [], leaving: [] };
  for await (const found of compareAll(tx, groups)) {
    moves.joining.push(...found.joining);
    moves.leaving.push(...found.leaving);
  }
  await move(tx, moves, at);
}

/** Who would join the groups, and who would leave them, a part of the company's users at a time. */
export async function* compareAll(
  tx: Tx,
  groups: readonly RuledGroup[],
): AsyncGenerator<Moves & { readonly profiles: readonly Profile[] }> {
  const field_ids = listFieldIds(groups.map(({ rule }) => rule));
  let after = 0;
  for (;;) {
    const profiles = await listProfiles(tx, { users: { after, limit: USERS_AT_ONCE }, field_ids });
    yield { ...(await compare(tx, groups, profiles)), profiles };
    const last = profiles.at(-1);
    if (last === undefined || profiles.length < USERS_AT_ONCE) return;
    after = last.id;
  }
}

/**
 * Notes on each active group whether its rule can be applied: one that names a custom user field that is gone can't.
 * Nobody joins or leaves by it.
 * @returns the groups whose rules can.
 */
export async function checkRules(tx: WriteTx): Promise<RuledGroup[]> {
  const rows = await tx.sql
    .selectFrom("groups")
    .select(["id", "rule", "rule_error"])
    .where("company_id", "=", tx.company.id)
    .where("rule", "is not", null)
    .where("archived_at", "is", null)
    .orderBy("id")
    .execute();
  const groups = rows.map((row) => ({ ...row, rule: readRule(row.rule) }));
  const known = await findFields(tx, listFieldIds(groups.flatMap(({ rule = [] }) => rule)));
  const applicable: RuledGroup[] = [];
  for (const { id, rule, rule_error } of groups) {
    const error = findRuleError(rule, known);
    if (error === null && rule !== undefined) applicable.push({ id, rule });
    if (error !== rule_error) await setRuleError(tx, id, error);
  }
  return applicable;
}

function findRuleError(rule: GroupRule | undefined, known: ReadonlySet<number>): string | null {
  if (rule === undefined) return "can't be read";
  const gone = listFieldIds([rule]).filter((field) => !known.has(field));
  return gone.length === 0 ? null : `names custom user fields that are gone: ${gone.join(", ")}`;
}

/** Which of these custom user fields there are. */
export async function findFields(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`
    select id from custom_user_fields
    where company_id = ${tx.company.id} and id = any(${ids}::bigint[])`.execute(tx.sql);
  return new Set(rows.map(({ id }) => id));
}

async function setRuleError(tx: WriteTx, id: number, rule_error: string | null): Promise<void> {
  await follow(tx, groupEvents, [id]);
  await tx.sql
    .updateTable("groups")
    .set({ rule_error })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
}

interface Moves {
  readonly joining: Row[];
  readonly leaving: Row[];
}

async function compare(tx: Tx, groups: readonly RuledGroup[], profiles: readonly Profile[]): Promise<Moves> {
  const moves: Moves = { joining: [], leaving: [] };
  if (groups.length === 0 || profiles.length === 0) return moves;
  const members = await listMembers(tx, groups, profiles);
  for (const { id: group_id, rule } of groups) {
    for (const profile of profiles) {
      const by_rule = members.get(`${group_id} ${profile.id}`);
      const row = { group_id, role: "member", user_id: profile.id } as const;
      const taken = isTaken(rule, profile);
      if (taken && by_rule === undefined) moves.joining.push(row);
      if (!taken && by_rule === true) moves.leaving.push(row);
    }
  }
  return moves;
}

/** Whether each member is one by the rule. */
async function listMembers(
  tx: Tx,
  groups: readonly RuledGroup[],
  profiles: readonly Profile[],
): Promise<Map<string, boolean>> {
  const { rows } = await sql<{ group_id: number; user_id: number; by_rule: boolean }>`
    select group_id, user_id, by_rule
    from memberships
    where company_id = ${tx.company.id} and role = 'member'
      and group_id = any(${groups.map(({ id }) => id)}::bigint[])
      and user_id = any(${profiles.map(({ id }) => id)}::bigint[])`.execute(tx.sql);
  return new Map(rows.map(({ group_id, user_id, by_rule }) => [`${group_id} ${user_id}`, by_rule]));
}

async function move(tx: WriteTx, { joining, leaving }: Moves, at: string): Promise<void> {
  if (joining.length > 0) {
    const { rows: made } = await sql<Row>`
      insert into memberships (company_id, group_id, role, user_id, by_rule)
      select ${tx.company.id}, group_id, role, user_id, true from ${unnestRows(joining)}
      on conflict (company_id, group_id, role, user_id) do nothing
      returning group_id, role, user_id`.execute(tx.sql);
    noteMemberships(tx, "created", made);
  }
  if (leaving.length > 0) {
    const { rows: gone } = await sql<Row>`
      delete from memberships
      using ${unnestRows(leaving)}
      where memberships.company_id = ${tx.company.id} and memberships.group_id = given.group_id
        and memberships.role = given.role and memberships.user_id = given.user_id
        and memberships.by_rule
      returning memberships.group_id, memberships.role, memberships.user_id`.execute(tx.sql);
    noteMemberships(tx, "deleted", gone);
  }
  await giveGroupAssignments(tx, joining, at);
  const joined = Map.groupBy(joining, ({ group_id }) => group_id);
  const left = Map.groupBy(leaving, ({ group_id }) => group_id);
  for (const group_id of new Set([...joined.keys(), ...left.keys()])) {
    const after = { joined: idsOf(joined.get(group_id)), left: idsOf(left.get(group_id)) };
    await audit(tx, { action: "refill_group", resource_type: "group", resource_id: group_id, after, at });
  }
}

function idsOf(rows: readonly Row[] = []): number[] {
  return rows.map(({ user_id }) => user_id);
}
