import { sql } from "kysely";
import { audit } from "../db/audit.ts";
import type { WriteTx } from "../db/db.ts";
import { BY_RULE, type Row, saveRows, unnestRows } from "../groups/memberships.ts";
import { isVisibleGroup } from "../groups/visible.ts";
import type { FieldError } from "../http/problem.ts";
import { findNamed, isWrong } from "./people.ts";
import { type GivenRow, isRow, type MembershipRow, type Outcome, refuse } from "./rows.ts";

/** Puts users into groups, and takes them out, as rows say. Needs the counters of groups and assignments locked. */
export async function applyMembershipRows(
  tx: WriteTx,
  rows: readonly GivenRow[],
  { at }: { readonly at: string },
): Promise<Outcome[]> {
  const outcomes: Outcome[] = rows.flatMap(({ row, errors }) =>
    errors.length > 0 ? refuse(row, ...errors) : [],
  );
  const read = rows.flatMap(({ row, given, errors }) =>
    errors.length === 0 && isRow.memberships(given) ? [{ row, given }] : [],
  );
  const namings = read.map(({ given }) => given);
  // Who may change some groups only reaches the people of those alone.
  const [users, groups] = [await findNamed(tx, "groups.write", namings), await findGroups(tx, namings)];
  const asked: Asked[] = [];
  for (const [index, { row, given }] of read.entries()) {
    const [user, group] = [users[index], groups[index]];
    if (user === undefined || group === undefined) continue;
    const faults = [user, group].filter(isWrong);
    if (isWrong(user) || isWrong(group)) outcomes.push(refuse(row, ...faults));
    else {
      const { role = "member", remove = false } = given;
      const membership = { group_id: group.id, role, user_id: user.id };
      const archived = [user, group].some(({ archived_at }) => archived_at !== null);
      asked.push({ row, membership, remove, archived });
    }
  }
  outcomes.push(...(await save(tx, asked, at)));
  return outcomes;
}

interface Asked {
  readonly row: number;
  readonly membership: Row;
  readonly remove: boolean;
  /** Whether the user or the group is archived: then nothing can be added. */
  readonly archived: boolean;
}

interface Group {
  readonly id: number;
  readonly name: string;
  readonly archived_at: string | null;
}

async function findGroups(tx: WriteTx, namings: readonly MembershipRow[]): Promise<(Group | FieldError)[]> {
  const ids = namings.flatMap(({ group_id = [] }) => group_id);
  const names = namings.flatMap(({ group_name }) => (group_name === undefined ? [] : group_name.trim()));
  const { rows } = await sql<Group>`
    select id, name, archived_at
    from groups
    where company_id = ${tx.company.id} and (id = any(${ids}::bigint[]) or name = any(${names}::text[]))
      and ${isVisibleGroup(tx, "groups.write", sql.ref<number>("groups.id"))}`.execute(tx.sql);
  const byId = new Map(rows.map((group) => [group.id, group]));
  const byName = Map.groupBy(rows, ({ name }) => name);
  return namings.map(({ group_id, group_name = "" }) => {
    const message = "names no group of this company";
    if (group_id !== undefined) return byId.get(group_id) ?? { field: "group_id", message };
    const [group, ...others] = byName.get(group_name.trim()) ?? [];
    if (group === undefined) return { field: "group_name", message };
    if (others.length === 0) return group;
    return { field: "group_name", message: "names several groups: give group_id" };
  });
}

/** What there is of a membership: none, one by hand, or one by the group's rule. */
type State = "none" | "by_hand" | "by_rule";

async function save(tx: WriteTx, asked: readonly Asked[], at: string): Promise<Outcome[]> {
  const before = await findStates(
    tx,
    asked.map(({ membership }) => membership),
  );
  const now = new Map(before);
  const outcomes = asked.map((item) => decide(item, now));
  const memberships = new Map(asked.map(({ membership }) => [keyOf(membership), membership]));
  const changes = { added: new Array<Row>(), removed: new Array<Row>(), kept: new Array<Row>() };
  for (const [key, membership] of memberships) {
    const [was, is] = [before.get(key) ?? "none", now.get(key) ?? "none"];
    if (was === is) continue;
    if (was === "none") changes.added.push(membership);
    else (is === "none" ? changes.removed : changes.kept).push(membership);
  }
  await saveRows(tx, changes, at);
  await auditChanges(tx, changes, at);
  return outcomes;
}

function decide({ row, membership, remove, archived }: Asked, now: Map<string, State>): Outcome {
  const key = keyOf(membership);
  const state = now.get(key) ?? "none";
  const id = membership.user_id;
  if (remove) {
    if (state === "by_rule") return refuse(row, { field: "user", message: BY_RULE });
    now.set(key, "none");
    return { row, outcome: state === "none" ? "unchanged" : "removed", id, errors: [] };
  }
  if (state !== "by_hand" && archived) {
    return refuse(row, { field: "row", message: "names an archived user or group: restore it first" });
  }
  now.set(key, "by_hand");
  const outcome = state === "none" ? "created" : state === "by_rule" ? "updated" : "unchanged";
  return { row, outcome, id, errors: [] };
}

async function findStates(tx: WriteTx, rows: readonly Row[]): Promise<Map<string, State>> {
  if (rows.length === 0) return new Map();
  const { rows: found } = await sql<Row & { readonly by_rule: boolean }>`
    select memberships.group_id, memberships.role, memberships.user_id, memberships.by_rule
    from ${unnestRows(rows)}
    join memberships on memberships.company_id = ${tx.company.id} and memberships.group_id = given.group_id
      and memberships.role = given.role and memberships.user_id = given.user_id`.execute(tx.sql);
  return new Map(found.map((row) => [keyOf(row), row.by_rule ? "by_rule" : "by_hand"]));
}

function keyOf({ group_id, role, user_id }: Row): string {
  return `${group_id} ${role} ${user_id}`;
}

async function auditChanges(
  tx: WriteTx,
  changes: { readonly added: readonly Row[]; readonly removed: readonly Row[] },
  at: string,
): Promise<void> {
  const [added, removed] = [changes.added, changes.removed].map((rows) =>
    Map.groupBy(rows, ({ group_id }) => group_id),
  );
  for (const group_id of new Set([...(added?.keys() ?? []), ...(removed?.keys() ?? [])])) {
    const of = (role: Row["role"]) => ({
      added: idsOf(added?.get(group_id), role),
      removed: idsOf(removed?.get(group_id), role),
    });
    const after = { members: of("member"), managers: of("manager") };
    await audit(tx, { action: "update_group", resource_type: "group", resource_id: group_id, after, at });
  }
}

function idsOf(rows: readonly Row[] = [], role: Row["role"]): number[] {
  return rows.filter((row) => row.role === role).map(({ user_id }) => user_id);
}
