import { sql } from "kysely";
import { assignmentCounters, giveAssignments } from "../assignments/give.ts";
import type { Kind } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { type FieldError, invalid } from "../http/problem.ts";
import { addDays, startOfToday } from "../time.ts";
import { noteMemberships } from "./events.ts";

/** An element of a body: it adds its id, or removes it. */
interface Element {
  readonly id: number;
  readonly remove?: boolean;
}

/** The ids that an array of a body really added and removed, as the audit keeps them. */
interface Changed {
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

/** The counters to lock for a change of memberships; those of assignments only where somebody may join as a member. */
export function countersToChange(asMember: readonly Element[] = []): readonly Kind[] {
  return asMember.some(({ remove }) => remove !== true) ? ["groups", ...assignmentCounters] : ["groups"];
}

/**
 * Adds users to a group and removes them; new members get its assignments. Needs the counters locked.
 * @throws Problem 400 naming each element that is unknown, archived, or added and removed at once.
 */
export async function changeMembers(
  tx: WriteTx,
  group_id: number,
  { members, managers, at }: { members?: readonly Element[]; managers?: readonly Element[]; at: string },
): Promise<{ members: Changed; managers: Changed }> {
  const asMember = { field: "members", role: "member", elements: members ?? [] } as const;
  const asManager = { field: "managers", role: "manager", elements: managers ?? [] } as const;
  const side = { own: "group_id", id: group_id, other: "user_id", others: "users", called: "user" } as const;
  const changed = await change(tx, { side, asMember, asManager, at });
  return { members: changed.member, managers: changed.manager };
}

/**
 * Adds a user to groups and removes them; where they are a new member they get the group's assignments. Needs the
 * counters locked.
 * @throws Problem 400 naming each element that is unknown, archived, or added and removed at once.
 */
export async function changeGroups(
  tx: WriteTx,
  user_id: number,
  {
    memberships,
    managing,
    at,
  }: { memberships?: readonly Element[]; managing?: readonly Element[]; at: string },
): Promise<{ memberships: Changed; managing: Changed }> {
  const asMember = { field: "memberships", role: "member", elements: memberships ?? [] } as const;
  const asManager = { field: "managing", role: "manager", elements: managing ?? [] } as const;
  const side = { own: "user_id", id: user_id, other: "group_id", others: "groups", called: "group" } as const;
  const changed = await change(tx, { side, asMember, asManager, at });
  return { memberships: changed.member, managing: changed.manager };
}

type Role = "member" | "manager";

/** Whose memberships change, and what stands at their other end. */
type Side =
  | { own: "group_id"; id: number; other: "user_id"; others: "users"; called: "user" }
  | { own: "user_id"; id: number; other: "group_id"; others: "groups"; called: "group" };

interface Asked {
  readonly field: string;
  readonly role: Role;
  readonly elements: readonly Element[];
}

interface Change {
  readonly side: Side;
  readonly asMember: Asked;
  readonly asManager: Asked;
  readonly at: string;
}

async function change(
  tx: WriteTx,
  { side, asMember, asManager, at }: Change,
): Promise<Record<Role, Changed>> {
  const ids = [...new Set([...asMember.elements, ...asManager.elements].map(({ id }) => id))];
  if (ids.length === 0) return { member: nothing, manager: nothing };
  const found = await find(tx, side, ids);
  const errors: FieldError[] = [];
  const changed = {
    member: compare(asMember, { ...found, called: side.called, errors }),
    manager: compare(asManager, { ...found, called: side.called, errors }),
  };
  if (errors.length > 0) throw invalid(...errors);
  const kept = asMember.elements.filter(({ id, remove }) => remove !== true && found.byRule.has(id));
  await saveRows(
    tx,
    {
      added: toRows(side, changed, "added"),
      removed: toRows(side, changed, "removed"),
      kept: toRows(
        side,
        { member: { added: kept.map(({ id }) => id), removed: [] }, manager: nothing },
        "added",
      ),
    },
    at,
  );
  return changed;
}

const nothing: Changed = { added: [], removed: [] };

interface Found {
  /** Whether each of them is archived, by id; one that is not here does not exist. */
  readonly archived: ReadonlyMap<number, boolean>;
  readonly existing: Readonly<Record<Role, ReadonlySet<number>>>;
  /** At whose end the user is a member by the group's rule. */
  readonly byRule: ReadonlySet<number>;
}

async function find(tx: WriteTx, { own, id, other, others }: Side, ids: readonly number[]): Promise<Found> {
  const [states, rows] = await Promise.all([
    tx.sql
      .selectFrom(others)
      .select(["id", "archived_at"])
      .where("company_id", "=", tx.company.id)
      .where((eb) => eb("id", "=", eb.fn.any(eb.val(ids))))
      .execute(),
    tx.sql
      .selectFrom("memberships")
      .select((eb) => ["role", "by_rule", eb.ref(other).as("id")])
      .where("company_id", "=", tx.company.id)
      .where(own, "=", id)
      .where((eb) => eb(other, "=", eb.fn.any(eb.val(ids))))
      .execute(),
  ]);
  const idsOf = (role: Role) => new Set(rows.filter((row) => row.role === role).map((row) => row.id));
  return {
    archived: new Map(states.map((state) => [state.id, state.archived_at !== null])),
    existing: { member: idsOf("member"), manager: idsOf("manager") },
    byRule: new Set(rows.filter(({ by_rule }) => by_rule).map(({ id: otherId }) => otherId)),
  };
}

/** What an array asks for beyond what is there already. An element that changes nothing is right whatever it names. */
function compare(
  { field, role, elements }: Asked,
  { archived, existing, byRule, called, errors }: Found & { called: string; errors: FieldError[] },
): Changed {
  const added: number[] = [];
  const removed: number[] = [];
  const asked = new Map<number, boolean>();
  for (const [index, { id, remove = false }] of elements.entries()) {
    const place = `${field}[${index}].id`;
    const before = asked.get(id);
    asked.set(id, before ?? remove);
    if (!archived.has(id)) errors.push({ field: place, message: `names no ${called} of this company` });
    else if (before !== undefined && before !== remove) {
      errors.push({ field: place, message: "is added and removed at once" });
    } else if (before === undefined && existing[role].has(id) === remove) {
      // Who is archived leaves, as nobody need be restored for that; an archived group stays as it is.
      if (archived.get(id) && !(remove && called === "user"))
        errors.push({ field: place, message: `names an archived ${called}: restore it first` });
      if (remove && role === "member" && byRule.has(id)) errors.push({ field: place, message: BY_RULE });
      (remove ? removed : added).push(id);
    }
  }
  return { added, removed };
}

/** Why somebody can't be taken out of a group by hand: at the next look the rule would take them in again. */
export const BY_RULE = "is a member by the group's rule: change the rule";

/** A membership. */
export interface Row {
  readonly group_id: number;
  readonly role: Role;
  readonly user_id: number;
}

function toRows({ own, id }: Side, changed: Record<Role, Changed>, what: keyof Changed): Row[] {
  return (["member", "manager"] as const).flatMap((role) =>
    changed[role][what].map((other) =>
      own === "group_id" ? { group_id: id, role, user_id: other } : { group_id: other, role, user_id: id },
    ),
  );
}

/** Memberships that come and go. Who is `kept` was a member by the group's rule, and is one by hand from now on. */
interface RowChanges {
  readonly added: readonly Row[];
  readonly removed: readonly Row[];
  readonly kept: readonly Row[];
}

/** Writes memberships, and gives new members what their groups are assigned. Needs the counters locked. */
export async function saveRows(tx: WriteTx, { added, removed, kept }: RowChanges, at: string): Promise<void> {
  await insertRows(tx, added);
  await deleteRows(tx, removed);
  await keepRows(tx, kept);
  await giveGroupAssignments(
    tx,
    added.filter(({ role }) => role === "member"),
    at,
  );
}

async function keepRows(tx: WriteTx, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update memberships
    set by_rule = false
    from ${unnestRows(rows)}
    where memberships.company_id = ${tx.company.id} and memberships.group_id = given.group_id
      and memberships.role = given.role and memberships.user_id = given.user_id`.execute(tx.sql);
}

async function insertRows(tx: WriteTx, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const { rows: made } = await sql<Row>`
    insert into memberships (company_id, group_id, role, user_id)
    select ${tx.company.id}, group_id, role, user_id from ${unnestRows(rows)}
    on conflict (company_id, group_id, role, user_id) do nothing
    returning group_id, role, user_id`.execute(tx.sql);
  noteMemberships(tx, "created", made);
}

async function deleteRows(tx: WriteTx, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const { rows: gone } = await sql<Row>`
    delete from memberships
    using ${unnestRows(rows)}
    where memberships.company_id = ${tx.company.id} and memberships.group_id = given.group_id
      and memberships.role = given.role and memberships.user_id = given.user_id
    returning memberships.group_id, memberships.role, memberships.user_id`.execute(tx.sql);
  noteMemberships(tx, "deleted", gone);
}

/** Any number of rows as three parameters of one statement. */
export function unnestRows(rows: readonly Row[]) {
  return sql`unnest(
    ${rows.map((row) => row.group_id)}::bigint[],
    ${rows.map((row) => row.role)}::text[],
    ${rows.map((row) => row.user_id)}::bigint[]
  ) as given (group_id, role, user_id)`;
}

/**
 * Who joins a group gets what it is assigned, due on the group's day or so many days from now. Who leaves keeps it: what
 * was begun can be finished. Needs the assignment counters locked.
 */
export async function giveGroupAssignments(tx: WriteTx, joined: readonly Row[], at: string): Promise<void> {
  if (joined.length === 0) return;
  const groupIds = [...new Set(joined.map(({ group_id }) => group_id))];
  const assigned = await tx.sql
    .selectFrom("group_assignments")
    .select(["group_id", "assignable_type", "assignable_id", "due_days", "due_by"])
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("group_id", "=", eb.fn.any(eb.val(groupIds))))
    .orderBy("id")
    .execute();
  const byGroup = Map.groupBy(assigned, ({ group_id }) => group_id);
  const wanted = joined.flatMap(({ group_id, user_id }) =>
    (byGroup.get(group_id) ?? []).map(({ assignable_type, assignable_id, ...due }) => ({
      assignee_id: user_id,
      assignable_type,
      assignable_id,
      due_by: dueOf(tx, due),
      group_id,
    })),
  );
  if (wanted.length > 0) await giveAssignments(tx, wanted, at);
}

/** When what a group is assigned is due for who joins now: on its day, or so many of the company's days from today. */
export function dueOf(
  tx: WriteTx,
  { due_days, due_by }: { readonly due_days: number | null; readonly due_by: string | null },
): string | null {
  return due_days === null ? due_by : addDays(startOfToday(tx.now, tx.company.time_zone), due_days);
}
