import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Tx } from "../db/db.ts";
import type { ContentType } from "../lessons/own.ts";
import { configurationOf, stemmingConfigurations } from "./languages.ts";
import { cutWords } from "./words.ts";

/** Characters of what is searched for: a sentence. */
export const MOST_QUERY_CHARACTERS = 200;
/** Words of it that count: more find nothing that these don't. */
const MOST_QUERY_WORDS = 12;

/** What is searched for. */
export interface WordQuery {
  /** As PostgreSQL's tsquery; null where there is no word in it, so that it finds nothing. */
  readonly text: string | null;
  /** What a word begins with that is to be marked in what was found. */
  readonly beginnings: readonly string[];
}

/**
 * Reads what somebody types: every word has to be there in the form given or in another form of it, in whatever
 * language; of the last one its beginning is enough, as it may not be typed to its end.
 */
export async function readWordQuery(tx: Tx, text: string): Promise<WordQuery> {
  const words = cutWords(text.toLowerCase()).slice(0, MOST_QUERY_WORDS);
  if (words.length === 0) return { text: null, beginnings: [] };
  const cut = sql.join(
    [configurationOf("ja"), ...stemmingConfigurations].map(
      (configuration) => sql`(tsvector_to_array(to_tsvector(${configuration}, word.text)))`,
    ),
  );
  const { rows } = await sql<{ position: number; lexemes: string[] }>`
    select word.position, form.lexemes
    from unnest(${words}::text[]) with ordinality as word (text, position)
    cross join lateral (values ${cut}) as form (lexemes)`.execute(tx.sql);
  const forms = Map.groupBy(
    rows.filter(({ lexemes }) => lexemes.length > 0),
    ({ position }) => position,
  );
  const terms = [...forms].map(([position, found]) => toTerm(found, position === words.length));
  return {
    text: terms.length === 0 ? null : terms.join(" & "),
    beginnings: [...new Set([...words, ...rows.flatMap(({ lexemes }) => lexemes)])],
  };
}

/** Whether a document of a query has the words. */
export function hasWords(query: WordQuery, words: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return query.text === null ? sql<SqlBool>`false` : sql<SqlBool>`${words} @@ ${query.text}::tsquery`;
}

/** Whether content of a query is found by the words. */
export function isFound(
  tx: Tx,
  query: WordQuery,
  { type, id }: { readonly type: ContentType; readonly id: RawBuilder<unknown> },
): RawBuilder<SqlBool> {
  return sql<SqlBool>`${id} in (
    select search_documents.content_id from search_documents
    where search_documents.company_id = ${tx.company.id} and search_documents.content_type = ${type}
      and ${hasWords(query, sql`search_documents.words`)}
  )`;
}

/** The forms of one word, any of which will do; one form may be several lexemes. */
function toTerm(forms: readonly { readonly lexemes: readonly string[] }[], isLast: boolean): string {
  const texts = forms.map(({ lexemes }) => lexemes.map((lexeme) => quote(lexeme, isLast)).join(" & "));
  return `(${[...new Set(texts)].map((text) => `(${text})`).join(" | ")})`;
}

function quote(lexeme: string, isBeginning: boolean): string {
  return `'${lexeme.replaceAll(/['\\]/g, (character) => character + character)}'${isBeginning ? ":*" : ""}`;
}
