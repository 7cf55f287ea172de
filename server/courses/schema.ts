import { Type } from "typebox";
import { archiveState, closed, component, Id, Links, nullable, ref, Time } from "../http/schema.ts";
import { Tag } from "../tags/schema.ts";

const text = Type.String();
const type = Type.Literal("course");
const resource_type = Type.Literal("course");
const description = nullable(text);

const counts = {
  assignees_count: Type.Integer({ description: "Users to whom it is assigned." }),
  completed_count: Type.Integer({ description: "Those of them who have completed it." }),
};

const lessons = Type.Array(closed({ id: Id, title: text }), { description: "In the order of the course." });

/** A course in a list. */
export const CourseSummary = component("CourseSummary", closed({ id: Id, title: text, ...archiveState }));

/** A course as its own answer in version 1. */
export const Course = component(
  "Course",
  closed({
    type,
    resource_type,
    id: Id,
    title: text,
    ...counts,
    description,
    lessons,
    public: Type.Boolean(),
    created_at: Time,
    last_updated_at: nullable(Time),
    tags: Type.Array(ref(Tag)),
    links: ref(Links),
    ...archiveState,
  }),
);

/** A course as its own answer in version 1.1. */
export const ReducedCourse = component(
  "ReducedCourse",
  closed({ type, resource_type, id: Id, owner_id: nullable(Id), title: text, description, lessons }),
);

const TaggedCourseLesson = closed({
  id: Id,
  resource_type: Type.Literal("lesson"),
  title: text,
  ...counts,
  retake_score: Type.Integer(),
  description,
});

/** A course in the list of a tag. */
export const TaggedCourse = component(
  "TaggedCourse",
  closed({
    id: Id,
    resource_type,
    title: text,
    ...counts,
    description,
    lessons: Type.Array(TaggedCourseLesson),
  }),
);

export const CourseList = closed({ type: Type.Literal("courses"), courses: Type.Array(ref(CourseSummary)) });
export const TaggedCourseList = closed({
  type: Type.Literal("tag_courses"),
  courses: Type.Array(ref(TaggedCourse)),
});

export const CourseParams = Type.Object({ course_id: Id });
