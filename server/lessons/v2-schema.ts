import { Type, type Static } from "typebox";
import { CursorQuery } from "../http/cursor.ts";
import { closed, component, Id, Links, nullable, ref, Time } from "../http/schema.ts";
import { Language } from "../search/schema.ts";
import { MOST_QUERY_CHARACTERS } from "../search/query.ts";
import { Tag } from "../tags/schema.ts";

const text = Type.String();
const resource_type = Type.Literal("lesson");

/** A lesson as the catalogue shows it: as it was last published, or begun. */
export const LessonOverview = component(
  "LessonOverview",
  closed({
    id: Id,
    resource_type,
    title: text,
    description: nullable(text),
    language: Language,
    retake_score: Type.Integer({ description: "The pass mark in per cent; 0 for none." }),
    public: Type.Boolean({ description: "Whether it is in the library, once it is published." }),
    owner_id: nullable(Id, { description: "Whose it is; null for the company's." }),
    published_version: nullable(
      Type.Integer({ description: "The version that people take; null where none was published yet." }),
    ),
    created_at: Time,
    last_updated_at: nullable(Time),
    archived_at: nullable(Time),
    archived_by_user_id: nullable(Id),
    tags: Type.Array(ref(Tag)),
    links: ref(Links),
    counts: Type.Optional(
      closed(
        {
          assignees: Type.Integer({ description: "Users to whom the lesson itself is assigned." }),
          completed: Type.Integer({ description: "Those of them who have completed it." }),
          total_completions: Type.Integer({ description: "Learners who have finished it in any way." }),
        },
        { description: "With `include=counts`." },
      ),
    ),
  }),
);

/** An id in a body: what is larger names nothing, and no column holds it. */
const BodyId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** Tags of one lesson: more say nothing. */
const MOST_TAGS = 100;

const settings = {
  title: Type.String({ maxLength: 1000, pattern: "\\S", description: "Can't be empty." }),
  description: nullable(Type.String({ maxLength: 100_000 })),
  language: Language,
  retake_score: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: "The pass mark in per cent; 0 for none.",
  }),
  public: Type.Boolean({ description: "Whether the library shows it." }),
  tag_ids: Type.Array(BodyId, { maxItems: MOST_TAGS }),
};

const content = Type.Unsafe<unknown>({
  type: "object",
  description: "A LessonDocument; what has a default may be left out.",
});

export const LessonReplacement = closed(
  { ...settings, content },
  {
    examples: [
      {
        title: "Fire safety",
        description: null,
        language: "en",
        retake_score: 80,
        public: false,
        tag_ids: [],
        content: { sections: [] },
      },
    ],
  },
);
export type LessonReplacement = Static<typeof LessonReplacement>;

export const LessonChange = Type.Partial(closed({ ...settings, content }), {
  additionalProperties: false,
  examples: [{ title: "Fire safety" }],
});
export type LessonChange = Static<typeof LessonChange>;

export const NewLesson = closed(
  {
    title: settings.title,
    description: Type.Optional(settings.description),
    language: Type.Optional(settings.language),
    retake_score: Type.Optional(settings.retake_score),
    public: Type.Optional(settings.public),
    tag_ids: Type.Optional(settings.tag_ids),
    content: Type.Optional(content),
  },
  { examples: [{ title: "Fire safety" }] },
);
export type NewLesson = Static<typeof NewLesson>;

export const LessonCopy = closed(
  { title: Type.Optional(settings.title) },
  { examples: [{ title: "Fire safety, shorter" }] },
);
export type LessonCopy = Static<typeof LessonCopy>;

const flag = Type.Unsafe<"true" | "false">({ type: "string", enum: ["true", "false"] });

const include = Type.Optional(Type.Literal("counts", { description: "What to add to each lesson." }));

export const LessonsQuery = closed({
  ...CursorQuery,
  "filter[q]": Type.Optional(
    Type.String({ maxLength: MOST_QUERY_CHARACTERS, description: "Words of its title, tags or text." }),
  ),
  "filter[tag_id]": Type.Optional(Id),
  "filter[archived]": Type.Optional({
    ...flag,
    description: "Whether it is archived; both where it is left out.",
  }),
  "filter[published]": Type.Optional({ ...flag, description: "Whether it was ever published here." }),
  "filter[mine]": Type.Optional({ ...flag, description: "Whether one is its owner or an author of it." }),
  include,
});
export type LessonsQuery = Static<typeof LessonsQuery>;

export const LessonQuery = closed({ include });
export type LessonQuery = Static<typeof LessonQuery>;

/** Who may write a lesson. */
export const LessonAuthor = component(
  "LessonAuthor",
  closed({
    user_id: Id,
    name: text,
    role: Type.Unsafe<"owner" | "author">({ type: "string", enum: ["owner", "author"] }),
  }),
);

export const AuthorChange = closed(
  { role: Type.Unsafe<"owner" | "author">({ type: "string", enum: ["owner", "author"] }) },
  { examples: [{ role: "author" }] },
);
export type AuthorChange = Static<typeof AuthorChange>;

export const AuthorParams = Type.Object({ lesson_id: Id, user_id: Id });
