import { Type, type Static } from "typebox";
import { CursorQuery, listOf } from "../http/cursor.ts";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";

const AssignableType = Type.Unsafe<"Lesson" | "LearningPaths::Path" | "Course">({
  type: "string",
  enum: ["Lesson", "LearningPaths::Path", "Course"],
});

/** The longest that a due date may lie after joining: ten years. */
const MOST_DUE_DAYS = 3_650;
const due_days = nullable(
  Type.Integer({
    minimum: 0,
    maximum: MOST_DUE_DAYS,
    description: "Due so many days after joining the group, in the company's time zone.",
  }),
);

/** What a group assigns to its members of now, and to everyone who joins. */
export const GroupAssignment = component(
  "GroupAssignment",
  closed({
    id: Id,
    group_id: Id,
    assignable_type: AssignableType,
    assignable_id: Id,
    due_days,
    due_by: nullable(Time, { description: "Due on this day, whenever one joins." }),
  }),
);
export type GroupAssignment = Static<typeof GroupAssignment>;
export const GroupAssignmentsPage = listOf(ref(GroupAssignment));
export const GroupAssignmentsQuery = closed(CursorQuery);

export const NewGroupAssignment = closed(
  {
    assignable_type: AssignableType,
    assignable_id: Id,
    due_days: Type.Optional(due_days),
    due_by: Type.Optional(nullable(Type.String({ format: "moment", description: "A date or a timestamp." }))),
  },
  { examples: [{ assignable_type: "Lesson", assignable_id: 1, due_days: 14 }] },
);
export type NewGroupAssignment = Static<typeof NewGroupAssignment>;

export const GroupAssignmentParams = Type.Object({ group_id: Id, group_assignment_id: Id });
