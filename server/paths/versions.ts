import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Tx, WriteTx } from "../db/db.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { notFound } from "../http/problem.ts";
import { requireOwnContent } from "../lessons/own.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import { checkSteps } from "./check-steps.ts";
import { beginChange, type Written, writeDraft } from "./drafts.ts";
import { inOrder, type PathSettings } from "./settings.ts";
import { showSteps, type Step, stepInOrder } from "./steps.ts";
import type { PathDiff, PathDraft, PathVersion, PathVersionSummary } from "./v2-version-schema.ts";

/** Which version of which path. */
interface Place {
  readonly path_id: number;
  readonly version: number;
}

/**
 * The versions of a path of one's own, the newest first.
 * @throws Problem 404, 422 for a cursor of another list
 */
export async function listVersions(
  tx: Tx,
  path_id: number,
  query: { readonly cursor?: string; readonly limit?: number },
): Promise<{ data: PathVersionSummary[]; next: string | null }> {
  await requireOwnContent(tx, "paths.write", { type: "LearningPaths::Path", id: path_id });
  const page = readCursorPage(query);
  const after = idAfter(page);
  const [path, { rows }] = await Promise.all([
    tx.sql
      .selectFrom("paths")
      .select("id")
      .where("company_id", "=", tx.company.id)
      .where("id", "=", path_id)
      .executeTakeFirst(),
    sql<SummaryRow>`
      select path_id, number, settings->>'title' as title, note, learners, due_by, published_at, published_by
      from path_versions
      where company_id = ${tx.company.id} and path_id = ${path_id}
        and ${after === undefined ? sql`true` : sql`number < ${after}::bigint`}
      order by number desc limit ${page.limit + 1}`.execute(tx.sql),
  ]);
  if (path === undefined) throw notFound("Path");
  return cutCursorPage(page, rows, { position: ({ number }) => [number], show: toSummary });
}

/** One version of a path of one's own, with its steps. @throws Problem 404 */
export async function getVersion(tx: Tx, { path_id, version }: Place): Promise<PathVersion> {
  await requireOwnContent(tx, "paths.write", { type: "LearningPaths::Path", id: path_id });
  const row = await findVersion(tx, path_id, version);
  if (row === undefined) throw notFound("Version");
  const { settings, steps, diff } = row;
  const contents = await showSteps(tx, steps);
  return { ...toSummary(row), ...settings, tag_ids: [...settings.tag_ids], changes: diff, contents };
}

/**
 * Makes a version of a path its draft again; what people take does not change before that is published.
 * @throws Problem 404; 409 for an archived path; 412; 422 where a step of it can't be any more
 */
export async function restoreVersion(tx: WriteTx, { path_id, version }: Place): Promise<PathDraft> {
  const { at, stored } = await beginChange(tx, path_id, { version });
  const row = await findVersion(tx, path_id, version);
  if (row === undefined) throw notFound("Version");
  const { settings, steps } = row;
  await checkSteps(tx, { path_id, steps, kept: steps, purpose: "draft" });
  return writeDraft(tx, stored, { settings, steps, based_on: row.number, at });
}

interface SummaryRow {
  readonly path_id: number;
  readonly number: number;
  readonly title: string;
  readonly note: string | null;
  readonly learners: "nothing" | "tell" | "ask_again";
  readonly due_by: string | null;
  readonly published_at: string;
  readonly published_by: number | null;
}

/** A version as it is stored, with those of its tags that are still there. */
export interface VersionRow extends SummaryRow, Written {
  readonly diff: PathDiff;
}

/** A version of a path, whoever asks: by its number, or the last one. */
export async function findVersion(
  tx: Tx,
  path_id: number,
  number: number | "last",
): Promise<VersionRow | undefined> {
  // A number may be larger than the column's type has.
  const which: RawBuilder<SqlBool> =
    number === "last" ? sql<SqlBool>`true` : sql<SqlBool>`version.number = ${number}::bigint`;
  const { rows } = await sql<StoredRow>`
    select path_id, number, settings->>'title' as title, settings, contents, note, diff, learners, due_by,
      published_at, published_by,
      array(
        select tags.id::text from tags
        where tags.company_id = ${tx.company.id} and version.settings->'tag_ids' @> to_jsonb(tags.id)
        order by tags.id
      ) as tag_ids
    from path_versions version
    where version.company_id = ${tx.company.id} and version.path_id = ${path_id} and ${which}
    order by version.number desc limit 1`.execute(tx.sql);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { tag_ids, settings, contents, ...version } = row;
  return {
    ...version,
    settings: inOrder({ ...settings, tag_ids: tag_ids.map(Number) }),
    steps: contents.map(stepInOrder),
  };
}

interface StoredRow extends SummaryRow {
  readonly diff: PathDiff;
  readonly settings: PathSettings;
  readonly contents: readonly Step[];
  readonly tag_ids: readonly string[];
}

function toSummary(row: SummaryRow): PathVersionSummary {
  return {
    path_id: row.path_id,
    number: row.number,
    resource_type: "path_version",
    title: row.title,
    note: row.note,
    learners: row.learners,
    due_by: utcTimeOrNull(row.due_by),
    published_at: utcTime(row.published_at),
    published_by: row.published_by,
  };
}
