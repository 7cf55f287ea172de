import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Static } from "typebox";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { requireMatch } from "../http/match.ts";
import { conflict, notFound } from "../http/problem.ts";
import type { Language } from "../search/languages.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import type { LessonDocument } from "./content/schema.ts";
import { findDraft, writeDraft } from "./drafts.ts";
import { requireOwnContent } from "./own.ts";
import type { LessonDraft, LessonVersion, LessonVersionSummary } from "./v2-version-schema.ts";

/**
 * The versions of a lesson of one's own, the newest first.
 * @throws Problem 404, 422 for a cursor of another list
 */
export async function listVersions(
  tx: Tx,
  lesson_id: number,
  query: { readonly cursor?: string; readonly limit?: number },
): Promise<{ data: Static<typeof LessonVersionSummary>[]; next: string | null }> {
  await requireOwnContent(tx, "lessons.write", { type: "Lesson", id: lesson_id });
  const page = readCursorPage(query);
  const after = idAfter(page);
  const [lesson, { rows }] = await Promise.all([
    tx.sql
      .selectFrom("lessons")
      .select("id")
      .where("company_id", "=", tx.company.id)
      .where("id", "=", lesson_id)
      .executeTakeFirst(),
    sql<SummaryRow>`
      select lesson_id, number, title, note, learners, due_by, published_at, published_by
      from lesson_versions
      where company_id = ${tx.company.id} and lesson_id = ${lesson_id}
        and ${after === undefined ? sql`true` : sql`number < ${after}::bigint`}
      order by number desc limit ${page.limit + 1}`.execute(tx.sql),
  ]);
  if (lesson === undefined) throw notFound("Lesson");
  return cutCursorPage(page, rows, { position: ({ number }) => [number], show: toSummary });
}

/** One version of a lesson of one's own, with its content. @throws Problem 404 */
export async function getVersion(
  tx: Tx,
  { lesson_id, version }: { readonly lesson_id: number; readonly version: number },
): Promise<Static<typeof LessonVersion>> {
  await requireOwnContent(tx, "lessons.write", { type: "Lesson", id: lesson_id });
  const row = await findVersion(tx, lesson_id, version);
  if (row === undefined) throw notFound("Version");
  const { title, description, language, retake_score, public: isPublic, tag_ids, diff, content } = row;
  const settings = { title, description, language, retake_score, public: isPublic, tag_ids: [...tag_ids] };
  return { ...toSummary(row), ...settings, changes: diff, content };
}

/**
 * Makes a version of a lesson its draft again; what people take does not change before that is published.
 * @throws Problem 404; 409 for an archived lesson; 412; 422 where it shows a file that is gone
 */
export async function restoreVersion(
  tx: WriteTx,
  { lesson_id, version }: { readonly lesson_id: number; readonly version: number },
): Promise<LessonDraft> {
  await requireOwnContent(tx, "lessons.write", { type: "Lesson", id: lesson_id });
  const at = await lockCounters(tx, "lessons");
  const row = await findVersion(tx, lesson_id, version);
  if (row === undefined) throw notFound("Version");
  const { draft, archived_at } = await findDraft(tx, lesson_id);
  if (archived_at !== null) throw conflict("This lesson is archived: restore it first");
  requireMatch(tx, draft, { version });
  const { title, description, language, retake_score, public: isPublic, tag_ids, content } = row;
  const settings = { title, description, language, retake_score, public: isPublic, tag_ids };
  return writeDraft(tx, draft, { ...settings, content, based_on: row.number, at });
}

interface SummaryRow {
  readonly lesson_id: number;
  readonly number: number;
  readonly title: string;
  readonly note: string | null;
  readonly learners: "nothing" | "tell" | "ask_again";
  readonly due_by: string | null;
  readonly published_at: string;
  readonly published_by: number | null;
}

/** A version as it is stored, with those of its tags that are still there. */
export interface VersionRow extends SummaryRow {
  readonly description: string | null;
  readonly language: Language;
  readonly retake_score: number;
  readonly public: boolean;
  readonly tag_ids: readonly number[];
  readonly content: LessonDocument;
  readonly diff: Static<typeof LessonVersion>["changes"];
}

/** A version of a lesson, whoever asks: by its number, or the last one. */
export async function findVersion(
  tx: Tx,
  lesson_id: number,
  number: number | "last",
): Promise<VersionRow | undefined> {
  // A number may be larger than the column's type has.
  const which: RawBuilder<SqlBool> =
    number === "last" ? sql<SqlBool>`true` : sql<SqlBool>`version.number = ${number}::bigint`;
  const { rows } = await sql<Omit<VersionRow, "tag_ids"> & { tag_ids: string[] }>`
    select lesson_id, number, title, description, language, retake_score, public, content, note, diff, learners, due_by,
      published_at, published_by,
      array(
        select tags.id::text from tags
        where tags.company_id = ${tx.company.id} and tags.id = any(version.tag_ids) order by tags.id
      ) as tag_ids
    from lesson_versions version
    where version.company_id = ${tx.company.id} and version.lesson_id = ${lesson_id} and ${which}
    order by version.number desc limit 1`.execute(tx.sql);
  const [row] = rows;
  return row && { ...row, tag_ids: row.tag_ids.map(Number) };
}

function toSummary(row: SummaryRow): Static<typeof LessonVersionSummary> {
  return {
    lesson_id: row.lesson_id,
    number: row.number,
    resource_type: "lesson_version",
    title: row.title,
    note: row.note,
    learners: row.learners,
    due_by: utcTimeOrNull(row.due_by),
    published_at: utcTime(row.published_at),
    published_by: row.published_by,
  };
}
