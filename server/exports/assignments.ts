import { listDetails } from "../assignments/details.ts";
import type { AssignmentDetails, AssignmentsQuery } from "../assignments/v2-schema.ts";
import { encodeCursor } from "../http/cursor.ts";
import type { Row } from "./csv.ts";
import type { Exported } from "./stream.ts";

export const assignmentColumns = [
  "id",
  "user_id",
  "user_name",
  "user_email",
  "assignable_type",
  "assignable_id",
  "title",
  "group_id",
  "assigned_at",
  "due_by",
  "reassigned_at",
  "started_at",
  "completed_at",
  "updated_at",
  "status",
  "score",
] as const;

/** The assignments that the viewer may see, by id, as the list has them. */
export function exportAssignments(filters: AssignmentsQuery): Exported<number, AssignmentDetails> {
  const query = { ...filters, sort: "id", include: "user,content" } as const;
  return {
    read: async (tx, after = 0, limit) => {
      const { data } = await listDetails(tx, { ...query, limit, cursor: encodeCursor([after]) });
      return data;
    },
    position: ({ id }) => id,
    show: ({ user, content, ...assignment }): Row => ({
      ...assignment,
      user_name: user?.name ?? null,
      user_email: user?.email ?? null,
      title: content?.title ?? null,
    }),
  };
}
