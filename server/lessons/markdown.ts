import type { Static } from "typebox";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { requireMatch } from "../http/match.ts";
import { conflict, invalid, notFound } from "../http/problem.ts";
import { type Language, languages } from "../search/languages.ts";
import { findTagIds, insertTag } from "../tags/write.ts";
import { getOverview } from "./catalogue.ts";
import type { FrontMatter } from "./content/markdown-front-matter.ts";
import { readMarkdown } from "./content/markdown-read.ts";
import { writeMarkdown } from "./content/markdown-write.ts";
import { addLesson } from "./create.ts";
import { findDraft, writeDraft } from "./drafts.ts";
import { requireOwnContent } from "./own.ts";
import type { LessonOverview } from "./v2-schema.ts";
import type { LessonDraft } from "./v2-version-schema.ts";
import { findVersion } from "./versions.ts";
import type { Written } from "./written.ts";

/**
 * A lesson of one's own as Markdown: its draft, or one of its versions. Read again it makes the same content.
 * @returns the draft beside it, as the state that a change with If-Match starts from; null for a version
 * @throws Problem 404
 */
export async function getMarkdown(
  tx: Tx,
  lesson_id: number,
  version: number | undefined,
): Promise<{ text: string; draft: LessonDraft | null }> {
  await requireOwnContent(tx, "lessons.write", { type: "Lesson", id: lesson_id });
  if (version === undefined) {
    const { draft } = await findDraft(tx, lesson_id);
    return { text: await toMarkdown(tx, draft), draft };
  }
  const row = await findVersion(tx, lesson_id, version);
  if (row === undefined) throw notFound("Version");
  return { text: await toMarkdown(tx, row), draft: null };
}

/** Makes a lesson of one's own from Markdown. @throws Problem 422 naming each line that is wrong */
export async function createFromMarkdown(tx: WriteTx, text: string): Promise<Static<typeof LessonOverview>> {
  const { front_matter, document } = readMarkdown(text);
  const language = readLanguage(front_matter) ?? "en";
  const at = await lockCounters(tx, "lessons", "tags");
  const tag_ids = await nameTags(tx, front_matter.tags, at);
  const written: Written = { ...toSettings(front_matter), language, tag_ids, content: document };
  return getOverview(tx, await addLesson(tx, written, at));
}

/**
 * Replaces the draft of a lesson of one's own by Markdown.
 * @throws Problem 404; 409 for an archived lesson; 412; 422 naming each line that is wrong
 */
export async function changeByMarkdown(tx: WriteTx, lesson_id: number, text: string): Promise<LessonDraft> {
  await requireOwnContent(tx, "lessons.write", { type: "Lesson", id: lesson_id });
  const { front_matter, document } = readMarkdown(text);
  const given = readLanguage(front_matter);
  const at = await lockCounters(tx, "lessons", "tags");
  const { draft, archived_at } = await findDraft(tx, lesson_id);
  if (archived_at !== null) throw conflict("This lesson is archived: restore it first");
  requireMatch(tx, draft, { markdown: text });
  const tag_ids = await nameTags(tx, front_matter.tags, at);
  const language = given ?? draft.language;
  return writeDraft(tx, draft, { ...toSettings(front_matter), language, tag_ids, content: document, at });
}

async function toMarkdown(tx: Tx, written: Written): Promise<string> {
  const rows =
    written.tag_ids.length === 0
      ? []
      : await tx.sql
          .selectFrom("tags")
          .select("name")
          .where("company_id", "=", tx.company.id)
          .where((eb) => eb("id", "=", eb.fn.any(eb.val([...written.tag_ids]))))
          .orderBy("id")
          .execute();
  const front_matter: FrontMatter = {
    title: written.title,
    description: written.description ?? "",
    language: written.language,
    pass_mark: written.retake_score,
    public: written.public,
    tags: rows.map(({ name }) => name),
  };
  return writeMarkdown({ front_matter, document: written.content });
}

function toSettings({ title, description, pass_mark, public: isPublic }: FrontMatter) {
  return {
    title,
    description: description === "" ? null : description,
    retake_score: pass_mark,
    public: isPublic,
  };
}

function readLanguage({ language }: FrontMatter): Language | undefined {
  if (language === null) return undefined;
  const known = languages.find((one) => one.toLowerCase() === language.toLowerCase());
  if (known !== undefined) return known;
  throw invalid({ field: "language", message: `must be one of ${languages.join(", ")}` });
}

/**
 * The ids of tags by their names; those that are missing are made.
 * @throws Problem 422 for those that are missing, where the viewer may make none
 */
async function nameTags(tx: WriteTx, names: readonly string[], at: string): Promise<number[]> {
  const known = await findTagIds(tx, names);
  const missing = names.filter((name) => !known.has(name));
  if (missing.length > 0 && tx.viewer.scope("tags.write") === undefined)
    throw invalid({ field: "tags", message: `names tags that are not there: ${missing.join(", ")}` });
  const ids = [...known.values()];
  for (const name of missing) {
    // One that was missing may be there by now: two may differ in nothing but their case.
    const [id = (await insertTag(tx, name, at)).id] = (await findTagIds(tx, [name])).values();
    ids.push(id);
  }
  return [...new Set(ids)].toSorted((a, b) => a - b);
}
