import { sql } from "kysely";
import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import { type CursorPage, cutCursorPage, readCursorPage } from "../http/cursor.ts";
import { invalid } from "../http/problem.ts";
import type { ContentType } from "../lessons/own.ts";
import { hasWords, readWordQuery } from "./query.ts";
import type { SearchQuery, SearchResult } from "./schema.ts";
import { cutSnippet, markWords } from "./snippets.ts";
import { isFindable, listAssigned } from "./visible.ts";

/**
 * Finds lessons and paths by their titles, tags, descriptions and texts, as somebody types, the best first: only what
 * the viewer may see.
 * @throws Problem 422 for a cursor of another list
 */
export async function search(
  tx: Tx,
  query: SearchQuery,
): Promise<{ data: Static<typeof SearchResult>[]; next: string | null }> {
  const page = readCursorPage(query, 3);
  const [words, assigned] = await Promise.all([readWordQuery(tx, query.q), listAssigned(tx)]);
  const company_id = tx.company.id;
  const { rows } = await sql<Found>`
    select found.*, left(document.text, ${SNIPPET_TEXT_CHARACTERS}) as text,
      coalesce(lesson.title, path.title) as title, coalesce(lesson.description, path.description) as description
    from (
      select * from (
        select document.content_type as type, document.content_id as id,
          ts_rank(document.words, ${words.text}::tsquery)::float8 as rank
        from search_documents document
        left join lessons on lessons.company_id = ${company_id} and lessons.id = document.content_id
          and document.content_type = 'Lesson'
        left join paths on paths.company_id = ${company_id} and paths.id = document.content_id
          and document.content_type = 'LearningPaths::Path'
        where document.company_id = ${company_id} and ${hasWords(words, sql`document.words`)} and (
          ${isFindable(tx, { type: "Lesson", table: "lessons", assigned })}
          and document.content_type = 'Lesson'
          or ${isFindable(tx, { type: "LearningPaths::Path", table: "paths", assigned })}
          and document.content_type = 'LearningPaths::Path'
        )
      ) ranked
      where ${isAfter(page)}
      order by rank desc, type, id limit ${page.limit + 1}
    ) found
    join search_documents document on document.company_id = ${company_id}
      and document.content_type = found.type and document.content_id = found.id
    left join lessons lesson on lesson.company_id = ${company_id} and lesson.id = found.id and found.type = 'Lesson'
    left join paths path on path.company_id = ${company_id} and path.id = found.id
      and found.type = 'LearningPaths::Path'
    order by found.rank desc, found.type, found.id`.execute(tx.sql);
  return cutCursorPage(page, rows, {
    position: ({ rank, type, id }) => [rank, type, id],
    show: ({ type, id, title, description, text }) => ({
      resource_type: type === "Lesson" ? "lesson" : "path",
      id,
      title: markWords(title, words.beginnings),
      snippet: cutSnippet(description ?? "", words.beginnings) ?? cutSnippet(text, words.beginnings),
    }),
  });
}

/** How far into a text a snippet is looked for: a page of results is to be there before the next key is struck. */
const SNIPPET_TEXT_CHARACTERS = 20_000;

interface Found {
  readonly type: ContentType;
  readonly id: number;
  readonly rank: number;
  readonly title: string;
  readonly description: string | null;
  readonly text: string;
}

function isAfter({ after }: CursorPage) {
  if (after === undefined) return sql`true`;
  const [rank, type, id] = after;
  const isType = type === "Lesson" || type === "LearningPaths::Path";
  if (typeof rank !== "number" || !isType || !Number.isSafeInteger(id))
    throw invalid({ field: "cursor", message: "is no cursor of this list" });
  return sql`(rank < ${rank}::float8 or (rank = ${rank}::float8 and (type, id) > (${type}::text, ${id}::bigint)))`;
}
