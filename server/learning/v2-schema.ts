import { Type, type Static } from "typebox";
import { File } from "../files/v2-schema.ts";
import { CursorQuery, listOf } from "../http/cursor.ts";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";
import { LessonAnswer } from "../lessons/content/answer-schema.ts";
import { LearnerDocument, LearnerQuestion } from "../lessons/content/learner-schema.ts";

export const AttemptParams = Type.Object({ attempt_id: Id });
export const QuestionParams = Type.Object({
  attempt_id: Id,
  question_id: Type.String({
    pattern: "^[a-z0-9-]{1,40}$",
    description: "The id of a question in its lesson.",
  }),
});

export const attemptStatuses = ["open", "grade_pending", "completed", "failed", "ended"] as const;
export type AttemptStatus = (typeof attemptStatuses)[number];
const AttemptStatus = Type.Unsafe<AttemptStatus>({
  type: "string",
  enum: attemptStatuses,
  description:
    "failed: below the pass mark, the lesson may be taken again; ended: it was assigned anew before this was finished.",
});
const Score = nullable(Type.Integer({ minimum: 0, maximum: 100 }), {
  description: "Per cent; null until all is graded, and for a lesson without questions.",
});
const Seconds = Type.Integer({ minimum: 0, description: "For how long the learner was active, in seconds." });

/** An attempt in lists. */
export const LessonAttempt = component(
  "LessonAttempt",
  closed({
    id: Id,
    resource_type: Type.Literal("attempt"),
    user_id: Id,
    lesson_id: Id,
    title: Type.String({ description: "The title that the version has." }),
    version: Type.Integer({ description: "The version of the lesson that is taken." }),
    assignment_id: nullable(Id, {
      description: "In which it was begun; it may be gone. Null for one from the library.",
    }),
    status: AttemptStatus,
    score: Score,
    page_id: nullable(Type.String(), { description: "Where the learner is." }),
    seconds_spent: Seconds,
    started_at: Time,
    finished_at: nullable(Time),
    graded_at: nullable(Time, { description: "When a person had graded the last answer." }),
  }),
);
export type LessonAttempt = Static<typeof LessonAttempt>;

const Points = {
  correct: nullable(Type.Boolean(), {
    description: "Null where it is neither, where a person decides, and before the learner may know.",
  }),
  points: nullable(closed({ earned: Type.Integer(), possible: Type.Integer() }), {
    description: "Null while it waits to be graded, and before the learner may know.",
  }),
};
const revision = Type.Integer({ minimum: 1, description: "How often the answer was given." });

/** An answer of an attempt. */
export const GivenAnswer = component(
  "GivenAnswer",
  closed({
    question_id: Type.String(),
    answer: ref(LessonAnswer),
    revision,
    is_final: Type.Boolean({ description: "Whether it can't be changed any more." }),
    saved_at: Time,
    ...Points,
    comment: nullable(Type.String(), { description: "What the grader says." }),
    graded_by: nullable(Id),
    graded_at: nullable(Time),
  }),
);
export type GivenAnswer = Static<typeof GivenAnswer>;

const content = {
  language: Type.String(),
  document: ref(LearnerDocument),
  answers: Type.Array(ref(GivenAnswer)),
  files: Type.Array(ref(File), { description: "Those that the lesson and the answers show." }),
};

/** An attempt as who takes it needs it. */
export const TakenLesson = component("TakenLesson", closed({ ...LessonAttempt.properties, ...content }));
export type TakenLesson = Static<typeof TakenLesson>;

export const StartedLesson = closed({
  ...TakenLesson.properties,
  resumed: Type.Boolean({ description: "Whether it was open already." }),
});

/** A finished attempt with everything that is known of it. */
export const ReportCard = component(
  "ReportCard",
  closed({
    ...LessonAttempt.properties,
    user_name: Type.String(),
    retake_score: Type.Integer({ description: "The pass mark of the version; 0 for none." }),
    ...content,
  }),
);
export type ReportCard = Static<typeof ReportCard>;

export const NewAttempt = closed({
  lesson_id: Id,
  assignment_id: Type.Optional(
    Type.Integer({ ...Id, description: "One's own that has the lesson, where there are several." }),
  ),
});

export const AnswerBody = closed({
  answer: Type.Unsafe<unknown>({
    type: "object",
    description: "A LessonAnswer with the ids that came with the question. It may be half done.",
  }),
  revision: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        "The revision that this window has seen, 0 for none: then the answer tells what it replaced.",
    }),
  ),
});

export const SavedAnswer = closed({
  question_id: Type.String(),
  revision,
  saved_at: Time,
  replaced: Type.Optional(
    closed(
      { answer: ref(LessonAnswer), revision, saved_at: Time },
      { description: "What another window had saved, which this window had not seen." },
    ),
  ),
});
export type SavedAnswer = Static<typeof SavedAnswer>;

export const CheckedAnswer = closed({
  question_id: Type.String(),
  revision,
  ...Points,
  question: ref(LearnerQuestion),
});
export type CheckedAnswer = Static<typeof CheckedAnswer>;

export const PlaceBody = closed({
  page_id: Type.String({ maxLength: 40 }),
  active_seconds: Type.Integer({
    minimum: 0,
    maximum: 3600,
    description:
      "For how long the learner was active since the last report. At most 60, and what has passed, count.",
  }),
});
export const AttemptPlace = closed({
  page_id: nullable(Type.String()),
  seconds_spent: Seconds,
  answers: Type.Array(closed({ question_id: Type.String(), revision }), {
    description: "What is saved: a revision that a window has not seen came from another one.",
  }),
});
export type AttemptPlace = Static<typeof AttemptPlace>;

export const AttemptQuery = Type.Object({
  ...CursorQuery,
  "filter[lesson_id]": Type.Optional(Id),
  "filter[status]": Type.Optional(AttemptStatus),
});
export type AttemptQuery = Static<typeof AttemptQuery>;
export const ReportCardQuery = Type.Object({ ...CursorQuery, "filter[lesson_id]": Type.Optional(Id) });
export const AttemptList = listOf(ref(LessonAttempt));

export const attemptComponents = [LessonAttempt, GivenAnswer, TakenLesson, ReportCard] as const;
