import { assignmentCounters } from "../assignments/give.ts";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { requireMatch } from "../http/match.ts";
import { conflict, invalid } from "../http/problem.ts";
import { requireOwnContent } from "../lessons/own.ts";
import { indexContents } from "../search/documents.ts";
import { replaceTagsOf } from "../tags/taggings.ts";
import { parseMoment, utcTime, utcTimeOrNull } from "../time.ts";
import { checkSteps } from "./check-steps.ts";
import { diffPaths } from "./diff.ts";
import { findDraft, saveDraft, showDraft, type StoredDraft } from "./drafts.ts";
import { pathEvents } from "./events.ts";
import { reviewAssignments } from "./review-assignments.ts";
import { findPublishedSteps, keyOfStep, type Step } from "./steps.ts";
import type { PathDiff, PathPublication, PathPublishing } from "./v2-version-schema.ts";
import { findVersion, type VersionRow } from "./versions.ts";

/**
 * Makes the draft of a path its new version: from now on people take its steps, and version 1 shows them. Who has the
 * path assigned goes on in the new steps with what they have done; what is completed stays so, unless everyone is asked
 * again.
 * @throws Problem 404; 409 for an archived path, and where nothing has changed since the last version; 412; 422 for steps
 * that can't be taken
 */
export async function publishPath(
  tx: WriteTx,
  path_id: number,
  body: PathPublishing,
): Promise<PathPublication> {
  await requireOwnContent(tx, "paths.write", { type: "LearningPaths::Path", id: path_id });
  const { learners = "nothing", note = null } = body;
  const due_by = readDueBy(body);
  const at = await lockCounters(tx, "paths", "path_items", ...assignmentCounters);
  const draft = await findDraft(tx, path_id);
  requireMatch(tx, await showDraft(tx, draft), body);
  if (draft.archived_at !== null) throw conflict("This path is archived: restore it first");
  const before = await findPublishedSteps(tx, path_id);
  const { steps } = draft;
  requireLesson(steps);
  await checkSteps(tx, { path_id, steps, kept: before, purpose: "publish" });
  const last = await findVersion(tx, path_id, "last");
  const changes = diffPaths(last, draft);
  if (last !== undefined && changes.settings.length + changes.contents.length === 0) {
    throw conflict(`Nothing has changed since version ${last.number}: change the draft, then publish it`);
  }
  const published = {
    path_id,
    number: (last?.number ?? 0) + 1,
    note: note?.trim() || null,
    learners,
    due_by,
  };
  await follow(tx, pathEvents, [path_id]);
  await insertVersion(tx, draft, { ...published, changes, at });
  await putInForce(tx, draft, { number: published.number, at });
  const moved = await reviewAssignments(tx, path_id, { ...(learners === "ask_again" && { due_by }), at });
  await writeAudit(tx, { draft, before, last, published: { ...published, ...moved }, at });
  return {
    ...published,
    resource_type: "path_version",
    title: draft.settings.title,
    due_by: utcTimeOrNull(due_by),
    published_at: utcTime(at),
    published_by: tx.viewer.user_id,
    changes,
    ...moved,
  };
}

function readDueBy({ due_by, learners }: PathPublishing): string | null {
  if (due_by == null) return null;
  const moment = parseMoment(due_by);
  if (moment === undefined) {
    throw invalid({ field: "due_by", message: "must be a date or an ISO 8601 timestamp" });
  }
  if (learners === "ask_again") return moment;
  throw invalid({ field: "due_by", message: "is only for who is asked again: set learners to ask_again" });
}

function requireLesson(steps: readonly Step[]): void {
  if (steps.some(({ type }) => type === "lesson" || type === "path")) return;
  throw conflict("There is nothing to take in this path yet: put a lesson into it first");
}

async function insertVersion(
  tx: WriteTx,
  { settings, steps }: StoredDraft,
  given: {
    readonly path_id: number;
    readonly number: number;
    readonly note: string | null;
    readonly learners: "nothing" | "tell" | "ask_again";
    readonly due_by: string | null;
    readonly changes: PathDiff;
    readonly at: string;
  },
): Promise<void> {
  const { changes, at, ...version } = given;
  await tx.sql
    .insertInto("path_versions")
    .values({
      company_id: tx.company.id,
      ...version,
      settings: JSON.stringify(settings),
      contents: JSON.stringify(steps),
      diff: JSON.stringify(changes),
      published_at: at,
      published_by: tx.viewer.user_id,
    })
    .execute();
}

/** Makes the path what the draft says, for version 1, learners and the search too. */
async function putInForce(
  tx: WriteTx,
  draft: StoredDraft,
  { number, at }: { readonly number: number; readonly at: string },
): Promise<void> {
  const { path_id, settings, steps } = draft;
  const { tag_ids, ...columns } = settings;
  const publisher_id = tx.actor.user_id;
  await tx.sql
    .updateTable("paths")
    .set({ ...columns, published_version: number, published_at: at, publisher_id, last_updated_at: at })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", path_id)
    .execute();
  await replaceSteps(tx, path_id, steps);
  await replaceTagsOf(tx, { type: "LearningPaths::Path", id: path_id }, tag_ids);
  await indexContents(tx, [{ type: "LearningPaths::Path", id: path_id, language: settings.language }]);
  await saveDraft(tx, { ...draft, based_on: number }, draft.updated_at ?? at);
}

async function replaceSteps(tx: WriteTx, path_id: number, steps: readonly Step[]): Promise<void> {
  const company_id = tx.company.id;
  await tx.sql
    .deleteFrom("path_items")
    .where("company_id", "=", company_id)
    .where("path_id", "=", path_id)
    .execute();
  await tx.sql
    .insertInto("path_items")
    .values(steps.map((step, position) => ({ company_id, path_id, position, ...toItem(step) })))
    .execute();
}

function toItem(step: Step) {
  switch (step.type) {
    case "lesson":
      return { resource_type: "lesson", lesson_id: step.lesson_id } as const;
    case "path":
      return { resource_type: "path", nested_path_id: step.path_id } as const;
    case "placeholder":
      return { resource_type: "placeholder", item_id: step.id, description: step.description } as const;
    default: {
      const { id, effect, condition, unit, amount, wait_until } = step;
      const columns = { effect, condition, unit, amount, wait_until };
      return { resource_type: "wait_step", item_id: id, ...columns } as const;
    }
  }
}

async function writeAudit(
  tx: WriteTx,
  given: {
    readonly draft: StoredDraft;
    readonly before: readonly Step[];
    readonly last: VersionRow | undefined;
    readonly published: object;
    readonly at: string;
  },
): Promise<void> {
  const { draft, before, last, published, at } = given;
  await audit(tx, {
    action: "publish_path",
    resource_type: "path",
    resource_id: draft.path_id,
    at,
    before: { ...last?.settings, contents: before.map(keyOfStep) },
    after: { ...draft.settings, contents: draft.steps.map(keyOfStep), ...published },
  });
}
