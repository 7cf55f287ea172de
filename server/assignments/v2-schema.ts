import { Type, type Static } from "typebox";
import { CursorQuery, listOf } from "../http/cursor.ts";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";
import type { Lock, PathStep } from "../learning/path-steps.ts";
import { LessonAttempt } from "../learning/v2-schema.ts";

const AssignableType = Type.Unsafe<"Lesson" | "LearningPaths::Path" | "Course">({
  type: "string",
  enum: ["Lesson", "LearningPaths::Path", "Course"],
  description: "What is assigned.",
});
const statuses = ["Incomplete", "Overdue", "Grade Pending", "Completed"] as const;
const Status = Type.Unsafe<(typeof statuses)[number]>({
  type: "string",
  enum: statuses,
  description: "Overdue comes with the day after due_by, while it is Incomplete.",
});
const DueBy = nullable(Time, { description: "Overdue begins with the day after this one." });
const Score = nullable(Type.Integer({ minimum: 0, maximum: 100 }), {
  description: "Per cent. Until it is completed again, that of the last time.",
});

const about = {
  id: Id,
  resource_type: Type.Literal("assignment"),
  assignable_type: AssignableType,
  assignable_id: Id,
  assigned_at: Time,
  due_by: DueBy,
  reassigned_at: nullable(Time, {
    description: "When it was last assigned anew; failing does so by itself.",
  }),
  started_at: nullable(Time),
  completed_at: nullable(Time),
  updated_at: Time,
  status: Status,
  score: Score,
};

/** An assignment as who assigns sees it. */
export const AssignmentDetails = component(
  "AssignmentDetails",
  closed({
    ...about,
    user_id: Id,
    group_id: nullable(Id, { description: "The group by which the user got it." }),
    user: Type.Optional(
      closed(
        { id: Id, name: Type.String(), email: Type.String() },
        { description: "Of a single one, and where `include` names user." },
      ),
    ),
    content: Type.Optional(
      closed(
        { title: Type.String() },
        { description: "Of a single one, and where `include` names content." },
      ),
    ),
  }),
);
export type AssignmentDetails = Static<typeof AssignmentDetails>;

export const AssignmentParams = Type.Object({ assignment_id: Id });
export const AssignmentDetailsList = listOf(ref(AssignmentDetails));

const include = Type.Optional(
  Type.String({
    pattern: "^(user|content)(,(user|content))*$",
    description: "What to show with each: `user`, `content`, or both with a comma.",
    examples: ["user,content"],
  }),
);

export const AssignmentsQuery = Type.Object({
  ...CursorQuery,
  "filter[user_id]": Type.Optional(Id),
  "filter[group_id]": Type.Optional(
    Type.Integer({ ...Id, description: "Assignments of users who are members of this group now." }),
  ),
  "filter[assignable_type]": Type.Optional(AssignableType),
  "filter[assignable_id]": Type.Optional(
    Type.Integer({ ...Id, description: "With filter[assignable_type]." }),
  ),
  "filter[status]": Type.Optional(Status),
  "filter[updated_since]": Type.Optional(
    Type.String({ format: "moment", description: "Those that changed at this date or time, or later." }),
  ),
  sort: Type.Optional(
    Type.Unsafe<"id" | "-updated_at">({
      type: "string",
      enum: ["id", "-updated_at"],
      default: "id",
      description: "-updated_at: the newest change first.",
    }),
  ),
  include,
});
export type AssignmentsQuery = Static<typeof AssignmentsQuery>;

/** More are bulk work. */
const MOST_USERS = 1_000;

const due_by = Type.Optional(
  nullable(Type.String({ format: "moment" }), {
    description: "A date (its midnight UTC) or an ISO 8601 timestamp.",
  }),
);
export const NewAssignments = closed(
  {
    user_ids: Type.Array(Id, { minItems: 1, maxItems: MOST_USERS }),
    assignable_type: AssignableType,
    assignable_id: Id,
    due_by,
  },
  { examples: [{ user_ids: [17], assignable_type: "Lesson", assignable_id: 12, due_by: "2026-12-31" }] },
);
export const MadeAssignments = closed({ data: Type.Array(ref(AssignmentDetails)) });
export const AssignmentChange = closed({ due_by }, { examples: [{ due_by: "2027-01-31" }] });
export type AssignmentChange = Static<typeof AssignmentChange>;
export const RemovedAssignment = closed({ id: Id });

export const AssignmentHistory = closed({
  assignment_id: Id,
  rounds: Type.Array(
    closed({
      round: Type.Integer({ minimum: 1 }),
      due_by: DueBy,
      started_at: nullable(Time),
      completed_at: nullable(Time),
      status: Status,
      score: nullable(Type.Integer({ minimum: 0, maximum: 100 })),
      attempts: Type.Array(ref(LessonAttempt)),
    }),
    {
      description:
        "Each time that it was assigned until it was completed, the first one first; the last is that of now.",
    },
  ),
});
export type AssignmentHistory = Static<typeof AssignmentHistory>;

export const assignmentStates = ["assigned", "in_progress", "overdue", "grading", "done"] as const;
export type AssignmentState = (typeof assignmentStates)[number];

/** An assignment as its learner sees it. */
export const MyAssignment = component(
  "MyAssignment",
  closed({
    ...about,
    title: Type.String(),
    state: Type.Unsafe<AssignmentState>({ type: "string", enum: assignmentStates }),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description:
        "Per cent: of a lesson the pages before the one where the learner is, of a path or course the lessons.",
    }),
    attempt_id: nullable(Id, { description: "Of a lesson: the attempt that is open." }),
    next_step: nullable(
      closed({
        lesson_id: Id,
        title: Type.String(),
      }),
      { description: "The lesson to take now; null when there is none." },
    ),
    next_opens_at: nullable(Time, {
      description:
        "Where all that is left of a path is locked: when the next lesson opens, if that is known.",
    }),
  }),
);
export type MyAssignment = Static<typeof MyAssignment>;

const stepTypes = ["lesson", "path", "wait_step", "placeholder"] as const;

/** A step of an assigned path. One object for all kinds, as a choice would be tried anew on each level. */
export const LearnerStep = component(
  "LearnerStep",
  closed({
    type: Type.Unsafe<PathStep["type"]>({ type: "string", enum: stepTypes }),
    id: Id,
    state: Type.Unsafe<PathStep["state"]>({
      type: "string",
      enum: ["open", "in_progress", "grade_pending", "done", "locked"],
    }),
    locked_until: nullable(Time, { description: "When a locked step opens, if that is known." }),
    because: nullable(
      closed({
        type: Type.Unsafe<Lock["type"]>({ type: "string", enum: ["lesson", "path", "wait_step"] }),
        id: Id,
        title: nullable(Type.String()),
      }),
      { description: "What keeps it locked." },
    ),
    title: Type.Optional(Type.String({ description: "Lessons and paths." })),
    description: Type.Optional(nullable(Type.String(), { description: "Placeholders." })),
    score: Type.Optional(nullable(Type.Integer(), { description: "Lessons." })),
    started_at: Type.Optional(nullable(Time, { description: "Lessons." })),
    completed_at: Type.Optional(nullable(Time, { description: "Lessons." })),
    steps: Type.Optional(
      Type.Array(Type.Unsafe<PathStep>({ $ref: "LearnerStep#" }), { description: "Paths." }),
    ),
  }),
);

export const MyAssignmentDetails = closed({
  ...MyAssignment.properties,
  attempts: Type.Array(ref(LessonAttempt), { description: "The newest first." }),
  steps: Type.Optional(
    Type.Unsafe<readonly PathStep[]>(Type.Array(ref(LearnerStep), { description: "Of a path." })),
  ),
});
export type MyAssignmentDetails = Static<typeof MyAssignmentDetails>;

export const assignmentComponents = [AssignmentDetails, MyAssignment, LearnerStep] as const;

export const MyAssignments = listOf(ref(MyAssignment));
export const MyAssignmentsQuery = Type.Object({
  ...CursorQuery,
  "filter[state]": Type.Optional(
    Type.Unsafe<AssignmentState | "due">({
      type: "string",
      enum: [...assignmentStates, "due"],
      description: "due: to be done by a day that has not passed.",
    }),
  ),
});
export type MyAssignmentsQuery = Static<typeof MyAssignmentsQuery>;
