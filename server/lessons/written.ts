import { invalid } from "../http/problem.ts";
import type { Language } from "../search/languages.ts";
import { readDocument } from "./content/read.ts";
import type { LessonDocument } from "./content/schema.ts";
import { toLine, toLines } from "./content/tidy.ts";
import type { LessonChange } from "./v2-schema.ts";

/** What people write of a lesson. */
export interface Written {
  readonly title: string;
  readonly description: string | null;
  readonly language: Language;
  readonly retake_score: number;
  readonly public: boolean;
  readonly tag_ids: readonly number[];
  readonly content: LessonDocument;
}

/** The keys of a draft beside its content. */
export const settingKeys = ["title", "description", "language", "retake_score", "public", "tag_ids"] as const;

/**
 * What a body says, in the form in which it is stored. Call it before anything else looks at the body: only here content
 * is held against its limits.
 * @throws Problem 422 for content that is wrong.
 */
export function readChanges(body: LessonChange): Partial<Written> {
  const { content, title, description, tag_ids, ...rest } = body;
  return {
    ...rest,
    ...(title === undefined ? {} : { title: readTitle(title) }),
    ...(description === undefined ? {} : { description: toLines(description ?? "") || null }),
    ...(tag_ids === undefined ? {} : { tag_ids: [...new Set(tag_ids)].toSorted((a, b) => a - b) }),
    ...(content === undefined ? {} : { content: readDocument(content, { at: "content" }) }),
  };
}

/** A title in the form in which Markdown gives it back too. @throws Problem 422 where nothing is left of it. */
export function readTitle(given: string): string {
  const title = toLine(given).trim();
  if (title === "") throw invalid({ field: "title", message: "can't be empty" });
  return title;
}

/** The keys whose values are other ones. Documents are compared as they are stored. */
export function findChanges(before: Written, after: Partial<Written>): (keyof Written)[] {
  const keys = [...settingKeys, "content"] as const;
  return keys.filter((key) => {
    const value = after[key];
    return value !== undefined && canonical(value) !== canonical(before[key]);
  });
}

/** jsonb forgets the order of keys, so it does not count. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
