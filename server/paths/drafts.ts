import { sql } from "kysely";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { requireMatch } from "../http/match.ts";
import { conflict, notFound } from "../http/problem.ts";
import { requireOwnContent } from "../lessons/own.ts";
import { utcTimeOrNull } from "../time.ts";
import { checkSteps } from "./check-steps.ts";
import { type ReadStep, readSteps } from "./read-steps.ts";
import { checkSettings, inOrder, type PathSettings, settingKeys } from "./settings.ts";
import { findPublishedSteps, keyOfStep, showSteps, type Step, stepInOrder } from "./steps.ts";
import type { PathChange, PathReplacement } from "./v2-schema.ts";
import type { PathDraft } from "./v2-version-schema.ts";

/** What people write of a path. */
export interface Written {
  readonly settings: PathSettings;
  readonly steps: readonly Step[];
}

/** A draft as it is stored, with what the path is beside it. */
export interface StoredDraft extends Written {
  readonly path_id: number;
  readonly based_on: number | null;
  readonly updated_at: string | null;
  readonly updated_by: number | null;
  readonly archived_at: string | null;
  readonly published_version: number | null;
}

/** The draft of a path of one's own. @throws Problem 404 */
export async function getDraft(tx: Tx, path_id: number): Promise<PathDraft> {
  await requireOwnContent(tx, "paths.write", { type: "LearningPaths::Path", id: path_id });
  return showDraft(tx, await findDraft(tx, path_id));
}

/**
 * Changes what the body names of a draft, the steps as a whole; nobody else sees it until it is published.
 * @throws Problem 404; 409 for an archived path; 412; 422 for settings and steps that can't be
 */
export async function changeDraft(
  tx: WriteTx,
  path_id: number,
  body: PathChange | PathReplacement,
): Promise<PathDraft> {
  const { at, stored, known } = await beginChange(tx, path_id, body);
  const { contents, ...given } = body;
  const settings = await checkSettings(tx, stored.settings, given);
  const steps = contents === undefined ? undefined : await numberSteps(tx, readSteps(contents, known), at);
  if (steps !== undefined) await checkSteps(tx, { path_id, steps, kept: known, purpose: "draft" });
  return writeDraft(tx, stored, { settings, ...(steps && { steps }), at });
}

/** Begins a change of a draft: under the lock, and from the state that If-Match names. @throws Problem 404, 409, 412 */
export async function beginChange(
  tx: WriteTx,
  path_id: number,
  body: object,
): Promise<{ at: string; stored: StoredDraft; known: Step[] }> {
  await requireOwnContent(tx, "paths.write", { type: "LearningPaths::Path", id: path_id });
  const at = await lockCounters(tx, "paths", "path_items");
  const stored = await findDraft(tx, path_id);
  if (stored.archived_at !== null) throw conflict("This path is archived: restore it first");
  requireMatch(tx, await showDraft(tx, stored), body);
  return { at, stored, known: [...stored.steps, ...(await findPublishedSteps(tx, path_id))] };
}

/** Gives ids to the wait steps and placeholders that are new. Needs the counter of path_items locked. */
export async function numberSteps(tx: WriteTx, read: readonly ReadStep[], at: string): Promise<Step[]> {
  const ids = read.filter(isNumbered).length;
  if (ids === 0) return read.map(({ step }) => step);
  let next = await moveCounter(tx, { kind: "path_items", ids, total: 0, at });
  return read.map((item) => {
    if (!isNumbered(item)) return item.step;
    next += 1;
    return { ...item.step, id: next - 1 };
  });
}

function isNumbered({ step: { type }, isNew }: ReadStep): boolean {
  return isNew && (type === "wait_step" || type === "placeholder");
}

/** Writes changes into a draft, and the audit row; where nothing changes, nothing is written. */
export async function writeDraft(
  tx: WriteTx,
  stored: StoredDraft,
  { at, ...changes }: Partial<Written> & { readonly at: string; readonly based_on?: number },
): Promise<PathDraft> {
  const next = { ...stored, ...changes, updated_at: at, updated_by: tx.viewer.user_id };
  const before = findDifferences(next.settings, stored.settings);
  const after = findDifferences(stored.settings, next.settings);
  const hasNewSteps = JSON.stringify(next.steps) !== JSON.stringify(stored.steps);
  const isNews = Object.keys(after).length > 0 || hasNewSteps || next.based_on !== stored.based_on;
  if (!isNews) return showDraft(tx, stored);
  await saveDraft(tx, next, at);
  const steps = (written: Written) => (hasNewSteps ? { contents: written.steps.map(keyOfStep) } : {});
  await audit(tx, {
    action: "update_path_draft",
    resource_type: "path",
    resource_id: stored.path_id,
    at,
    before: { ...before, ...steps(stored) },
    after: { ...after, ...steps(next) },
  });
  return showDraft(tx, next);
}

/** The settings of `to` whose values are other ones in `from`. */
export function findDifferences(from: PathSettings, to: PathSettings): Partial<PathSettings> {
  const changed = settingKeys.filter((key) => JSON.stringify(from[key]) !== JSON.stringify(to[key]));
  return Object.fromEntries(changed.map((key) => [key, to[key]]));
}

/** Stores a draft as it is given, over the one that is there. */
export async function saveDraft(
  tx: WriteTx,
  { path_id, settings, steps, based_on }: Written & Pick<StoredDraft, "path_id" | "based_on">,
  at: string,
): Promise<void> {
  const columns = {
    settings: JSON.stringify(settings),
    contents: JSON.stringify(steps),
    based_on,
    updated_at: at,
    updated_by: tx.viewer.user_id,
  };
  await tx.sql
    .insertInto("path_drafts")
    .values({ company_id: tx.company.id, path_id, ...columns })
    .onConflict((conflicting) => conflicting.columns(["company_id", "path_id"]).doUpdateSet(columns))
    .execute();
}

/** A draft as answers show it. */
export async function showDraft(tx: Tx, stored: StoredDraft): Promise<PathDraft> {
  return {
    id: stored.path_id,
    resource_type: "path_draft",
    ...stored.settings,
    tag_ids: [...stored.settings.tag_ids],
    contents: await showSteps(tx, stored.steps),
    based_on: stored.based_on,
    updated_at: utcTimeOrNull(stored.updated_at),
    updated_by: stored.updated_by,
  };
}

interface DraftRow extends Omit<PathSettings, "tag_ids"> {
  readonly tag_ids: readonly string[];
  readonly archived_at: string | null;
  readonly published_version: number | null;
  readonly draft_settings: PathSettings | null;
  readonly contents: readonly Step[] | null;
  readonly based_on: number | null;
  readonly updated_at: string | null;
  readonly updated_by: number | null;
}

/**
 * A draft, whoever asks. A path that nobody has edited here yet, as one that was imported, has one that is as the path
 * is.
 * @throws Problem 404
 */
export async function findDraft(tx: Tx, path_id: number): Promise<StoredDraft> {
  const { rows } = await sql<DraftRow>`
    select path.title, path.description, path.language, path.enforced_order, path.public, path.is_certification,
      path.valid_months, path.valid_until_day, path.renewal_days, path.counts_elsewhere,
      array(
        select tags.id::text from tags
        where tags.company_id = ${tx.company.id} and (
          draft.settings->'tag_ids' @> to_jsonb(tags.id) or draft.path_id is null and exists (
            select from taggings
            where taggings.company_id = ${tx.company.id} and taggings.tag_id = tags.id
              and taggings.taggable_type = 'LearningPaths::Path' and taggings.taggable_id = path.id
          )
        )
        order by tags.id
      ) as tag_ids,
      path.archived_at, path.published_version, draft.settings as draft_settings, draft.contents, draft.based_on, draft.updated_at, draft.updated_by
    from paths path
    left join path_drafts draft on draft.company_id = ${tx.company.id} and draft.path_id = path.id
    where path.company_id = ${tx.company.id} and path.id = ${path_id}`.execute(tx.sql);
  const [row] = rows;
  if (row === undefined) throw notFound("Path");
  const { archived_at, published_version, based_on, updated_at, updated_by } = row;
  const state = { path_id, archived_at, published_version, based_on, updated_at, updated_by };
  const tag_ids = row.tag_ids.map(Number);
  if (row.draft_settings !== null && row.contents !== null) {
    const settings = inOrder({ ...row.draft_settings, tag_ids });
    return { ...state, settings, steps: row.contents.map(stepInOrder) };
  }
  return {
    ...state,
    based_on: published_version,
    settings: inOrder({ ...row, tag_ids }),
    steps: await findPublishedSteps(tx, path_id),
  };
}
