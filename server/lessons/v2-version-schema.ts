import { Type, type Static } from "typebox";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";
import { Language } from "../search/schema.ts";
import { ContentChange } from "./content/diff.ts";
import { LessonDocument } from "./content/schema.ts";

const settings = {
  title: Type.String(),
  description: nullable(Type.String()),
  language: Language,
  retake_score: Type.Integer(),
  public: Type.Boolean(),
  tag_ids: Type.Array(Id),
};

/** A lesson as its authors work on it. */
export const LessonDraft = component(
  "LessonDraft",
  closed({
    id: Type.Integer({ description: "The lesson's id." }),
    resource_type: Type.Literal("lesson_draft"),
    ...settings,
    content: ref(LessonDocument),
    based_on: nullable(Type.Integer({ description: "The version that the draft was begun from." })),
    updated_at: nullable(Time, { description: "Null for a lesson that nobody has written here yet." }),
    updated_by: nullable(Id),
  }),
);
export type LessonDraft = Static<typeof LessonDraft>;

const LEARNERS = ["nothing", "tell", "ask_again"] as const;
const learners = Type.Unsafe<(typeof LEARNERS)[number]>({
  type: "string",
  enum: [...LEARNERS],
  description:
    "What publishing means for learners: nothing; they are told; or who has completed the lesson is asked to take it again.",
});

const published = {
  lesson_id: Id,
  number: Type.Integer({ description: "Versions are numbered from 1." }),
  resource_type: Type.Literal("lesson_version"),
  title: Type.String(),
  note: nullable(Type.String()),
  learners,
  due_by: nullable(Time),
  published_at: Time,
  published_by: nullable(Id, { description: "Null for a key." }),
};

const changes = closed({
  settings: Type.Array(Type.String({ description: "A key of the draft whose value is another one." })),
  content: Type.Array(ref(ContentChange)),
});

/** A version in a list. */
export const LessonVersionSummary = component("LessonVersionSummary", closed(published));

/** What publishing did. */
export const LessonPublication = component(
  "LessonPublication",
  closed({
    ...published,
    changes,
    asked_again: Type.Integer({ description: "Whose assignments begin anew." }),
  }),
);

/** What was published, for ever. */
export const LessonVersion = component(
  "LessonVersion",
  closed({ ...published, ...settings, changes, content: ref(LessonDocument) }),
);

export const VersionParams = Type.Object({
  lesson_id: Id,
  version: Type.Integer({ minimum: 1, description: "The version's number." }),
});

export const Publishing = closed(
  {
    note: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
    learners: Type.Optional(learners),
    due_by: Type.Optional(
      nullable(Type.String({ format: "moment" }), {
        description: "With `ask_again`: a date (its midnight UTC) or an ISO 8601 timestamp.",
      }),
    ),
  },
  { examples: [{ note: "A new chapter", learners: "ask_again", due_by: "2026-12-31" }] },
);
export type Publishing = Static<typeof Publishing>;

export const MarkdownQuery = closed({
  version: Type.Optional(
    Type.Integer({ minimum: 1, description: "A version's number; the draft where it is left out." }),
  ),
});
