import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Tx } from "../db/db.ts";
import { notFound } from "../http/problem.ts";
import type { Privilege } from "../privileges/privileges.ts";

/** What people write: lessons and paths. */
export type ContentType = "Lesson" | "LearningPaths::Path";

/** A lesson or a path. */
export interface Content {
  readonly type: ContentType;
  readonly id: number;
}

const tables = { Lesson: "lessons", "LearningPaths::Path": "paths" } as const;
const names = { Lesson: "Lesson", "LearningPaths::Path": "Path" } as const;

/**
 * Makes sure that a lesson or a path is within the viewer's reach. Whose reach is all of the company passes without a
 * look at the database: that the thing exists is the caller's to find.
 * @throws Problem 404 for what is neither one's own nor shared with one.
 */
export async function requireOwnContent(tx: Tx, privilege: Privilege, { type, id }: Content): Promise<void> {
  if (tx.viewer.scope(privilege) === "all") return;
  const { rows } = await sql`
    select id from ${sql.table(tables[type])}
    where company_id = ${tx.company.id} and id = ${id}
      and ${isOwnContent(tx, privilege, { type, id: sql`${id}::bigint` })}`.execute(tx.sql);
  if (rows.length === 0) throw notFound(names[type]);
}

/**
 * Whether a lesson or a path of a query is within the viewer's reach: all of them, or those that the viewer owns and
 * those that their owners share with the viewer.
 * @param content.id the column, with the name of its table: `sql.ref("lessons.id")`.
 */
export function isOwnContent(
  tx: Tx,
  privilege: Privilege,
  content: { readonly type: ContentType; readonly id: RawBuilder<unknown> },
): RawBuilder<SqlBool> {
  const scope = tx.viewer.scope(privilege);
  if (scope === "all") return sql<SqlBool>`true`;
  if (scope === undefined) return sql<SqlBool>`false`;
  return isAuthoredBy(tx, tx.viewer.user_id, content);
}

/** Whether a person owns a lesson or a path of a query, or its owner shares it with them. A key is no person. */
export function isAuthoredBy(
  tx: Tx,
  user_id: number | null,
  { type, id }: { readonly type: ContentType; readonly id: RawBuilder<unknown> },
): RawBuilder<SqlBool> {
  if (user_id === null) return sql<SqlBool>`false`;
  return sql<SqlBool>`(
    exists (
      select from ${sql.table(tables[type])} as owned
      where owned.company_id = ${tx.company.id} and owned.id = ${id} and owned.owner_id = ${user_id}
    ) or exists (
      select from content_authors
      where content_authors.company_id = ${tx.company.id} and content_authors.content_type = ${type}
        and content_authors.content_id = ${id} and content_authors.user_id = ${user_id}
    ))`;
}
