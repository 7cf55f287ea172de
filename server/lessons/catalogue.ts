import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Static } from "typebox";
import type { Tx, WriteTx } from "../db/db.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { notFound } from "../http/problem.ts";
import { isTagged } from "../search/library.ts";
import { isFound, readWordQuery } from "../search/query.ts";
import { listTagsOf } from "../tags/taggings.ts";
import { archiveLesson, restoreLesson } from "./lessons.ts";
import { selectOverviews, toOverview } from "./overviews.ts";
import { isAuthoredBy, isOwnContent } from "./own.ts";
import type { LessonOverview, LessonQuery, LessonsQuery } from "./v2-schema.ts";

/**
 * The lessons that the viewer may see, the newest first.
 * @throws Problem 422 for a cursor of another list
 */
export async function listCatalogue(
  tx: Tx,
  query: LessonsQuery,
): Promise<{ data: Static<typeof LessonOverview>[]; next: string | null }> {
  const page = readCursorPage(query);
  const after = idAfter(page);
  const conditions = await readFilters(tx, query);
  if (after !== undefined) conditions.push(sql<SqlBool>`lessons.id < ${after}`);
  const rows = await selectOverviews(tx, conditions, page.limit + 1);
  const tags = await listTagsOf(tx, { type: "Lesson", ids: rows.map(({ id }) => id) });
  return cutCursorPage(page, rows, {
    position: ({ id }) => [id],
    show: (row) => toOverview(tx, row, { tags: tags.get(row.id), include: query.include }),
  });
}

/** One lesson. @throws Problem 404 */
export async function getOverview(
  tx: Tx,
  lesson_id: number,
  { include }: LessonQuery = {},
): Promise<Static<typeof LessonOverview>> {
  const [[row], tags] = await Promise.all([
    selectOverviews(tx, [sql<SqlBool>`lessons.id = ${lesson_id}`, isVisible(tx)], 1),
    listTagsOf(tx, { type: "Lesson", ids: [lesson_id] }),
  ]);
  if (row === undefined) throw notFound("Lesson");
  return toOverview(tx, row, { tags: tags.get(lesson_id), include });
}

/** Archives a lesson of one's own; one that is archived already stays as it is. @throws Problem 404 */
export async function archiveOwnLesson(tx: WriteTx, id: number): Promise<Static<typeof LessonOverview>> {
  await archiveLesson(tx, id);
  return getOverview(tx, id);
}

/** Restores a lesson of one's own; one that is active stays as it is. @throws Problem 404 */
export async function restoreOwnLesson(tx: WriteTx, id: number): Promise<Static<typeof LessonOverview>> {
  await restoreLesson(tx, id);
  return getOverview(tx, id);
}

/** In the catalogue, or as one's own: who writes a lesson sees it in any case. */
function isVisible(tx: Tx): RawBuilder<SqlBool> {
  const content = { type: "Lesson", id: sql.ref("lessons.id") } as const;
  return sql<SqlBool>`(${isOwnContent(tx, "content.read", content)} or ${isOwnContent(tx, "lessons.write", content)})`;
}

async function readFilters(tx: Tx, query: LessonsQuery): Promise<RawBuilder<SqlBool>[]> {
  const content = { type: "Lesson", id: sql.ref("lessons.id") } as const;
  const conditions = [isVisible(tx)];
  const add = (wanted: "true" | "false" | undefined, condition: RawBuilder<SqlBool>) => {
    if (wanted !== undefined) conditions.push(sql<SqlBool>`${condition} = ${wanted === "true"}`);
  };
  add(query["filter[archived]"], sql<SqlBool>`(lessons.archived_at is not null)`);
  add(query["filter[published]"], sql<SqlBool>`(lessons.published_version is not null)`);
  add(query["filter[mine]"], isAuthoredBy(tx, tx.viewer.user_id, content));
  const tag_id = query["filter[tag_id]"];
  if (tag_id !== undefined) conditions.push(isTagged(tx, tag_id, content));
  const words = query["filter[q]"];
  if (words !== undefined) conditions.push(isFound(tx, await readWordQuery(tx, words), content));
  return conditions;
}
