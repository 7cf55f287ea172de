import { Type, type Static } from "typebox";
import { PageQuery } from "../http/page.ts";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";

const AssignableType = Type.Unsafe<"Lesson" | "LearningPaths::Path" | "Course">({
  type: "string",
  enum: ["Lesson", "LearningPaths::Path", "Course"],
});

const resource_type = Type.Literal("assignment");

/** Who has what. */
const about = {
  assignee_id: Type.Integer({ minimum: 1, description: "The user." }),
  assignable_type: AssignableType,
  assignable_id: Id,
  ext_uid: nullable(Type.String(), { description: "The user's id in another system." }),
};
const assigned_at = Time;
const due_by = nullable(Time, { description: "Overdue begins with the day after this one." });
const reassigned_at = nullable(Time, { description: "When it was last assigned anew, after a completion." });
const started_at = nullable(Time);
const completed_at = nullable(Time);
const updated_at = Type.String({ ...Time, description: "When the assignment last changed." });
const result = {
  status: Type.Unsafe<"Incomplete" | "Completed" | "Overdue" | "Grade Pending">({
    type: "string",
    enum: ["Incomplete", "Completed", "Overdue", "Grade Pending"],
  }),
  score: nullable(Type.Integer({ minimum: 0, maximum: 100 }), {
    description: "Per cent. After a new assignment it is still that of the last completion.",
  }),
};

const listed = {
  id: Id,
  resource_type,
  ...about,
  assigned_at,
  due_by,
  reassigned_at,
  started_at,
  completed_at,
  updated_at,
  ...result,
};

/** An assignment in a paginated list. */
export const Assignment = component("Assignment", closed(listed));

/** What a path assignment shows of its path: lessons with their progress, and nested paths. */
export type AssignmentContent =
  | {
      id: number;
      resource_type: "lesson";
      started_at: string | null;
      completed_at: string | null;
      score?: number;
      status: "Completed" | "Incomplete";
    }
  | { id: number; resource_type: "path"; contents: AssignmentContent[] };

// One object for both kinds, as a choice between schemas would be tried anew for all that lies below each level.
export const AssignmentContents = component(
  "AssignmentContent",
  closed(
    {
      id: Id,
      resource_type: Type.Unsafe<"lesson" | "path">({ type: "string", enum: ["lesson", "path"] }),
      started_at: Type.Optional(nullable(Time, { description: "Lessons only." })),
      completed_at: Type.Optional(nullable(Time, { description: "Lessons only." })),
      score: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 100, description: "Lessons that have one only." }),
      ),
      status: Type.Optional(
        Type.Unsafe<"Completed" | "Incomplete">({
          type: "string",
          enum: ["Completed", "Incomplete"],
          description: "Lessons only.",
        }),
      ),
      contents: Type.Optional(
        Type.Array(Type.Unsafe<AssignmentContent>({ $ref: "AssignmentContent#" }), {
          description: "Paths only.",
        }),
      ),
    },
    { description: "A lesson with the assignee's progress, or a nested path." },
  ),
);

/** An assignment in the list of version 1.1. */
export const ListedAssignment = component(
  "ListedAssignment",
  closed({
    ...listed,
    contents: Type.Optional(
      Type.Array(Type.Unsafe<AssignmentContent>({ $ref: "AssignmentContent#" }), {
        description: "Path assignments only.",
      }),
    ),
    is_certification: Type.Optional(Type.Boolean({ description: "Path assignments only." })),
  }),
);

/** An assignment among a user's own. */
export const UserAssignment = component(
  "UserAssignment",
  closed({
    id: Id,
    type: Type.Literal("Assignment"),
    resource_type,
    ...about,
    due_by,
    reassigned_at,
    completed_at,
    updated_at,
    ...result,
  }),
);

/** An assignment in the answer to assigning a lesson. */
export const AssignedLesson = component(
  "AssignedLesson",
  closed({ id: Id, resource_type, ...about, due_by, reassigned_at, completed_at, updated_at, ...result }),
);

/** An assignment in the answer to assigning a path or a course. */
export const AssignedThing = component(
  "AssignedThing",
  closed({ id: Id, resource_type, ...about, due_by, reassigned_at, completed_at, ...result }),
);

/** A page of a list whose answer's type is this. */
export function pageOf<const T extends string>(type: T) {
  return closed({ ...envelope(type), assignments: Type.Array(ref(Assignment)) });
}

function envelope<const T extends string>(type: T) {
  return {
    type: Type.Literal(type),
    total_assignments: Type.Integer(),
    total_pages: Type.Integer(),
    page: Type.Integer(),
    per_page: Type.Integer(),
  };
}

export const ListedAssignmentPage = closed({
  ...envelope("assignments"),
  assignments: Type.Array(ref(ListedAssignment)),
});

const changedAfter = {
  "gt[updated_at]": Type.Optional(
    Type.String({
      format: "moment",
      description:
        "Assignments that changed after this date or timestamp, the newest change first. Who asks again with the largest updated_at they have seen misses no change.",
    }),
  ),
};

export const AssignmentQuery = Type.Object(
  { ...PageQuery, ...changedAfter },
  { ignores: ["filter[group_id]"] },
);

export const ListedAssignmentQuery = Type.Object({
  ...PageQuery,
  ...changedAfter,
  "filter[group_id]": Type.Optional(
    Type.Integer({ minimum: 1, description: "Assignments of users who are members of this group now." }),
  ),
});
export type AssignmentFilters = Static<typeof ListedAssignmentQuery>;

export const PagedQuery = Type.Object(PageQuery);

const statuses = ["incomplete", "completed", "overdue", "grade_pending"] as const;
export type StatusName = (typeof statuses)[number];
export const StatusParams = Type.Object({
  status: Type.Unsafe<StatusName>({
    type: "string",
    enum: statuses,
    description: "The status that all of them have.",
  }),
});

/** More than a body of the largest size holds. */
const MOST_ASSIGNMENTS = 10_000;

const wish = {
  due_by: Type.Optional(
    nullable(Type.String({ format: "moment" }), {
      description: "A date (its midnight UTC) or an ISO 8601 timestamp.",
    }),
  ),
  notify: Type.Optional(Type.Boolean({ description: "Whether to mail the user. Default: true." })),
};

export const AssignBody = Type.Object(
  {
    assignments: Type.Optional(
      Type.Array(Type.Object({ assignee_id: Id, ...wish }), { maxItems: MOST_ASSIGNMENTS }),
    ),
  },
  { examples: [{ assignments: [{ assignee_id: 17, due_by: "2026-12-31", notify: false }] }] },
);
export type AssignBody = Static<typeof AssignBody>;

export const UserAssignBody = Type.Object(
  {
    assignments: Type.Array(
      Type.Object({
        assignable_id: Id,
        assignable_type: Type.Unsafe<"Lesson" | "LearningPaths::Path">({
          type: "string",
          enum: ["Lesson", "LearningPaths::Path"],
        }),
        ...wish,
      }),
      { maxItems: MOST_ASSIGNMENTS },
    ),
  },
  { examples: [{ assignments: [{ assignable_id: 12, assignable_type: "Lesson", due_by: "2026-12-31" }] }] },
);
export type UserAssignBody = Static<typeof UserAssignBody>;

/** How many users who are assigned a thing have completed it. */
export function completedCount<const T extends string>(type: T) {
  return closed({ type: Type.Literal(type), completed_count: Type.Integer() });
}

/** How many learners have completed a thing by any way, or await a grade. */
export function completionCount<const T extends string>(type: T) {
  return closed({ type: Type.Literal(type), completion_count: Type.Integer() });
}

export const CompletionBreakdown = closed({
  type: Type.Literal("lesson_completion_breakdown"),
  total: Type.Integer({ description: "Learners who have completed the lesson, or await a grade." }),
  via_assignment: Type.Integer({ description: "Those who did by an assignment of the lesson." }),
  via_other: Type.Integer({ description: "The others: within an assigned path, or from the library." }),
});
