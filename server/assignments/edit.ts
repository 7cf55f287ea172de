import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { requireMatch } from "../http/match.ts";
import { conflict } from "../http/problem.ts";
import { parseMoment } from "../time.ts";
import { nameOf } from "./assignments.ts";
import type { StoredAssignment } from "./assignments.ts";
import { countAssignments } from "./counts.ts";
import { getDetails, toDetails, WHOLE } from "./details.ts";
import { assignmentCounters } from "./give.ts";
import { reassign } from "./reassign.ts";
import { takeAway } from "./take-away.ts";
import { findTargets, thingKey } from "./targets.ts";
import type { AssignmentChange, AssignmentDetails } from "./v2-schema.ts";

/** Changes the due date. @throws Problem 404, 412 */
export async function updateAssignment(
  tx: WriteTx,
  id: number,
  change: AssignmentChange,
): Promise<AssignmentDetails> {
  const at = await lockCounters(tx, ...assignmentCounters);
  const before = await getDetails(tx, "assignments.write", id);
  requireMatch(tx, toDetails(tx, before, WHOLE), change);
  if (change.due_by === undefined) return toDetails(tx, before, WHOLE);
  const after = { ...before, due_by: readMoment(change.due_by), updated_at: at };
  await tx.sql
    .updateTable("assignments")
    .set({ due_by: after.due_by, updated_at: at })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
  await countAssignments(tx, { before: [before], after: [after], learners: [], at });
  await audit(tx, {
    action: "update_assignment",
    resource_type: "assignment",
    resource_id: id,
    before: { due_by: before.due_by },
    after: { due_by: after.due_by },
    at,
  });
  return toDetails(tx, after, WHOLE);
}

/** Begins a completed assignment anew. @throws Problem 404; 409 for one that is not completed, or of what is archived. */
export async function reassignAssignment(
  tx: WriteTx,
  id: number,
  change: AssignmentChange,
): Promise<AssignmentDetails> {
  const at = await lockCounters(tx, ...assignmentCounters);
  const before = await getDetails(tx, "assignments.write", id);
  if (before.status !== "Completed") {
    throw conflict("This assignment is not completed: only what is completed can be assigned anew");
  }
  await requireActive(tx, before);
  const due_by = readMoment(change.due_by ?? null);
  const { rows, learners } = await reassign(tx, [{ row: before, due_by }], at);
  await countAssignments(tx, { before: [before], after: rows, learners, at });
  const { started_at, completed_at, score } = before;
  await audit(tx, {
    action: "reassign_assignment",
    resource_type: "assignment",
    resource_id: id,
    before: { due_by: before.due_by, started_at, completed_at, score },
    after: { due_by },
    at,
  });
  return toDetails(tx, await getDetails(tx, "assignments.write", id), WHOLE);
}

/** Makes sure that neither the learner nor what they learn is archived. @throws Problem 409 */
async function requireActive(tx: WriteTx, assignment: StoredAssignment): Promise<void> {
  const { assignee_id, assignable_type, assignable_id } = assignment;
  const thing = { assignable_type, assignable_id };
  const { users, things } = await findTargets(tx, { user_ids: [assignee_id], things: [thing], pairs: [] });
  if (isArchived(users.get(assignee_id))) throw conflict("This user is archived: restore them first");
  if (isArchived(things.get(thingKey(thing)))) {
    throw conflict(`This ${nameOf(assignable_type).toLowerCase()} is archived: restore it first`);
  }
}

function isArchived(found: { readonly archived_at: string | null } | undefined): boolean {
  return found !== undefined && found.archived_at !== null;
}

/** PostgreSQL's own text, as what is counted by days compares texts. */
function readMoment(due_by: string | null): string | null {
  return due_by === null ? null : (parseMoment(due_by) ?? null);
}

/** Takes an assignment away; what was learned stays. @throws Problem 404 */
export async function removeAssignment(tx: WriteTx, id: number): Promise<{ id: number }> {
  const at = await lockCounters(tx, ...assignmentCounters);
  const before = await getDetails(tx, "assignments.write", id);
  const { assignee_id, assignable_type, assignable_id, due_by, status, score } = before;
  await takeAway(tx, [before], at);
  await audit(tx, {
    action: "delete_assignment",
    resource_type: "assignment",
    resource_id: id,
    before: { assignee_id, assignable_type, assignable_id, due_by, status, score },
    at,
  });
  return { id };
}
