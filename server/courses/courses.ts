import type { Static } from "typebox";
import { archiveContent, restoreContent, toArchiveState, toSummary } from "../db/archive.ts";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { notFound } from "../http/problem.ts";
import { selectLessons } from "../lessons/lessons.ts";
import { links } from "../links.ts";
import { listTagsOf } from "../tags/taggings.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import { courseEvents } from "./events.ts";
import type { Course, CourseList, ReducedCourse, TaggedCourse } from "./schema.ts";

/** All courses, the oldest first. */
export async function listCourses(tx: Tx): Promise<Static<typeof CourseList>> {
  const rows = await tx.sql
    .selectFrom("courses")
    .select(["id", "title", "archived_at", "archived_by_user_id"])
    .where("company_id", "=", tx.company.id)
    .orderBy("id")
    .execute();
  return { type: "courses", courses: rows.map((row) => toSummary(tx, row)) };
}

/** One course, with what both versions show of it. @throws Problem 404 */
export async function getCourse(
  tx: Tx,
  course_id: number,
): Promise<Static<typeof Course> & Static<typeof ReducedCourse>> {
  const [row, lessons, tags] = await Promise.all([
    selectCourses(tx).where("courses.id", "=", course_id).executeTakeFirst(),
    listLessonsOf(tx, [course_id]),
    listTagsOf(tx, { type: "Course", ids: [course_id] }),
  ]);
  if (row === undefined) throw notFound("Course");
  return {
    ...row,
    type: "course",
    resource_type: "course",
    lessons: lessons.get(course_id) ?? [],
    created_at: utcTime(row.created_at),
    last_updated_at: utcTimeOrNull(row.last_updated_at),
    tags: tags.get(course_id) ?? [],
    links: links(tx.company.base_url, "course", row),
    ...toArchiveState(tx, row),
  };
}

/** Archives a course; one that is archived already stays as it is. @throws Problem 404 */
export async function archiveCourse(tx: WriteTx, id: number): Promise<Static<typeof Course>> {
  const at = await lockCounters(tx, "courses");
  await follow(tx, courseEvents, [id]);
  await archiveContent(tx, { table: "courses", id, at });
  return getCourse(tx, id);
}

/** Restores a course; one that is active stays as it is. @throws Problem 404 */
export async function restoreCourse(tx: WriteTx, id: number): Promise<Static<typeof Course>> {
  const at = await lockCounters(tx, "courses");
  await follow(tx, courseEvents, [id]);
  await restoreContent(tx, { table: "courses", id, at });
  return getCourse(tx, id);
}

/** The query for courses as answers show them; the caller adds which, and the order. */
export function selectCourses(tx: Tx) {
  return tx.sql
    .selectFrom("courses")
    .innerJoin("assignables", (join) =>
      join
        .onRef("assignables.company_id", "=", "courses.company_id")
        .onRef("assignables.assignable_id", "=", "courses.id"),
    )
    .select([
      "courses.id",
      "courses.owner_id",
      "courses.title",
      "assignables.assignees_count",
      "assignables.completed_count",
      "courses.description",
      "courses.public",
      "courses.created_at",
      "courses.last_updated_at",
      "courses.archived_at",
      "courses.archived_by_user_id",
    ])
    .where("courses.company_id", "=", tx.company.id)
    .where("assignables.company_id", "=", tx.company.id)
    .where("assignables.assignable_type", "=", "Course");
}

type CourseLesson = Static<typeof TaggedCourse>["lessons"][number];

/** The lessons of courses by course, in the order of the course. */
export async function listLessonsOf(
  tx: Tx,
  courseIds: readonly number[],
): Promise<Map<number, CourseLesson[]>> {
  const rows = await selectLessons(tx)
    .innerJoin("course_lessons", (join) =>
      join
        .onRef("course_lessons.company_id", "=", "lessons.company_id")
        .onRef("course_lessons.lesson_id", "=", "lessons.id"),
    )
    .select("course_lessons.course_id")
    .where("course_lessons.company_id", "=", tx.company.id)
    .where((eb) => eb("course_lessons.course_id", "=", eb.fn.any(eb.val([...courseIds]))))
    .orderBy("course_lessons.course_id")
    .orderBy("course_lessons.position")
    .execute();
  const lessons = new Map<number, CourseLesson[]>();
  for (const { course_id, ...lesson } of rows) {
    const known = lessons.get(course_id) ?? [];
    known.push({ ...lesson, resource_type: "lesson" });
    lessons.set(course_id, known);
  }
  return lessons;
}
