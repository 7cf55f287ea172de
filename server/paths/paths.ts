import type { Static } from "typebox";
import { assignmentCounters } from "../assignments/give.ts";
import { archiveContent, restoreContent, toArchiveState, toSummary } from "../db/archive.ts";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { notFound } from "../http/problem.ts";
import { requireOwnContent } from "../lessons/own.ts";
import { links } from "../links.ts";
import { listTagsOf } from "../tags/taggings.ts";
import type { Tag } from "../tags/schema.ts";
import { utcTime, utcTimeOrNull, zonedTimeOrNull } from "../time.ts";
import { findStructures, toContents } from "./contents.ts";
import { pathEvents } from "./events.ts";
import { completeWithout } from "./review-assignments.ts";
import type { ListedPathList, Path, PathSummaryList, TaggedPath } from "./schema.ts";

/** All paths as version 1 lists them, the oldest first. */
export async function listPaths(tx: Tx): Promise<Static<typeof PathSummaryList>> {
  const rows = await tx.sql
    .selectFrom("paths")
    .select(["id", "title", "archived_at", "archived_by_user_id", "is_certification"])
    .where("company_id", "=", tx.company.id)
    .orderBy("id")
    .execute();
  const paths = rows.map((row) =>
    Object.assign(toSummary(tx, row), { is_certification: row.is_certification }),
  );
  return { type: "paths", paths };
}

/** All paths as version 1.1 lists them, the oldest first. */
export async function listPathsInFull(tx: Tx): Promise<Static<typeof ListedPathList>> {
  const [rows, tags] = await Promise.all([
    selectPaths(tx).orderBy("paths.id").execute(),
    listTagsOf(tx, { type: "LearningPaths::Path" }),
  ]);
  return { type: "paths", paths: rows.map((row) => toPath(tx, row, tags.get(row.id))) };
}

/** One path with its contents. @throws Problem 404 */
export async function getPath(tx: Tx, path_id: number): Promise<Static<typeof Path>> {
  const [row, tags, structures] = await Promise.all([
    selectPaths(tx).where("paths.id", "=", path_id).executeTakeFirst(),
    listTagsOf(tx, { type: "LearningPaths::Path", ids: [path_id] }),
    findStructures(tx, [path_id]),
  ]);
  if (row === undefined) throw notFound("Path");
  const { id, ...path } = toPath(tx, row, tags.get(path_id));
  return { id, type: "path", ...path, contents: toContents(tx, structures).get(path_id) ?? [] };
}

/** Archives a path; one that is archived already stays as it is. @throws Problem 404 */
export async function archivePath(tx: WriteTx, id: number): Promise<Static<typeof Path>> {
  const content = { type: "LearningPaths::Path", id } as const;
  await requireOwnContent(tx, "paths.write", content);
  const at = await lockCounters(tx, "paths", ...assignmentCounters);
  await follow(tx, pathEvents, [id]);
  await archiveContent(tx, { table: "paths", id, at });
  await completeWithout(tx, content, at);
  return getPath(tx, id);
}

/** Restores a path; one that is active stays as it is. @throws Problem 404 */
export async function restorePath(tx: WriteTx, id: number): Promise<Static<typeof Path>> {
  await requireOwnContent(tx, "paths.write", { type: "LearningPaths::Path", id });
  const at = await lockCounters(tx, "paths");
  await follow(tx, pathEvents, [id]);
  await restoreContent(tx, { table: "paths", id, at });
  return getPath(tx, id);
}

/** The columns of a path that answers show. */
export interface PathRow {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly enforced_order: boolean;
  readonly public: boolean;
  readonly is_certification: boolean;
  readonly publisher_id: number | null;
  readonly published_at: string | null;
  readonly created_at: string;
  readonly last_updated_at: string | null;
  readonly archived_at: string | null;
  readonly archived_by_user_id: number | null;
}

/** The query for paths as answers show them; the caller adds which, and the order. */
export function selectPaths(tx: Tx) {
  return tx.sql
    .selectFrom("paths")
    .select([
      "paths.id",
      "paths.title",
      "paths.description",
      "paths.enforced_order",
      "paths.public",
      "paths.is_certification",
      "paths.publisher_id",
      "paths.published_at",
      "paths.created_at",
      "paths.last_updated_at",
      "paths.archived_at",
      "paths.archived_by_user_id",
    ])
    .where("paths.company_id", "=", tx.company.id);
}

/** A path as answers show it, but for its contents; the list of version 1.1 leaves out more. */
export function toPath(
  tx: Tx,
  row: PathRow,
  tags: Static<typeof Tag>[] = [],
): Omit<Static<typeof TaggedPath>, "contents"> {
  return {
    id: row.id,
    resource_type: "path",
    title: row.title,
    description: row.description,
    enforced_order: row.enforced_order,
    public: row.public,
    created_at: utcTime(row.created_at),
    last_updated_at: utcTimeOrNull(row.last_updated_at),
    published_at: zonedTimeOrNull(row.published_at, tx.company.time_zone),
    publisher_id: row.publisher_id,
    tags,
    links: links(tx.company.base_url, "path", row),
    ...toArchiveState(tx, row),
    is_certification: row.is_certification,
  };
}
