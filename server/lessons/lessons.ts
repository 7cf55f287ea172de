import type { Static } from "typebox";
import { assignmentCounters } from "../assignments/give.ts";
import { archiveContent, restoreContent, toArchiveState, toSummary } from "../db/archive.ts";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { notFound } from "../http/problem.ts";
import { links } from "../links.ts";
import type { Tag } from "../tags/schema.ts";
import { completeWithout } from "../paths/review-assignments.ts";
import { listTagsOf } from "../tags/taggings.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import { lessonEvents } from "./events.ts";
import { requireOwnContent } from "./own.ts";
import type { Lesson, LessonSummaryList, ListedLesson, ListedLessonList, TaggedLesson } from "./schema.ts";

/** All lessons as version 1 lists them, the oldest first. */
export async function listLessons(tx: Tx): Promise<Static<typeof LessonSummaryList>> {
  const rows = await tx.sql
    .selectFrom("lessons")
    .select(["id", "title", "archived_at", "archived_by_user_id"])
    .where("company_id", "=", tx.company.id)
    .orderBy("id")
    .execute();
  return { type: "lessons", lessons: rows.map((row) => toSummary(tx, row)) };
}

/** All lessons as version 1.1 lists them, the oldest first. */
export async function listLessonsInFull(tx: Tx): Promise<Static<typeof ListedLessonList>> {
  const [rows, tags] = await Promise.all([
    selectLessons(tx).orderBy("lessons.id").execute(),
    listTagsOf(tx, { type: "Lesson" }),
  ]);
  return { type: "lessons", lessons: rows.map((row) => toListedLesson(toLesson(tx, row, tags.get(row.id)))) };
}

/** One lesson. @throws Problem 404 */
export async function getLesson(
  tx: Tx,
  lesson_id: number,
): Promise<Static<typeof Lesson> & { type: "lesson" }> {
  const [row, tags] = await Promise.all([
    selectLessons(tx).where("lessons.id", "=", lesson_id).executeTakeFirst(),
    listTagsOf(tx, { type: "Lesson", ids: [lesson_id] }),
  ]);
  if (row === undefined) throw notFound("Lesson");
  return { type: "lesson", ...toLesson(tx, row, tags.get(lesson_id)) };
}

/** Archives a lesson; one that is archived already stays as it is. @throws Problem 404 */
export async function archiveLesson(tx: WriteTx, id: number): Promise<Static<typeof Lesson>> {
  const content = { type: "Lesson", id } as const;
  await requireOwnContent(tx, "lessons.write", content);
  const at = await lockCounters(tx, "lessons", ...assignmentCounters);
  await follow(tx, lessonEvents, [id]);
  await archiveContent(tx, { table: "lessons", id, at });
  await completeWithout(tx, content, at);
  return getLesson(tx, id);
}

/** Restores a lesson; one that is active stays as it is. @throws Problem 404 */
export async function restoreLesson(tx: WriteTx, id: number): Promise<Static<typeof Lesson>> {
  await requireOwnContent(tx, "lessons.write", { type: "Lesson", id });
  const at = await lockCounters(tx, "lessons");
  await follow(tx, lessonEvents, [id]);
  await restoreContent(tx, { table: "lessons", id, at });
  return getLesson(tx, id);
}

/** The columns of a lesson that answers show. */
export interface LessonRow {
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly assignees_count: number;
  readonly completed_count: number;
  readonly retake_score: number;
  readonly public: boolean;
  readonly created_at: string;
  readonly last_updated_at: string | null;
  readonly archived_at: string | null;
  readonly archived_by_user_id: number | null;
}

/** The query for lessons as answers show them; the caller adds which, and the order. */
export function selectLessons(tx: Tx) {
  return tx.sql
    .selectFrom("lessons")
    .innerJoin("assignables", (join) =>
      join
        .onRef("assignables.company_id", "=", "lessons.company_id")
        .onRef("assignables.assignable_id", "=", "lessons.id"),
    )
    .select([
      "lessons.id",
      "lessons.title",
      "lessons.description",
      "assignables.assignees_count",
      "assignables.completed_count",
      "lessons.retake_score",
      "lessons.public",
      "lessons.created_at",
      "lessons.last_updated_at",
      "lessons.archived_at",
      "lessons.archived_by_user_id",
    ])
    .where("lessons.company_id", "=", tx.company.id)
    .where("assignables.company_id", "=", tx.company.id)
    .where("assignables.assignable_type", "=", "Lesson");
}

/** A lesson as answers show it; which of its keys stand where, the answers' schemas say. */
export function toLesson(
  tx: Tx,
  row: LessonRow,
  tags: Static<typeof Tag>[] = [],
): Static<typeof TaggedLesson> {
  return {
    id: row.id,
    resource_type: "lesson",
    title: row.title,
    description: row.description,
    assignees_count: row.assignees_count,
    completed_count: row.completed_count,
    retake_score: row.retake_score,
    public: row.public,
    created_at: utcTime(row.created_at),
    last_updated_at: utcTimeOrNull(row.last_updated_at),
    ...toArchiveState(tx, row),
    tags,
    links: links(tx.company.base_url, "lesson", row),
  };
}

/** In the list of version 1.1 only public lessons say where they can be shared. */
function toListedLesson(lesson: Static<typeof TaggedLesson>): Static<typeof ListedLesson> {
  const { overview } = lesson.links;
  return lesson.public ? lesson : { ...lesson, links: { overview } };
}
