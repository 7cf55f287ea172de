import { sql } from "kysely";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { conflict, type FieldError, invalid, notFound } from "../http/problem.ts";
import { parseMoment } from "../time.ts";
import { isVisibleUser, reachesEverybody } from "../users/visible.ts";
import { type AssignmentRow, nameOf, type Thing, type Wanted } from "./assignments.ts";
import { assignmentCounters } from "./give.ts";
import { auditAssignments, saveAssignments } from "./save.ts";
import type { AssignBody, UserAssignBody } from "./schema.ts";
import { findTargets, thingKey } from "./targets.ts";

/**
 * Assigns a thing to users. Who has it and has completed it gets it anew; who has it otherwise keeps what they have.
 * All of it or nothing. What is still being written can be assigned too, as the contract knows no such thing: it is begun
 * once it is published.
 * @returns the assignment of each user, in the order of the request; a user who is named twice stands here once.
 * @throws Problem 404; 400 when the thing or a user is archived, or a user unknown.
 */
export async function assignThing(tx: WriteTx, thing: Thing, body: AssignBody): Promise<AssignmentRow[]> {
  return assignWanted(tx, thing, {
    wanted: (body.assignments ?? []).map((item) => toWanted({ ...thing, ...item })),
    fieldOf: (index) => `assignments[${index}].assignee_id`,
    takesDrafts: true,
  });
}

/**
 * Assigns a thing to users that the viewer may assign to, as `assignThing` does.
 * @throws Problem 404; 409 when the thing is archived or not published yet; 422 for users who are archived, unknown or
 * out of reach.
 */
export async function assignToUsers(
  tx: WriteTx,
  thing: Thing,
  { user_ids, due_by = null }: { readonly user_ids: readonly number[]; readonly due_by?: string | null },
): Promise<AssignmentRow[]> {
  return assignWanted(tx, thing, {
    wanted: user_ids.map((assignee_id) => toWanted({ ...thing, assignee_id, due_by })),
    fieldOf: (index) => `user_ids[${index}]`,
    takesDrafts: false,
  });
}

interface Asked {
  readonly wanted: readonly Wanted[];
  /** The field that an element came in. */
  readonly fieldOf: (index: number) => string;
  /** Whether what is not published yet can be assigned. */
  readonly takesDrafts: boolean;
}

async function assignWanted(
  tx: WriteTx,
  thing: Thing,
  { wanted, fieldOf, takesDrafts }: Asked,
): Promise<AssignmentRow[]> {
  const at = await lockCounters(tx, ...assignmentCounters);
  const user_ids = wanted.map(({ assignee_id }) => assignee_id);
  const [targets, isReached] = await Promise.all([
    findTargets(tx, { user_ids, things: [thing], pairs: wanted }),
    findReached(tx, user_ids),
  ]);
  const found = targets.things.get(thingKey(thing));
  const name = nameOf(thing.assignable_type);
  if (found === undefined) throw notFound(name);
  if (found.archived_at !== null) throw conflict(`This ${name.toLowerCase()} is archived: restore it first`);
  if (found.is_draft && !takesDrafts) throw conflict(`This ${name.toLowerCase()} is not published yet`);
  check(wanted, ({ assignee_id }, index) => {
    const user = isReached(assignee_id) ? targets.users.get(assignee_id) : undefined;
    return findFault(fieldOf(index), "User", user);
  });
  const saved = await saveAssignments(tx, { wanted, targets, at });
  await auditAssignments(tx, saved, {
    action: `update_${name.toLowerCase()}_assignments`,
    resource_type: name.toLowerCase(),
    resource_id: thing.assignable_id,
    at,
  });
  return saved.rows;
}

/** Tells which users the viewer may assign to. */
async function findReached(tx: WriteTx, ids: readonly number[]): Promise<(id: number) => boolean> {
  if (reachesEverybody(tx.viewer, "assignments.write")) return () => true;
  const rows = await tx.sql
    .selectFrom("users")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...ids]))))
    .where(isVisibleUser(tx, "assignments.write", sql.ref<number>("users.id")))
    .execute();
  const reached = new Set(rows.map(({ id }) => id));
  return (id) => reached.has(id);
}

/**
 * Assigns things to a user, as `assignThing` does for one thing.
 * @throws Problem 404; 400 when the user or a thing is archived, or a thing unknown.
 */
export async function assignToUser(
  tx: WriteTx,
  user_id: number,
  body: UserAssignBody,
): Promise<AssignmentRow[]> {
  const at = await lockCounters(tx, ...assignmentCounters);
  const wanted = body.assignments.map((item) => toWanted({ ...item, assignee_id: user_id }));
  const targets = await findTargets(tx, { user_ids: [user_id], things: wanted, pairs: wanted });
  const user = targets.users.get(user_id);
  if (user === undefined) throw notFound("User");
  if (user.archived_at !== null) throw conflict("This user is archived: restore it first");
  check(wanted, (item, index) =>
    findFault(
      `assignments[${index}].assignable_id`,
      nameOf(item.assignable_type),
      targets.things.get(thingKey(item)),
    ),
  );
  const saved = await saveAssignments(tx, { wanted, targets, at });
  await auditAssignments(tx, saved, {
    action: "create_user_assignments",
    resource_type: "user",
    resource_id: user_id,
    at,
  });
  return saved.rows;
}

/** Reads an element of a request: a due date that is only a date is midnight UTC. */
function toWanted(
  given: Pick<Wanted, "assignee_id" | "assignable_type" | "assignable_id" | "notify"> & {
    due_by?: string | null;
  },
): Wanted {
  const { assignee_id, assignable_type, assignable_id, due_by, notify = true } = given;
  return {
    assignee_id,
    assignable_type,
    assignable_id,
    due_by: due_by == null ? null : (parseMoment(due_by) ?? null),
    group_id: null,
    notify,
  };
}

/** Finds what is wrong with each element, and refuses the request if anything is. */
function check(
  wanted: readonly Wanted[],
  find: (item: Wanted, index: number) => FieldError | undefined,
): void {
  const errors = wanted.flatMap((item, index) => find(item, index) ?? []);
  if (errors.length > 0) throw invalid(...errors);
}

function findFault(
  field: string,
  name: string,
  found: { readonly archived_at: string | null } | undefined,
): FieldError | undefined {
  const noun = name.toLowerCase();
  if (found === undefined) return { field, message: `names no ${noun} of this company` };
  if (found.archived_at !== null) return { field, message: `is archived: restore the ${noun} first` };
  return undefined;
}
