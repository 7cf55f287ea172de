import { Type, type Static } from "typebox";
import { CursorQuery, listOf } from "../http/cursor.ts";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";
import { LessonAnswer } from "../lessons/content/answer-schema.ts";
import { LearnerQuestion } from "../lessons/content/learner-schema.ts";

/** An answer that waits for a person. */
export const PendingAnswer = component(
  "PendingAnswer",
  closed({
    attempt_id: Id,
    question_id: Type.String(),
    lesson_id: Id,
    title: Type.String({ description: "The lesson's, as it was taken." }),
    version: Type.Integer(),
    user: nullable(closed({ id: Id, name: Type.String() }), { description: "Null where the list is blind." }),
    finished_at: Time,
    question: ref(LearnerQuestion),
    answer: ref(LessonAnswer),
    claimed_by: nullable(Id, { description: "Who is grading it now." }),
    claimed_until: nullable(Time),
  }),
);
export type PendingAnswer = Static<typeof PendingAnswer>;

export const PendingAnswers = listOf(ref(PendingAnswer));

export const QueueQuery = Type.Object({
  ...CursorQuery,
  "filter[group_id]": Type.Optional(
    Type.Integer({ ...Id, description: "Answers of users who are members of this group now." }),
  ),
  "filter[lesson_id]": Type.Optional(Id),
  blind: Type.Optional(Type.Boolean({ description: "Whether to hide who has answered." })),
});
export type QueueQuery = Static<typeof QueueQuery>;

export const Claim = closed({
  attempt_id: Id,
  question_id: Type.String(),
  claimed_by: Id,
  claimed_until: Time,
});
export type Claim = Static<typeof Claim>;

const comment = Type.Optional(
  nullable(Type.String({ maxLength: 10_000 }), { description: "What the learner reads about the answer." }),
);
export const GradeBody = closed(
  {
    percent: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 100, description: "For a question without a rubric." }),
    ),
    points: Type.Optional(
      Type.Array(closed({ id: Type.String({ maxLength: 40 }), points: Type.Integer({ minimum: 0 }) }), {
        maxItems: 200,
        description: "For a question with a rubric: each row of it, once.",
      }),
    ),
    comment,
  },
  { examples: [{ percent: 80, comment: "Well reasoned; name your sources." }] },
);
export type GradeBody = Static<typeof GradeBody>;

export const Graded = closed({
  attempt_id: Id,
  question_id: Type.String(),
  points: closed({ earned: Type.Integer(), possible: Type.Integer() }),
  comment: nullable(Type.String()),
  graded_by: nullable(Id, { description: "Null for an API key." }),
  graded_at: Time,
  attempt_status: Type.Unsafe<"grade_pending" | "completed" | "failed">({
    type: "string",
    enum: ["grade_pending", "completed", "failed"],
    description: "What the attempt is now: it waits until its last answer is graded.",
  }),
  score: nullable(Type.Integer({ minimum: 0, maximum: 100 })),
});
export type Graded = Static<typeof Graded>;
