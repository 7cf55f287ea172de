import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Static } from "typebox";
import type { Tx, WriteTx } from "../db/db.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { notFound } from "../http/problem.ts";
import { isAuthoredBy, isOwnContent } from "../lessons/own.ts";
import { links } from "../links.ts";
import { isTagged } from "../search/library.ts";
import type { Language } from "../search/languages.ts";
import { isFound, readWordQuery } from "../search/query.ts";
import type { Tag } from "../tags/schema.ts";
import { listTagsOf } from "../tags/taggings.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import { archivePath, restorePath } from "./paths.ts";
import { findPublishedSteps, showSteps } from "./steps.ts";
import type { PathOverview, PathsQuery, PathWithSteps } from "./v2-schema.ts";

/**
 * The paths that the viewer may see, the newest first.
 * @throws Problem 422 for a cursor of another list
 */
export async function listCatalogue(
  tx: Tx,
  query: PathsQuery,
): Promise<{ data: PathOverview[]; next: string | null }> {
  const page = readCursorPage(query);
  const after = idAfter(page);
  const conditions = await readFilters(tx, query);
  if (after !== undefined) conditions.push(sql<SqlBool>`paths.id < ${after}`);
  const rows = await selectOverviews(tx, conditions, page.limit + 1);
  const tags = await listTagsOf(tx, { type: "LearningPaths::Path", ids: rows.map(({ id }) => id) });
  return cutCursorPage(page, rows, {
    position: ({ id }) => [id],
    show: (row) => toOverview(tx, row, tags.get(row.id)),
  });
}

/** One path with its steps as they are published. @throws Problem 404 */
export async function getOverview(tx: Tx, path_id: number): Promise<PathWithSteps> {
  const [[row], tags, steps] = await Promise.all([
    selectOverviews(tx, [sql<SqlBool>`paths.id = ${path_id}`, isVisible(tx)], 1),
    listTagsOf(tx, { type: "LearningPaths::Path", ids: [path_id] }),
    findPublishedSteps(tx, path_id),
  ]);
  if (row === undefined) throw notFound("Path");
  return { ...toOverview(tx, row, tags.get(path_id)), contents: await showSteps(tx, steps) };
}

const content = { type: "LearningPaths::Path", id: sql.ref("paths.id") } as const;

/** In the catalogue, or as one's own: who builds a path sees it in any case. */
function isVisible(tx: Tx): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${isOwnContent(tx, "content.read", content)} or ${isOwnContent(tx, "paths.write", content)})`;
}

async function readFilters(tx: Tx, query: PathsQuery): Promise<RawBuilder<SqlBool>[]> {
  const conditions = [isVisible(tx)];
  const add = (wanted: "true" | "false" | undefined, condition: RawBuilder<SqlBool>) => {
    if (wanted !== undefined) conditions.push(sql<SqlBool>`${condition} = ${wanted === "true"}`);
  };
  add(query["filter[archived]"], sql<SqlBool>`(paths.archived_at is not null)`);
  add(query["filter[published]"], sql<SqlBool>`(paths.published_version is not null)`);
  add(query["filter[mine]"], isAuthoredBy(tx, tx.viewer.user_id, content));
  const tag_id = query["filter[tag_id]"];
  if (tag_id !== undefined) conditions.push(isTagged(tx, tag_id, content));
  const words = query["filter[q]"];
  if (words !== undefined) conditions.push(isFound(tx, await readWordQuery(tx, words), content));
  return conditions;
}

interface OverviewRow {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly language: Language;
  readonly enforced_order: boolean;
  readonly public: boolean;
  readonly is_certification: boolean;
  readonly valid_months: number | null;
  readonly valid_until_day: string | null;
  readonly renewal_days: number;
  readonly counts_elsewhere: boolean;
  readonly owner_id: number | null;
  readonly published_version: number | null;
  readonly published_at: string | null;
  readonly publisher_id: number | null;
  readonly created_at: string;
  readonly last_updated_at: string | null;
  readonly archived_at: string | null;
  readonly archived_by_user_id: number | null;
}

async function selectOverviews(
  tx: Tx,
  conditions: readonly RawBuilder<SqlBool>[],
  limit: number,
): Promise<OverviewRow[]> {
  const { rows } = await sql<OverviewRow>`
    select id, title, description, language, enforced_order, public, is_certification, valid_months, valid_until_day,
      renewal_days, counts_elsewhere, owner_id, published_version, published_at, publisher_id, created_at,
      last_updated_at, archived_at, archived_by_user_id
    from paths
    where paths.company_id = ${tx.company.id} and ${sql.join([...conditions], sql` and `)}
    order by paths.id desc limit ${limit}`.execute(tx.sql);
  return rows;
}

function toOverview(tx: Tx, row: OverviewRow, tags: Static<typeof Tag>[] = []): PathOverview {
  return {
    ...row,
    resource_type: "path",
    published_at: utcTimeOrNull(row.published_at),
    created_at: utcTime(row.created_at),
    last_updated_at: utcTimeOrNull(row.last_updated_at),
    archived_at: utcTimeOrNull(row.archived_at),
    tags,
    links: links(tx.company.base_url, "path", row),
  };
}

/** Archives a path of one's own; one that is archived already stays as it is. @throws Problem 404 */
export async function archiveOwnPath(tx: WriteTx, id: number): Promise<PathWithSteps> {
  await archivePath(tx, id);
  return getOverview(tx, id);
}

/** Restores a path of one's own; one that is active stays as it is. @throws Problem 404 */
export async function restoreOwnPath(tx: WriteTx, id: number): Promise<PathWithSteps> {
  await restorePath(tx, id);
  return getOverview(tx, id);
}
