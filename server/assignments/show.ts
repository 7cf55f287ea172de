import { utcTime, utcTimeOrNull } from "../time.ts";
import { isOverdue, type StoredAssignment } from "./assignments.ts";
import type { AssignmentDetails } from "./v2-schema.ts";

/** An assignment as version 2 and events show it: what it says itself, without whom and what it is about. */
export function showAssignment(row: StoredAssignment, today: string): AssignmentDetails {
  return {
    id: row.id,
    resource_type: "assignment",
    user_id: row.assignee_id,
    group_id: row.group_id,
    assignable_type: row.assignable_type,
    assignable_id: row.assignable_id,
    assigned_at: utcTime(row.assigned_at),
    due_by: utcTimeOrNull(row.due_by),
    reassigned_at: utcTimeOrNull(row.reassigned_at),
    started_at: utcTimeOrNull(row.started_at),
    completed_at: utcTimeOrNull(row.completed_at),
    updated_at: utcTime(row.updated_at),
    status: isOverdue(row, today) ? "Overdue" : row.status,
    score: row.score,
  };
}
