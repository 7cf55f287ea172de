import { type AssignmentRow as StoredAssignment, nameOf, type Wanted } from "../assignments/assignments.ts";
import { type Saved, saveAssignments } from "../assignments/save.ts";
import { takeAway } from "../assignments/take-away.ts";
import { findTargets, pairKey, type Targets, thingKey } from "../assignments/targets.ts";
import { auditAll, type Deed } from "../db/audit.ts";
import type { WriteTx } from "../db/db.ts";
import type { FieldError } from "../http/problem.ts";
import { parseMoment } from "../time.ts";
import { findNamed, isWrong } from "./people.ts";
import { type AssignmentRow, type GivenRow, isRow, type Outcome, refuse } from "./rows.ts";

/** A row that is right, with the assignment that it asks for. */
interface Asked {
  readonly row: number;
  readonly wanted: Wanted;
  readonly remove: boolean;
}

/** Assigns, and takes away, what rows say, with a fixed number of statements. Needs the assignment counters locked. */
export async function applyAssignmentRows(
  tx: WriteTx,
  rows: readonly GivenRow[],
  { at }: { readonly at: string },
): Promise<Outcome[]> {
  const read = rows.flatMap(({ row, given, errors }) =>
    errors.length === 0 && isRow.assignments(given) ? [{ row, given }] : [],
  );
  const users = await findNamed(
    tx,
    "assignments.write",
    read.map(({ given }) => given),
  );
  const things = read.map(({ given }) => given);
  const pairs = read.flatMap(({ given }, index) => {
    const user = users[index];
    return user === undefined || isWrong(user) ? [] : [{ ...given, assignee_id: user.id }];
  });
  const targets = await findTargets(tx, {
    user_ids: pairs.map(({ assignee_id }) => assignee_id),
    things,
    pairs,
  });
  const outcomes: Outcome[] = rows.flatMap(({ row, errors }) =>
    errors.length > 0 ? refuse(row, ...errors) : [],
  );
  const asked: Asked[] = [];
  for (const [index, { row, given }] of read.entries()) {
    const user = users[index];
    if (user === undefined) continue;
    const fault = isWrong(user) ? user : findFault(targets, given, user);
    if (fault !== undefined || isWrong(user)) outcomes.push(refuse(row, ...(fault ? [fault] : [])));
    else asked.push({ row, wanted: toWanted(given, user.id), remove: given.remove === true });
  }
  for (const part of splitAtRepeats(asked)) outcomes.push(...(await save(tx, part, at)));
  return outcomes;
}

function toWanted({ assignable_type, assignable_id, due_by }: AssignmentRow, assignee_id: number): Wanted {
  const moment = due_by == null ? null : (parseMoment(due_by) ?? null);
  return { assignee_id, assignable_type, assignable_id, due_by: moment, group_id: null };
}

/** What is archived or still being written can't be assigned; it can be taken away. */
function findFault(
  { things }: Targets,
  row: AssignmentRow,
  user: { readonly archived_at: string | null },
): FieldError | undefined {
  const noun = nameOf(row.assignable_type).toLowerCase();
  const thing = things.get(thingKey(row));
  if (thing === undefined) return { field: "assignable_id", message: `names no ${noun} of this company` };
  if (row.remove === true) return undefined;
  if (thing.archived_at !== null) {
    return { field: "assignable_id", message: `is archived: restore the ${noun} first` };
  }
  if (user.archived_at !== null) return { field: "user", message: "is archived: restore the user first" };
  if (thing.is_draft) return { field: "assignable_id", message: "is not published yet" };
  return undefined;
}

/** Rows about the same assignment come one after the other: each begins a new part. */
function splitAtRepeats(asked: readonly Asked[]): Asked[][] {
  const parts: Asked[][] = [];
  let keys = new Set<string>();
  for (const item of asked) {
    const key = pairKey(item.wanted);
    const part = parts.at(-1);
    if (part === undefined || keys.has(key)) {
      parts.push([item]);
      keys = new Set([key]);
    } else {
      part.push(item);
      keys.add(key);
    }
  }
  return parts;
}

async function save(tx: WriteTx, asked: readonly Asked[], at: string): Promise<Outcome[]> {
  const wanted = asked.filter(({ remove }) => !remove).map((item) => item.wanted);
  const all = asked.map((item) => item.wanted);
  const targets = await findTargets(tx, {
    user_ids: all.map(({ assignee_id }) => assignee_id),
    things: all,
    pairs: all,
  });
  const { existing } = targets;
  const saved = await saveAssignments(tx, { wanted, targets, at });
  await auditSaved(tx, saved, at);
  const removed = asked
    .filter(({ remove }) => remove)
    .flatMap((item) => existing.get(pairKey(item.wanted)) ?? []);
  await takeAway(tx, removed, at);
  await auditAll(
    tx,
    removed.map((row) => toDeed("delete_assignment", { before: row, at })),
  );
  const created = new Set(saved.created.map(({ id }) => id));
  const again = new Set(saved.reassigned.after.map(({ id }) => id));
  const ids = new Map(saved.rows.map((row) => [pairKey(row), row.id]));
  return asked.map(({ row, wanted: item, remove }) => {
    const before = existing.get(pairKey(item));
    const id = ids.get(pairKey(item)) ?? before?.id ?? null;
    if (remove) return { row, outcome: before === undefined ? "unchanged" : "removed", id, errors: [] };
    if (id !== null && created.has(id)) return { row, outcome: "created", id, errors: [] };
    return { row, outcome: id !== null && again.has(id) ? "updated" : "unchanged", id, errors: [] };
  });
}

async function auditSaved(tx: WriteTx, { created, reassigned }: Saved, at: string): Promise<void> {
  const before = new Map(reassigned.before.map((row) => [row.id, row]));
  await auditAll(tx, [
    ...created.map((after) => toDeed("create_assignment", { after, at })),
    ...reassigned.after.map((after) => {
      const was = before.get(after.id);
      return toDeed("reassign_assignment", { after, at, ...(was && { before: was }) });
    }),
  ]);
}

/** An assignment before and after, as the audit keeps it. */
function toDeed(
  action: string,
  { before, after, at }: { before?: StoredAssignment; after?: StoredAssignment; at: string },
): Deed {
  const resource_id = before?.id ?? after?.id ?? null;
  return {
    action,
    resource_type: "assignment",
    resource_id,
    before: before === undefined ? null : toState(before),
    after: after === undefined ? null : toState(after),
    at,
  };
}

function toState({
  assignee_id,
  assignable_type,
  assignable_id,
  due_by,
  status,
  score,
}: StoredAssignment): object {
  return { assignee_id, assignable_type, assignable_id, due_by, status, score };
}
