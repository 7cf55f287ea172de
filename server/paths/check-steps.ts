import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { type FieldError, invalid } from "../http/problem.ts";
import { findStructures } from "./contents.ts";
import { checkStructure } from "./cycles.ts";
import { inContents, type Place } from "./read-steps.ts";
import { keyOfStep, type Step } from "./steps.ts";

/** Steps that are to be a path's. */
export interface ToCheck {
  readonly path_id: number;
  readonly steps: readonly Step[];
  /** What the path has had: of this, what has been archived since may stay, as it is skipped. */
  readonly kept: readonly Step[];
  /** Which of the steps the body gives, and where. All of them as `contents`, unless said otherwise. */
  readonly given?: { readonly index: number; readonly place: Place };
  /** publish: lessons and paths that nobody has published yet can't be taken. */
  readonly purpose: "draft" | "publish";
}

/**
 * Makes sure that a path can have these steps: what they name exists, is not archived, and does not hold the path itself.
 * @throws Problem 422 that points to each step that is wrong.
 */
export async function checkSteps(tx: Tx, check: ToCheck): Promise<void> {
  const found = await findNamed(tx, check.steps);
  const kept = new Set(check.kept.map(keyOfStep));
  const errors = check.steps.flatMap((step, index): FieldError[] => {
    if (step.type !== "lesson" && step.type !== "path") return [];
    const key = keyOfStep(step);
    const message = findFault(step.type, found.get(key), {
      isKept: kept.has(key),
      purpose: check.purpose,
    });
    return message === undefined ? [] : [{ field: fieldOf(check, index, `${step.type}_id`), message }];
  });
  if (errors.length > 0) throw invalid(...errors);
  await checkNesting(tx, check);
}

function fieldOf({ given }: ToCheck, index: number, field: string): string {
  const place = given === undefined || given.index !== index ? inContents : given.place;
  return place(index) + field;
}

interface Named {
  readonly key: string;
  readonly archived_at: string | null;
  readonly is_begun_only: boolean;
}

async function findNamed(tx: Tx, steps: readonly Step[]): Promise<Map<string, Named>> {
  const lessons = steps.flatMap((step) => (step.type === "lesson" ? step.lesson_id : []));
  const paths = steps.flatMap((step) => (step.type === "path" ? step.path_id : []));
  const { rows } = await sql<Named>`
    select 'lesson-' || lesson.id as key, lesson.archived_at,
      lesson.published_version is null and draft.lesson_id is not null as is_begun_only
    from lessons lesson
    left join lesson_drafts draft on draft.company_id = ${tx.company.id} and draft.lesson_id = lesson.id
    where lesson.company_id = ${tx.company.id} and lesson.id = any(${lessons}::bigint[])
    union all
    select 'path-' || path.id, path.archived_at,
      path.published_version is null and draft.path_id is not null and not exists (
        select from path_items where path_items.company_id = ${tx.company.id} and path_items.path_id = path.id
      )
    from paths path
    left join path_drafts draft on draft.company_id = ${tx.company.id} and draft.path_id = path.id
    where path.company_id = ${tx.company.id} and path.id = any(${paths}::bigint[])`.execute(tx.sql);
  return new Map(rows.map((row) => [row.key, row]));
}

function findFault(
  type: "lesson" | "path",
  found: Named | undefined,
  { isKept, purpose }: { readonly isKept: boolean; readonly purpose: ToCheck["purpose"] },
): string | undefined {
  if (found === undefined) return `names no ${type} of this company`;
  if (found.archived_at !== null && !isKept) return `is archived: restore the ${type} first`;
  if (found.is_begun_only && purpose === "publish") {
    return `has never been published: publish the ${type} first, or take it out`;
  }
  return undefined;
}

/** Looks at the path with these steps, and at all that is nested in them as it is published. */
async function checkNesting(tx: Tx, check: ToCheck): Promise<void> {
  const { path_id, steps } = check;
  const nested = steps.flatMap((step) => (step.type === "path" ? step.path_id : []));
  if (nested.length === 0) return;
  const structures = await findStructures(tx, nested);
  const children = new Map<number, number[]>();
  const others = new Map<number, number>();
  for (const [id, items] of structures) {
    const held = items.flatMap((item) => (item.resource_type === "path" ? item.id : []));
    children.set(id, held);
    others.set(id, items.length - held.length);
  }
  children.set(path_id, nested);
  others.set(path_id, steps.length - nested.length);
  const fault = checkStructure(children, others);
  if (fault === undefined) return;
  const next = fault.path_ids[(fault.path_ids.indexOf(path_id) + 1) % fault.path_ids.length];
  const index = steps.findIndex((step) => step.type === "path" && step.path_id === next);
  const field = index < 0 ? "contents" : fieldOf(check, index, "path_id");
  throw invalid({ field, message: `can't stand here: ${fault.message}` });
}
