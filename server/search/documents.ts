import { sql } from "kysely";
import type { Tx, WriteTx } from "../db/db.ts";
import type { Content, ContentType } from "../lessons/own.ts";
import { configurationOf, type Language, languages } from "./languages.ts";
import { cutWords } from "./words.ts";

/** Content whose words have changed. */
interface Indexed extends Content {
  /** What is written in it; where it is left out, what was known of it before stays. */
  readonly text?: string;
  /** Of a path, which says nowhere else what language it is in; English where nobody has said. */
  readonly language?: Language;
}

/** Characters of a text that snippets are cut from: some hundred pages. */
const MOST_TEXT_CHARACTERS = 200_000;

/**
 * Makes lessons and paths found by their words of now: title, tags, description and text. Call it in the transaction
 * that changes any of these, after the change.
 */
export async function indexContents(tx: WriteTx, contents: readonly Indexed[]): Promise<void> {
  for (let from = 0; from < contents.length; from += DOCUMENTS_AT_ONCE) {
    await indexSome(tx, contents.slice(from, from + DOCUMENTS_AT_ONCE));
  }
}

async function indexSome(tx: WriteTx, contents: readonly Indexed[]): Promise<void> {
  const [lessons, paths] = await Promise.all([
    findDescribed(tx, "Lesson", idsOf(contents, "Lesson")),
    findDescribed(tx, "LearningPaths::Path", idsOf(contents, "LearningPaths::Path")),
  ]);
  const given = new Map(contents.map((content) => [`${content.type} ${content.id}`, content]));
  const documents = [...lessons, ...paths].map((row) => {
    const { text = row.text, language = row.language } =
      given.get(`${row.content_type} ${row.content_id}`) ?? {};
    return { ...row, language, text: text.slice(0, MOST_TEXT_CHARACTERS).toWellFormed() };
  });
  for (const language of languages) {
    const those = documents.filter((document) => document.language === language);
    if (those.length > 0) await write(tx, language, those);
  }
}

/** The lessons and paths that a tag marks. */
export async function listTaggedContents(tx: Tx, tag_id: number): Promise<Content[]> {
  const rows = await tx.sql
    .selectFrom("taggings")
    .select(["taggable_type", "taggable_id"])
    .where("company_id", "=", tx.company.id)
    .where("tag_id", "=", tag_id)
    .execute();
  return rows.flatMap(({ taggable_type, taggable_id }) =>
    taggable_type === "Course" ? [] : [{ type: taggable_type, id: taggable_id }],
  );
}

/** Their texts are in memory together. */
const DOCUMENTS_AT_ONCE = 100;

interface Described {
  readonly content_type: ContentType;
  readonly content_id: number;
  readonly language: Language;
  readonly title: string;
  readonly description: string | null;
  readonly tags: string;
  readonly text: string;
}

function idsOf(contents: readonly Indexed[], wanted: ContentType): number[] {
  return contents.filter(({ type }) => type === wanted).map(({ id }) => id);
}

async function findDescribed(tx: Tx, type: ContentType, ids: readonly number[]): Promise<Described[]> {
  if (ids.length === 0) return [];
  const company_id = tx.company.id;
  const [table, language] =
    type === "Lesson"
      ? [sql`lessons`, sql`content.language`]
      : [sql`paths`, sql`coalesce(known.language, 'en')`];
  const { rows } = await sql<Described>`
    select ${type}::text as content_type, content.id as content_id, ${language} as language, content.title,
      content.description, coalesce(known.text, '') as text,
      coalesce((
        select string_agg(tags.name, ' ' order by tags.id)
        from taggings
        join tags on tags.company_id = ${company_id} and tags.id = taggings.tag_id
        where taggings.company_id = ${company_id} and taggings.taggable_type = ${type}
          and taggings.taggable_id = content.id
      ), '') as tags
    from ${table} content
    left join search_documents known on known.company_id = ${company_id} and known.content_type = ${type}
      and known.content_id = content.id
    where content.company_id = ${company_id} and content.id = any(${[...ids]}::bigint[])`.execute(tx.sql);
  return rows;
}

/**
 * Words stand in a document as they are written, for who is still typing one, and as their language's stems, for who
 * writes another form of one. Of the text it is only kept which words it has: a title weighs more than any of them.
 */
async function write(tx: WriteTx, language: Language, documents: readonly Described[]): Promise<void> {
  const stems = configurationOf(language);
  const columns = (pick: (document: Described) => string) =>
    documents.map((document) => cutWords(pick(document)).join(" "));
  await sql`
    insert into search_documents (company_id, content_type, content_id, language, text, words)
    select ${tx.company.id}, content_type, content_id, ${language}::text, text,
      setweight(to_tsvector('simple'::regconfig, title) || to_tsvector(${stems}, title), 'A')
      || setweight(to_tsvector('simple'::regconfig, tags) || to_tsvector(${stems}, tags), 'B')
      || setweight(to_tsvector('simple'::regconfig, description) || to_tsvector(${stems}, description), 'C')
      || strip(to_tsvector('simple'::regconfig, text_words) || to_tsvector(${stems}, text_words))
    from unnest(
      ${documents.map(({ content_type }) => content_type)}::text[],
      ${documents.map(({ content_id }) => content_id)}::bigint[],
      ${documents.map(({ text }) => text)}::text[],
      ${columns(({ title }) => title)}::text[],
      ${columns(({ tags }) => tags)}::text[],
      ${columns(({ description }) => description ?? "")}::text[],
      ${columns(({ text }) => text)}::text[]
    ) as document (content_type, content_id, text, title, tags, description, text_words)
    on conflict (company_id, content_type, content_id) do update
    set language = excluded.language, text = excluded.text, words = excluded.words`.execute(tx.sql);
}
