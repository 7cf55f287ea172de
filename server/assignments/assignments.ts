import type { Tx } from "../db/db.ts";
import type { Assignables, Assignments } from "../db/schema.ts";
import { startOfToday, utcTime, utcTimeOrNull } from "../time.ts";

/** What can be assigned, in the contract's words. */
export type AssignableType = Assignables["assignable_type"];

/** A lesson, a path or a course. */
export interface Thing {
  readonly assignable_type: AssignableType;
  readonly assignable_id: number;
}

/** The statuses that are stored. Overdue is not: it comes with the time. */
export type StoredStatus = Assignments["status"];

/** An assignment as it is stored. */
export interface StoredAssignment extends Thing {
  readonly id: number;
  readonly assignee_id: number;
  /** The group by which the user got it. */
  readonly group_id: number | null;
  readonly assigned_at: string;
  readonly due_by: string | null;
  readonly reassigned_at: string | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly updated_at: string;
  readonly status: StoredStatus;
  readonly score: number | null;
}

/** What answers show of it. ext_uid is the assignee's. */
export interface AssignmentRow extends StoredAssignment {
  readonly ext_uid: string | null;
}

/** An assignment that somebody is to have. group_id names the group by which they get it. */
export interface Wanted extends Thing {
  readonly assignee_id: number;
  readonly due_by: string | null;
  readonly group_id: number | null;
  /** Whether they are mailed about it; yes without. */
  readonly notify?: boolean;
}

/** Whether the learner has finished: what waits for a grader counts as a completion. */
export function isFinished(status: StoredStatus): boolean {
  return status !== "Incomplete";
}

/** What a person calls it. */
export function nameOf(assignable_type: AssignableType): "Lesson" | "Path" | "Course" {
  return assignable_type === "LearningPaths::Path" ? "Path" : assignable_type;
}

/** An assignment as paginated lists show it. */
export interface Assignment extends Thing {
  id: number;
  resource_type: "assignment";
  assignee_id: number;
  ext_uid: string | null;
  assigned_at: string;
  due_by: string | null;
  reassigned_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  updated_at: string;
  status: StoredStatus | "Overdue";
  score: number | null;
}

/**
 * Makes answers of rows. Overdue is found here and stored nowhere: an assignment is, once the day of its due date (UTC)
 * is before the company's today, while it is Incomplete.
 */
export function toAssignments(tx: Tx, rows: readonly AssignmentRow[]): Assignment[] {
  const today = startOfToday(tx.now, tx.company.time_zone);
  return rows.map((row) => ({
    id: row.id,
    resource_type: "assignment",
    assignee_id: row.assignee_id,
    assignable_type: row.assignable_type,
    assignable_id: row.assignable_id,
    ext_uid: row.ext_uid,
    assigned_at: utcTime(row.assigned_at),
    due_by: utcTimeOrNull(row.due_by),
    reassigned_at: utcTimeOrNull(row.reassigned_at),
    started_at: utcTimeOrNull(row.started_at),
    completed_at: utcTimeOrNull(row.completed_at),
    updated_at: utcTime(row.updated_at),
    status: isOverdue(row, today) ? "Overdue" : row.status,
    score: row.score,
  }));
}

/** Whether it is overdue. The texts compare as the times do: both are UTC, in the order of year to second. */
export function isOverdue({ status, due_by }: StoredAssignment, today: string): boolean {
  return status === "Incomplete" && due_by !== null && due_by < today;
}
