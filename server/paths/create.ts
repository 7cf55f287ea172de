import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { followNew } from "../events/changes.ts";
import { requireOwnContent } from "../lessons/own.ts";
import { indexContents } from "../search/documents.ts";
import { holdMaker } from "../users/hold.ts";
import { getOverview } from "./catalogue.ts";
import { checkSteps } from "./check-steps.ts";
import { findDraft, numberSteps, saveDraft, type Written } from "./drafts.ts";
import { pathEvents } from "./events.ts";
import { readSteps } from "./read-steps.ts";
import { beginSettings, checkSettings } from "./settings.ts";
import type { NewPath, PathCopy, PathWithSteps } from "./v2-schema.ts";

/**
 * Makes a path of one's own, with a draft that nobody else sees until it is published.
 * @throws Problem 422 for settings and steps that can't be
 */
export async function createPath(tx: WriteTx, body: NewPath): Promise<PathWithSteps> {
  const at = await lockCounters(tx, "paths", "path_items");
  const { contents = [], ...given } = body;
  const settings = await checkSettings(tx, beginSettings(body.title), given);
  const steps = await numberSteps(tx, readSteps(contents, []), at);
  // No path holds one that is not there yet, so that it can't hold itself.
  await checkSteps(tx, { path_id: 0, steps, kept: [], purpose: "draft" });
  return getOverview(tx, await insertPath(tx, { settings, steps }, { at }));
}

/** Makes a path of one's own from the draft of another. @throws Problem 404 */
export async function copyPath(tx: WriteTx, path_id: number, { title }: PathCopy): Promise<PathWithSteps> {
  await requireOwnContent(tx, "paths.write", { type: "LearningPaths::Path", id: path_id });
  const at = await lockCounters(tx, "paths", "path_items");
  const { settings, steps } = await findDraft(tx, path_id);
  const copied = await numberSteps(
    tx,
    steps.map((step) => ({ step, isNew: true })),
    at,
  );
  const named = { ...settings, title: title?.trim() ?? settings.title };
  const id = await insertPath(tx, { settings: named, steps: copied }, { at, copy_of: path_id });
  return getOverview(tx, id);
}

/** `public` and the tags come with publishing: until then nobody finds the path. */
async function insertPath(
  tx: WriteTx,
  written: Written,
  { at, copy_of }: { readonly at: string; readonly copy_of?: number },
): Promise<number> {
  const company_id = tx.company.id;
  const id = await moveCounter(tx, { kind: "paths", ids: 1, total: 1, at });
  followNew(tx, pathEvents, { ids: [id] });
  const { tag_ids: _tags, ...settings } = written.settings;
  const owner_id = await holdMaker(tx, tx.viewer.user_id);
  const none = { assignees_count: 0, completed_count: 0, total_completions: 0, via_assignment: 0 };
  await tx.sql
    .insertInto("assignables")
    .values({ company_id, assignable_type: "LearningPaths::Path", assignable_id: id, ...none })
    .execute();
  await tx.sql
    .insertInto("paths")
    .values({ company_id, id, ...settings, public: false, owner_id, created_at: at })
    .execute();
  await saveDraft(tx, { ...written, path_id: id, based_on: null }, at);
  await indexContents(tx, [{ type: "LearningPaths::Path", id, language: settings.language }]);
  const after = { title: settings.title, ...(copy_of === undefined ? {} : { copy_of }) };
  await audit(tx, { action: "create_path", resource_type: "path", resource_id: id, after, at });
  return id;
}
