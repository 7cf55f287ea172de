import type { WriteTx } from "../db/db.ts";
import { differences } from "../events/record.ts";
import { startOfToday } from "../time.ts";
import type { StoredAssignment } from "./assignments.ts";
import { showAssignment } from "./show.ts";

export interface AssignmentChange {
  readonly before: readonly StoredAssignment[];
  readonly after: readonly StoredAssignment[];
  /** Those whose people are not to be mailed about it. */
  readonly silent?: ReadonlySet<number>;
}

/** Notes what has happened to assignments: one that is only in `after` is new, one that is only in `before` is gone. */
export function noteAssignments(tx: WriteTx, { before, after, silent }: AssignmentChange): void {
  const today = startOfToday(tx.now, tx.company.time_zone);
  const had = new Map(before.map((row) => [row.id, row]));
  const has = new Set(after.map(({ id }) => id));
  for (const row of after) {
    const was = had.get(row.id);
    const data = showAssignment(row, today);
    const previous = was === undefined ? null : differences(showAssignment(was, today), data);
    if (previous === undefined) continue;
    const shared = { resource_id: row.id, user_id: row.assignee_id, data, previous };
    const notify = silent === undefined || !silent.has(row.id);
    for (const type of nameHappenings(was, row)) tx.changes.add({ ...shared, type, notify });
  }
  for (const { id, assignee_id } of before) {
    if (has.has(id)) continue;
    const data = { id };
    tx.changes.add({ type: "assignment.deleted", resource_id: id, user_id: assignee_id, data });
  }
}

/** One change may be several things at once: what a grader completes is graded, and completed. */
function nameHappenings(was: StoredAssignment | undefined, row: StoredAssignment): string[] {
  const isCompleted = row.status === "Completed" && was?.status !== "Completed";
  const completed = isCompleted ? ["assignment.completed"] : [];
  if (was === undefined) return ["assignment.created", ...completed];
  const isGraded = was.status === "Grade Pending" && row.status !== "Grade Pending";
  const graded = isGraded ? ["assignment.graded"] : [];
  if (row.reassigned_at !== was.reassigned_at) return [...graded, "assignment.reassigned"];
  const isBegun = was.started_at === null && row.started_at !== null && row.status === "Incomplete";
  const isSubmitted = row.status === "Grade Pending" && was.status !== "Grade Pending";
  const names = [
    ...(isBegun ? ["assignment.started"] : []),
    ...(isSubmitted ? ["assignment.submitted"] : []),
    ...graded,
    ...completed,
    ...(row.due_by === was.due_by ? [] : ["assignment.due_changed"]),
  ];
  return names.length === 0 ? ["assignment.updated"] : names;
}
