import { sql } from "kysely";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { requireMatch } from "../http/match.ts";
import { conflict, invalid, notFound } from "../http/problem.ts";
import type { Language } from "../search/languages.ts";
import { utcTimeOrNull } from "../time.ts";
import { emptyDocument, type LessonDocument } from "./content/schema.ts";
import { checkFilesOf, keepFilesOf } from "./file-fields.ts";
import { requireOwnContent } from "./own.ts";
import type { LessonDraft } from "./v2-version-schema.ts";
import { findChanges, settingKeys, type Written } from "./written.ts";

/** The draft of a lesson of one's own. @throws Problem 404 */
export async function getDraft(tx: Tx, lesson_id: number): Promise<LessonDraft> {
  await requireOwnContent(tx, "lessons.write", { type: "Lesson", id: lesson_id });
  return (await findDraft(tx, lesson_id)).draft;
}

/**
 * Changes a draft; nobody else sees it until it is published.
 * @param changes.yours the body, for who has to choose between two states.
 * @throws Problem 404; 409 for an archived lesson; 412; 422 for tags and files that don't exist
 */
export async function changeDraft(
  tx: WriteTx,
  lesson_id: number,
  { changes, yours }: { readonly changes: Partial<Written>; readonly yours: object },
): Promise<LessonDraft> {
  await requireOwnContent(tx, "lessons.write", { type: "Lesson", id: lesson_id });
  const at = await lockCounters(tx, "lessons");
  const { draft, archived_at } = await findDraft(tx, lesson_id);
  if (archived_at !== null) throw conflict("This lesson is archived: restore it first");
  requireMatch(tx, draft, yours);
  return writeDraft(tx, draft, { ...changes, at });
}

/** Writes changes into a draft that was read under the lock of the lessons' counter; where nothing changes, nothing is written. */
export async function writeDraft(
  tx: WriteTx,
  draft: LessonDraft,
  { at, based_on, ...changes }: Partial<Written> & { readonly at: string; readonly based_on?: number },
): Promise<LessonDraft> {
  const changed = findChanges(draft, changes);
  if (changed.length === 0) return draft;
  const next: LessonDraft = {
    ...draft,
    ...changes,
    tag_ids: [...(changes.tag_ids ?? draft.tag_ids)],
    content: changes.content ?? draft.content,
    based_on: based_on ?? draft.based_on,
  };
  if (changed.includes("tag_ids")) await checkTags(tx, next.tag_ids);
  if (changed.includes("content")) {
    await checkFilesOf(tx, draft.id, next.content);
    await keepFilesOf(tx, { lesson_id: draft.id, version: 0 }, next.content);
  }
  await saveDraft(tx, next, at);
  const settings = settingKeys.filter((key) => changed.includes(key));
  const before = Object.fromEntries(settings.map((key) => [key, draft[key]]));
  // A document may have a megabyte, and is saved again and again: that it was changed is what is kept.
  const content = changed.includes("content") ? { content: "changed" } : {};
  const after = { ...Object.fromEntries(settings.map((key) => [key, next[key]])), ...content };
  const deed = { action: "update_lesson_draft", resource_type: "lesson", resource_id: draft.id } as const;
  await audit(tx, { ...deed, before, after, at });
  return (await findDraft(tx, draft.id)).draft;
}

/** Stores a draft as it is given, over the one that is there. */
export async function saveDraft(tx: WriteTx, draft: Written & DraftPlace, at: string): Promise<void> {
  await tx.sql
    .insertInto("lesson_drafts")
    .values({
      company_id: tx.company.id,
      lesson_id: draft.id,
      title: draft.title,
      description: draft.description,
      language: draft.language,
      retake_score: draft.retake_score,
      public: draft.public,
      tag_ids: [...draft.tag_ids],
      content: JSON.stringify(draft.content),
      based_on: draft.based_on,
      updated_at: at,
      updated_by: tx.viewer.user_id,
    })
    .onConflict((oc) =>
      oc.columns(["company_id", "lesson_id"]).doUpdateSet((eb) => ({
        title: eb.ref("excluded.title"),
        description: eb.ref("excluded.description"),
        language: eb.ref("excluded.language"),
        retake_score: eb.ref("excluded.retake_score"),
        public: eb.ref("excluded.public"),
        tag_ids: eb.ref("excluded.tag_ids"),
        content: eb.ref("excluded.content"),
        based_on: eb.ref("excluded.based_on"),
        updated_at: eb.ref("excluded.updated_at"),
        updated_by: eb.ref("excluded.updated_by"),
      })),
    )
    .execute();
}

interface DraftPlace {
  readonly id: number;
  readonly based_on: number | null;
}

/**
 * A draft, whoever asks, and what the lesson is beside it. A lesson that nobody has written here yet, as one that was
 * imported, has an empty one that begins as the lesson is.
 * @throws Problem 404
 */
export async function findDraft(
  tx: Tx,
  lesson_id: number,
): Promise<{ draft: LessonDraft; archived_at: string | null; published_version: number | null }> {
  const { rows } = await sql<DraftRow>`
    select coalesce(draft.title, lessons.title) as title,
      case when draft.lesson_id is null then lessons.description else draft.description end as description,
      coalesce(draft.language, lessons.language) as language,
      coalesce(draft.retake_score, lessons.retake_score) as retake_score,
      coalesce(draft.public, lessons.public) as public,
      array(
        select tags.id::text from tags
        where tags.company_id = ${tx.company.id} and (
          tags.id = any(draft.tag_ids) or draft.lesson_id is null and exists (
            select from taggings
            where taggings.company_id = ${tx.company.id} and taggings.tag_id = tags.id
              and taggings.taggable_type = 'Lesson' and taggings.taggable_id = lessons.id
          )
        )
        order by tags.id
      ) as tag_ids,
      draft.content, draft.based_on, draft.updated_at, draft.updated_by,
      lessons.archived_at, lessons.published_version
    from lessons
    left join lesson_drafts draft on draft.company_id = ${tx.company.id} and draft.lesson_id = lessons.id
    where lessons.company_id = ${tx.company.id} and lessons.id = ${lesson_id}`.execute(tx.sql);
  const [row] = rows;
  if (row === undefined) throw notFound("Lesson");
  const { archived_at, published_version, ...written } = row;
  const draft: LessonDraft = {
    id: lesson_id,
    resource_type: "lesson_draft",
    ...written,
    tag_ids: written.tag_ids.map(Number),
    content: written.content ?? emptyDocument(),
    updated_at: utcTimeOrNull(written.updated_at),
  };
  return { draft, archived_at, published_version };
}

interface DraftRow {
  readonly title: string;
  readonly description: string | null;
  readonly language: Language;
  readonly retake_score: number;
  readonly public: boolean;
  readonly tag_ids: readonly string[];
  readonly content: LessonDocument | null;
  readonly based_on: number | null;
  readonly updated_at: string | null;
  readonly updated_by: number | null;
  readonly archived_at: string | null;
  readonly published_version: number | null;
}

/** @throws Problem 422 naming each tag that does not exist. */
export async function checkTags(tx: Tx, tag_ids: readonly number[]): Promise<void> {
  if (tag_ids.length === 0) return;
  const rows = await tx.sql
    .selectFrom("tags")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...tag_ids]))))
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  const unknown = tag_ids.flatMap((id, index) => (known.has(id) ? [] : [{ id, index }]));
  if (unknown.length === 0) return;
  throw invalid(
    ...unknown.map(({ index, id }) => ({
      field: `tag_ids[${index}]`,
      message: `names no tag of this company: ${id}`,
    })),
  );
}
