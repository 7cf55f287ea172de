import { Type, type Static } from "typebox";
import { archiveState, closed, component, Id, Links, nullable, ref, Time } from "../http/schema.ts";
import { Tag } from "../tags/schema.ts";

const text = Type.String();
const resource_type = Type.Literal("lesson");
const description = nullable(text);

const counts = {
  assignees_count: Type.Integer({ description: "Users to whom the lesson itself is assigned." }),
  completed_count: Type.Integer({ description: "Those of them who have completed it." }),
};

const described = {
  retake_score: Type.Integer({
    description: "The pass mark in per cent: below it the lesson is to be taken again. 0 switches that off.",
  }),
  public: Type.Boolean(),
  created_at: Time,
  last_updated_at: nullable(Time),
};
const tags = Type.Array(ref(Tag));
const links = ref(Links);

/** A lesson in a list of version 1. */
export const LessonSummary = component("LessonSummary", closed({ id: Id, title: text, ...archiveState }));

/** A lesson in a list of version 1.1. */
export const ListedLesson = component(
  "ListedLesson",
  closed({
    id: Id,
    resource_type,
    title: text,
    ...archiveState,
    ...described,
    tags,
    links: closed({
      overview: Links.properties.overview,
      shareable: Type.Optional({
        ...Links.properties.shareable,
        description: "There for public lessons alone.",
      }),
    }),
  }),
);

const full = { ...described, ...archiveState, tags, links };

/** A lesson as its own answer. */
export const Lesson = component(
  "Lesson",
  closed({
    id: Id,
    type: Type.Unsafe<"lesson" | "update_lesson">({ type: "string", enum: ["lesson", "update_lesson"] }),
    resource_type,
    title: text,
    description,
    ...counts,
    ...full,
  }),
);

/** A lesson as its own answer in version 1.1, where the counts have endpoints of their own. */
export const LessonWithoutCounts = component(
  "LessonWithoutCounts",
  closed({ id: Id, type: Type.Literal("lesson"), resource_type, title: text, description, ...full }),
);

/** A lesson in the list of a tag. */
export const TaggedLesson = component(
  "TaggedLesson",
  closed({ id: Id, resource_type, title: text, description, ...counts, ...full }),
);

export const LessonSummaryList = closed({
  type: Type.Literal("lessons"),
  lessons: Type.Array(ref(LessonSummary)),
});
export const ListedLessonList = closed({
  type: Type.Literal("lessons"),
  lessons: Type.Array(ref(ListedLesson)),
});
export const TaggedLessonList = closed({
  type: Type.Literal("tag_lessons"),
  lessons: Type.Array(ref(TaggedLesson)),
});

export const LessonParams = Type.Object({ lesson_id: Id });

export const LessonUpdate = Type.Object({
  title: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1000, pattern: "\\S", description: "Can't be empty." }),
  ),
  retake_score: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      description:
        "From 1 to 100. 0 is taken only where it is 0 already, so that a lesson can be sent back whole.",
    }),
  ),
  public: Type.Optional(Type.Boolean()),
});
export type LessonUpdate = Static<typeof LessonUpdate>;
