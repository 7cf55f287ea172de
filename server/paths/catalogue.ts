import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Tx, WriteTx } from "../db/db.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { notFound } from "../http/problem.ts";
import { isAuthoredBy, isOwnContent } from "../lessons/own.ts";
import { isTagged } from "../search/library.ts";
import { isFound, readWordQuery } from "../search/query.ts";
import { listTagsOf } from "../tags/taggings.ts";
import { selectOverviews, toOverview } from "./overviews.ts";
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
