import { sql } from "kysely";
import type { Static } from "typebox";
import { assignmentCounters } from "../assignments/give.ts";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { requireMatch } from "../http/match.ts";
import { conflict, invalid } from "../http/problem.ts";
import { indexContents } from "../search/documents.ts";
import { replaceTagsOf } from "../tags/taggings.ts";
import { parseMoment, utcTime, utcTimeOrNull } from "../time.ts";
import { askAgain } from "./ask-again.ts";
import { diffDocuments } from "./content/diff.ts";
import { searchText } from "./content/search-text.ts";
import { emptyDocument, type LessonDocument } from "./content/schema.ts";
import { findDraft, saveDraft } from "./drafts.ts";
import { lessonEvents } from "./events.ts";
import { keepFilesOf } from "./file-fields.ts";
import { requireOwnContent } from "./own.ts";
import type { LessonDraft, LessonPublication, Publishing } from "./v2-version-schema.ts";
import { findVersion, type VersionRow } from "./versions.ts";
import { findChanges } from "./written.ts";

/**
 * Makes the draft of a lesson its new version, which never changes: from now on people take it, and version 1 shows its
 * title, pass mark and tags. What was begun with an older version goes on with that.
 * @throws Problem 404; 409 for an archived or an empty lesson, and where nothing has changed since the last version;
 * 412 for a draft that somebody has changed meanwhile; 422
 */
export async function publishLesson(
  tx: WriteTx,
  lesson_id: number,
  body: Publishing,
): Promise<Static<typeof LessonPublication>> {
  await requireOwnContent(tx, "lessons.write", { type: "Lesson", id: lesson_id });
  const { learners = "nothing", note = null } = body;
  const due_by = readDueBy(body);
  const at = await lockCounters(tx, "lessons", ...(learners === "ask_again" ? assignmentCounters : []));
  const { draft, archived_at } = await findDraft(tx, lesson_id);
  requireMatch(tx, draft, body);
  if (archived_at !== null) throw conflict("This lesson is archived: restore it first");
  requireContent(draft.content);
  const last = await findVersion(tx, lesson_id, "last");
  const changes = compare(last, draft);
  const number = (last?.number ?? 0) + 1;
  const published = { lesson_id, number, note: note?.trim() || null, learners, due_by };
  await follow(tx, lessonEvents, [lesson_id]);
  await insertVersion(tx, draft, { ...published, changes, at });
  await putInForce(tx, draft, { number, at });
  const asked_again = learners === "ask_again" ? await askAgain(tx, lesson_id, { due_by, at }) : 0;
  const deed = { action: "publish_lesson", resource_type: "lesson", resource_id: lesson_id } as const;
  const before = last === undefined ? null : settingsOf(last);
  await audit(tx, { ...deed, before, after: { ...settingsOf(draft), ...published, asked_again }, at });
  return {
    ...published,
    resource_type: "lesson_version",
    title: draft.title,
    due_by: utcTimeOrNull(due_by),
    published_at: utcTime(at),
    published_by: tx.viewer.user_id,
    changes,
    asked_again,
  };
}

function readDueBy({ due_by, learners }: Publishing): string | null {
  if (due_by == null) return null;
  const moment = parseMoment(due_by);
  if (moment === undefined)
    throw invalid({ field: "due_by", message: "must be a date or an ISO 8601 timestamp" });
  if (learners === "ask_again") return moment;
  throw invalid({ field: "due_by", message: "is only for who is asked again: set learners to ask_again" });
}

function requireContent({ sections }: LessonDocument): void {
  if (sections.some(({ pages }) => pages.some(({ blocks }) => blocks.length > 0))) return;
  throw conflict("There is nothing to take in this lesson yet: write a page first");
}

type Changes = Static<typeof LessonPublication>["changes"];

/** @throws Problem 409 where nothing has changed. */
function compare(last: VersionRow | undefined, draft: LessonDraft): Changes {
  const content = diffDocuments(last?.content ?? emptyDocument(), draft.content);
  if (last === undefined) return { settings: [], content };
  const changed = findChanges(last, draft);
  if (changed.length === 0) {
    throw conflict(`Nothing has changed since version ${last.number}: change the draft, then publish it`);
  }
  return { settings: changed.filter((key) => key !== "content"), content };
}

function settingsOf(of: VersionRow | LessonDraft) {
  const { title, description, language, retake_score, public: isPublic, tag_ids } = of;
  return { title, description, language, retake_score, public: isPublic, tag_ids: [...tag_ids] };
}

async function insertVersion(
  tx: WriteTx,
  draft: LessonDraft,
  given: {
    readonly lesson_id: number;
    readonly number: number;
    readonly note: string | null;
    readonly learners: "nothing" | "tell" | "ask_again";
    readonly due_by: string | null;
    readonly changes: Changes;
    readonly at: string;
  },
): Promise<void> {
  const { changes, at, ...version } = given;
  await tx.sql
    .insertInto("lesson_versions")
    .values({
      company_id: tx.company.id,
      ...version,
      ...settingsOf(draft),
      content: JSON.stringify(draft.content),
      diff: JSON.stringify(changes),
      published_at: at,
      published_by: tx.viewer.user_id,
    })
    .execute();
  await keepFilesOf(tx, { lesson_id: given.lesson_id, version: given.number }, draft.content);
}

/** Makes the lesson what the draft says, for version 1, the library and the search too. */
async function putInForce(
  tx: WriteTx,
  draft: LessonDraft,
  { number, at }: { readonly number: number; readonly at: string },
): Promise<void> {
  const { id, title, description, language, retake_score } = draft;
  await tx.sql
    .updateTable("lessons")
    .set({
      title,
      description,
      language,
      retake_score,
      public: draft.public,
      published_version: number,
      last_updated_at: at,
    })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
  await replaceTagsOf(tx, { type: "Lesson", id }, draft.tag_ids);
  await indexContents(tx, [{ type: "Lesson", id, text: searchText(draft.content) }]);
  if (draft.updated_at === null) return saveDraft(tx, { ...draft, based_on: number }, at);
  await sql`
    update lesson_drafts set based_on = ${number}
    where company_id = ${tx.company.id} and lesson_id = ${id}`.execute(tx.sql);
}
