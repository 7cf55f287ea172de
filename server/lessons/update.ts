import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { invalid, notFound } from "../http/problem.ts";
import { indexContents } from "../search/documents.ts";
import { lessonEvents } from "./events.ts";
import { getLesson } from "./lessons.ts";
import { requireOwnContent } from "./own.ts";
import type { Lesson, LessonUpdate } from "./schema.ts";

/**
 * Changes what the body names of a lesson. Where that is what the lesson has already, nothing is changed, and
 * last_updated_at stays.
 * @throws Problem 404; 400 for a retake_score of 0 where it is not 0 already.
 */
export async function updateLesson(
  tx: WriteTx,
  id: number,
  body: LessonUpdate,
): Promise<Static<typeof Lesson>> {
  await requireOwnContent(tx, "lessons.write", { type: "Lesson", id });
  const at = await lockCounters(tx, "lessons");
  const lesson = await tx.sql
    .selectFrom("lessons")
    .select(["title", "retake_score", "public"])
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .executeTakeFirst();
  if (lesson === undefined) throw notFound("Lesson");
  if (body.retake_score === 0 && lesson.retake_score !== 0) {
    throw invalid({ field: "retake_score", message: "must be a positive integer" });
  }
  const { before, after } = findChanges(lesson, body);
  if (Object.keys(after).length > 0) {
    await follow(tx, lessonEvents, [id]);
    await tx.sql
      .updateTable("lessons")
      .set({ ...after, last_updated_at: at })
      .where("company_id", "=", tx.company.id)
      .where("id", "=", id)
      .execute();
    await keepDraftInStep(tx, id, { before, after });
    if (after.title !== undefined) await indexContents(tx, [{ type: "Lesson", id }]);
    await audit(tx, { action: "update_lesson", resource_type: "lesson", resource_id: id, before, after, at });
  }
  return { ...(await getLesson(tx, id)), type: "update_lesson" };
}

/** A draft that says what the lesson said follows it; what an author has changed in it waits to be published. */
async function keepDraftInStep(
  tx: WriteTx,
  lesson_id: number,
  { before, after }: { readonly before: LessonUpdate; readonly after: LessonUpdate },
): Promise<void> {
  for (const column of writableColumns) {
    const [old, value] = [before[column], after[column]];
    if (old === undefined || value === undefined) continue;
    await tx.sql
      .updateTable("lesson_drafts")
      .set({ [column]: value })
      .where("company_id", "=", tx.company.id)
      .where("lesson_id", "=", lesson_id)
      .where(column, "=", old)
      .execute();
  }
}

const writableColumns = ["title", "retake_score", "public"] as const;

/** What the body changes, as it was and as it becomes. */
function findChanges(
  lesson: Required<LessonUpdate>,
  body: LessonUpdate,
): { before: LessonUpdate; after: LessonUpdate } {
  const changed = writableColumns.filter(
    (column) => body[column] !== undefined && body[column] !== lesson[column],
  );
  return {
    before: Object.fromEntries(changed.map((column) => [column, lesson[column]])),
    after: Object.fromEntries(changed.map((column) => [column, body[column]])),
  };
}
