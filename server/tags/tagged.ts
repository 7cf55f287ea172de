import type { Static } from "typebox";
import { listLessonsOf, selectCourses } from "../courses/courses.ts";
import type { TaggedCourseList } from "../courses/schema.ts";
import type { Tx } from "../db/db.ts";
import { selectLessons, toLesson } from "../lessons/lessons.ts";
import type { TaggedLessonList } from "../lessons/schema.ts";
import { findStructures, toContents } from "../paths/contents.ts";
import { selectPaths, toPath } from "../paths/paths.ts";
import type { TaggedPathList } from "../paths/schema.ts";
import { listTagsOf } from "./taggings.ts";
import { getTag } from "./tags.ts";

/** The lessons that a tag marks, the oldest first. @throws Problem 404 */
export async function listTaggedLessons(tx: Tx, tag_id: number): Promise<Static<typeof TaggedLessonList>> {
  const ids = await listTagged(tx, { tag_id, type: "Lesson" });
  const [rows, tags] = await Promise.all([
    selectLessons(tx)
      .where((eb) => eb("lessons.id", "=", eb.fn.any(eb.val(ids))))
      .orderBy("lessons.id")
      .execute(),
    listTagsOf(tx, { type: "Lesson", ids }),
  ]);
  return { type: "tag_lessons", lessons: rows.map((row) => toLesson(tx, row, tags.get(row.id))) };
}

/** The paths that a tag marks, each with its contents, the oldest first. @throws Problem 404 */
export async function listTaggedPaths(tx: Tx, tag_id: number): Promise<Static<typeof TaggedPathList>> {
  const ids = await listTagged(tx, { tag_id, type: "LearningPaths::Path" });
  const [rows, tags, structures] = await Promise.all([
    selectPaths(tx)
      .where((eb) => eb("paths.id", "=", eb.fn.any(eb.val(ids))))
      .orderBy("paths.id")
      .execute(),
    listTagsOf(tx, { type: "LearningPaths::Path", ids }),
    findStructures(tx, ids),
  ]);
  const contents = toContents(tx, structures);
  const paths = rows.map((row) =>
    Object.assign(toPath(tx, row, tags.get(row.id)), { contents: contents.get(row.id) ?? [] }),
  );
  return { type: "tag_paths", paths };
}

/** The courses that a tag marks, each with its lessons, the oldest first. @throws Problem 404 */
export async function listTaggedCourses(tx: Tx, tag_id: number): Promise<Static<typeof TaggedCourseList>> {
  const ids = await listTagged(tx, { tag_id, type: "Course" });
  const [rows, lessons] = await Promise.all([
    selectCourses(tx)
      .where((eb) => eb("courses.id", "=", eb.fn.any(eb.val(ids))))
      .orderBy("courses.id")
      .execute(),
    listLessonsOf(tx, ids),
  ]);
  const courses = rows.map((row) =>
    Object.assign(row, { resource_type: "course" as const, lessons: lessons.get(row.id) ?? [] }),
  );
  return { type: "tag_courses", courses };
}

/** The ids of what a tag marks. @throws Problem 404 */
async function listTagged(
  tx: Tx,
  { tag_id, type }: { tag_id: number; type: "Lesson" | "LearningPaths::Path" | "Course" },
): Promise<number[]> {
  const [rows] = await Promise.all([
    tx.sql
      .selectFrom("taggings")
      .select("taggable_id")
      .where("company_id", "=", tx.company.id)
      .where("tag_id", "=", tag_id)
      .where("taggable_type", "=", type)
      .execute(),
    getTag(tx, tag_id),
  ]);
  return rows.map(({ taggable_id }) => taggable_id);
}
