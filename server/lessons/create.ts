import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { followNew } from "../events/changes.ts";
import { indexContents } from "../search/documents.ts";
import { holdMaker } from "../users/hold.ts";
import { getOverview } from "./catalogue.ts";
import { emptyDocument } from "./content/schema.ts";
import { checkTags, findDraft, saveDraft } from "./drafts.ts";
import { lessonEvents } from "./events.ts";
import { checkFilesOf, keepFilesOf } from "./file-fields.ts";
import { requireOwnContent } from "./own.ts";
import type { LessonCopy, LessonOverview, NewLesson } from "./v2-schema.ts";
import { readChanges, readTitle, type Written } from "./written.ts";

/** The pass mark of a lesson whose author says none. */
const DEFAULT_RETAKE_SCORE = 80;

/**
 * Makes a lesson of one's own, with a draft that nobody else sees until it is published.
 * @throws Problem 422 for tags and files that don't exist
 */
export async function createLesson(tx: WriteTx, written: Written): Promise<Static<typeof LessonOverview>> {
  const at = await lockCounters(tx, "lessons");
  return getOverview(tx, await addLesson(tx, written, at));
}

/**
 * Makes a lesson of one's own from the draft of another.
 * @throws Problem 404
 */
export async function copyLesson(
  tx: WriteTx,
  lesson_id: number,
  { title }: LessonCopy,
): Promise<Static<typeof LessonOverview>> {
  await requireOwnContent(tx, "lessons.write", { type: "Lesson", id: lesson_id });
  const at = await lockCounters(tx, "lessons");
  const { draft } = await findDraft(tx, lesson_id);
  const id = await insertLesson(
    tx,
    { ...draft, title: title === undefined ? draft.title : readTitle(title) },
    { at, copy_of: lesson_id },
  );
  return getOverview(tx, id);
}

/** What a body says of a lesson to begin. @throws Problem 422 for content that is wrong. */
export function readNewLesson(body: NewLesson): Written {
  return {
    title: readTitle(body.title),
    description: null,
    language: "en",
    retake_score: DEFAULT_RETAKE_SCORE,
    public: false,
    tag_ids: [],
    content: emptyDocument(),
    ...readChanges(body),
  };
}

/** Makes a lesson of what somebody has written. Needs the lessons' counter locked. @throws Problem 422 */
export async function addLesson(tx: WriteTx, written: Written, at: string): Promise<number> {
  await checkTags(tx, written.tag_ids);
  // A lesson that is not there yet shows no file, so each has to be one that the author may show anyway.
  await checkFilesOf(tx, 0, written.content);
  return insertLesson(tx, written, { at });
}

async function insertLesson(
  tx: WriteTx,
  written: Written,
  { at, copy_of }: { readonly at: string; readonly copy_of?: number },
): Promise<number> {
  const company_id = tx.company.id;
  const id = await moveCounter(tx, { kind: "lessons", ids: 1, total: 1, at });
  followNew(tx, lessonEvents, { ids: [id] });
  const { title, description, language, retake_score } = written;
  await tx.sql
    .insertInto("assignables")
    .values({
      company_id,
      assignable_type: "Lesson",
      assignable_id: id,
      assignees_count: 0,
      completed_count: 0,
      total_completions: 0,
      via_assignment: 0,
    })
    .execute();
  await tx.sql
    .insertInto("lessons")
    .values({
      company_id,
      id,
      title,
      description,
      language,
      retake_score,
      public: false,
      owner_id: await holdMaker(tx, tx.viewer.user_id),
      created_at: at,
    })
    .execute();
  await saveDraft(tx, { ...written, id, based_on: null }, at);
  await keepFilesOf(tx, { lesson_id: id, version: 0 }, written.content);
  await indexContents(tx, [{ type: "Lesson", id }]);
  const after = { title, description, language, retake_score, ...(copy_of === undefined ? {} : { copy_of }) };
  await audit(tx, { action: "create_lesson", resource_type: "lesson", resource_id: id, after, at });
  return id;
}
