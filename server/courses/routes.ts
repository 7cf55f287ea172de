import type { App } from "../http/app.ts";
import { answers, ref } from "../http/schema.ts";
import { archiveCourse, getCourse, listCourses, restoreCourse } from "./courses.ts";
import { Course, CourseList, CourseParams as params, ReducedCourse } from "./schema.ts";

const about = { tags: ["Courses"], deprecated: true };
const course = answers(200, ref(Course));

/** /api/v1/courses: deprecated, kept for what was made before there were paths. */
export function registerCourses(app: App): void {
  app.get(
    "/api/v1/courses",
    {
      config: { access: "content.read" },
      schema: { ...about, summary: "List courses", response: answers(200, CourseList) },
    },
    (request) => request.read(listCourses),
  );
  app.get(
    "/api/v1/courses/:course_id",
    {
      config: { access: "content.read" },
      schema: { ...about, summary: "Show a course", params, response: course },
    },
    (request) => request.read((tx) => getCourse(tx, request.params.course_id)),
  );
  app.get(
    "/api/v1.1/courses/:course_id",
    {
      config: { access: "content.read" },
      schema: {
        ...about,
        summary: "Show a course in short",
        params,
        response: answers(200, ref(ReducedCourse)),
      },
    },
    (request) => request.read((tx) => getCourse(tx, request.params.course_id)),
  );
  app.put(
    "/api/v1/courses/:course_id/archive",
    {
      config: { access: "courses.write" },
      schema: { ...about, summary: "Archive a course", params, response: course },
    },
    (request) => request.write((tx) => archiveCourse(tx, request.params.course_id)),
  );
  app.put(
    "/api/v1/courses/:course_id/restore",
    {
      config: { access: "courses.write" },
      schema: { ...about, summary: "Restore a course", params, response: course },
    },
    (request) => request.write((tx) => restoreCourse(tx, request.params.course_id)),
  );
}
