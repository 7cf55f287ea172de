import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Static } from "typebox";
import type { Tx, WriteTx } from "../db/db.ts";
import { type CursorPage, cutCursorPage, readCursorPage } from "../http/cursor.ts";
import { forbidden, invalid, notFound, unauthorized } from "../http/problem.ts";
import type { ContentType } from "../lessons/own.ts";
import { listTagsOf } from "../tags/taggings.ts";
import { utcTimeOrNull } from "../time.ts";
import { holdMaker } from "../users/hold.ts";
import { isFound, readWordQuery, type WordQuery } from "./query.ts";
import type { LibraryItem, LibraryQuery, LibraryView, NewLibraryView } from "./schema.ts";
import { isInLibrary } from "./visible.ts";

/**
 * What anyone in the company may find and take without being assigned it, the newest first.
 * @throws Problem 403 where the company's plan lacks the library, 422 for a cursor of another list
 */
export async function listLibrary(
  tx: Tx,
  query: LibraryQuery,
): Promise<{ data: Static<typeof LibraryItem>[]; next: string | null }> {
  requireLibrary(tx);
  const page = readCursorPage(query, 2);
  const given = query["filter[q]"];
  const words = given === undefined ? undefined : await readWordQuery(tx, given);
  const wanted = kinds.filter(
    ({ resource_type }) => (query["filter[type]"] ?? resource_type) === resource_type,
  );
  const arms = wanted.map((kind) => selectItems(tx, kind, { page, words, tag_id: query["filter[tag_id]"] }));
  const { rows } = await sql<ItemRow>`
    select * from (${sql.join(arms, sql` union all `)}) item
    order by id desc, type limit ${page.limit + 1}`.execute(tx.sql);
  const tags = await listTagsOfItems(tx, rows);
  return cutCursorPage(page, rows, {
    position: ({ id, type }) => [id, type],
    show: (row) => ({
      resource_type: row.type === "Lesson" ? "lesson" : "path",
      id: row.id,
      title: row.title,
      description: row.description,
      language: row.language,
      last_updated_at: utcTimeOrNull(row.last_updated_at),
      tags: tags.get(`${row.type} ${row.id}`) ?? [],
    }),
  });
}

/**
 * Counts that a person has opened something in the library.
 * @throws Problem 403 for a key, and where the plan lacks the library; 404 for what is not in it; 401 for one who is gone
 */
export async function viewInLibrary(
  tx: WriteTx,
  { resource_type, id }: NewLibraryView,
): Promise<Static<typeof LibraryView>> {
  requireLibrary(tx);
  const { user_id } = tx.viewer;
  if (user_id === null) throw forbidden("Only a person can open something in the library: sign in");
  const { type, table, called } = resource_type === "lesson" ? lessonKind : pathKind;
  const { rows } = await sql`
    select id from ${sql.table(table)}
    where company_id = ${tx.company.id} and id = ${id} and ${isInLibrary(table)}`.execute(tx.sql);
  if (rows.length === 0) throw notFound(called);
  if ((await holdMaker(tx, user_id)) === null) throw unauthorized();
  const { views } = await tx.sql
    .insertInto("library_uses")
    .values({
      company_id: tx.company.id,
      user_id,
      assignable_type: type,
      assignable_id: id,
      views: 1,
      completions: 0,
    })
    .onConflict((oc) =>
      oc
        .columns(["company_id", "user_id", "assignable_type", "assignable_id"])
        .doUpdateSet((eb) => ({ views: eb("library_uses.views", "+", eb.ref("excluded.views")) })),
    )
    .returning("views")
    .executeTakeFirstOrThrow();
  return { resource_type, id, views };
}

function requireLibrary(tx: Tx): void {
  if (!tx.company.has_learning_library)
    throw forbidden("The learning library is not part of this company's plan");
}

interface Kind {
  readonly type: ContentType;
  readonly table: "lessons" | "paths";
  readonly resource_type: "lesson" | "path";
  readonly called: string;
}

const lessonKind: Kind = { type: "Lesson", table: "lessons", resource_type: "lesson", called: "Lesson" };
const pathKind: Kind = { type: "LearningPaths::Path", table: "paths", resource_type: "path", called: "Path" };
const kinds = [lessonKind, pathKind];

interface ItemRow {
  readonly type: ContentType;
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly language: string | null;
  readonly last_updated_at: string | null;
}

interface Asked {
  readonly page: CursorPage;
  readonly words: WordQuery | undefined;
  readonly tag_id: number | undefined;
}

/** The first of one kind, so that a page costs the same however much there is. */
function selectItems(tx: Tx, { type, table }: Kind, { page, words, tag_id }: Asked): RawBuilder<ItemRow> {
  const id = sql.ref(`${table}.id`);
  const conditions = [isInLibrary(table), isAfter(page, type, id)];
  if (words !== undefined) conditions.push(isFound(tx, words, { type, id }));
  if (tag_id !== undefined) conditions.push(isTagged(tx, tag_id, { type, id }));
  return sql`(
    select ${type}::text as type, id, title, description,
      ${type === "Lesson" ? sql`language` : sql`null::text`} as language, last_updated_at
    from ${sql.table(table)}
    where company_id = ${tx.company.id} and ${sql.join(conditions, sql` and `)}
    order by id desc limit ${page.limit + 1}
  )`;
}

function isAfter({ after }: CursorPage, type: ContentType, id: RawBuilder<unknown>): RawBuilder<SqlBool> {
  if (after === undefined) return sql<SqlBool>`true`;
  const [last, lastType] = after;
  if (!Number.isSafeInteger(last) || typeof lastType !== "string")
    throw invalid({ field: "cursor", message: "is no cursor of this list" });
  return type > lastType ? sql<SqlBool>`${id} <= ${last}` : sql<SqlBool>`${id} < ${last}`;
}

/** Whether a tag marks content of a query. */
export function isTagged(
  tx: Tx,
  tag_id: number,
  { type, id }: { readonly type: ContentType; readonly id: RawBuilder<unknown> },
): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from taggings
    where taggings.company_id = ${tx.company.id} and taggings.tag_id = ${tag_id}
      and taggings.taggable_type = ${type} and taggings.taggable_id = ${id}
  )`;
}

async function listTagsOfItems(tx: Tx, rows: readonly ItemRow[]) {
  const found = await Promise.all(
    kinds.map(async ({ type }) => {
      const ids = rows.filter((row) => row.type === type).map(({ id }) => id);
      const tags = ids.length === 0 ? [] : [...(await listTagsOf(tx, { type, ids }))];
      return tags.map(([id, those]) => [`${type} ${id}`, those] as const);
    }),
  );
  return new Map(found.flat());
}
