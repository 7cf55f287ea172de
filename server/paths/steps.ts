import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { utcTimeOrNull } from "../time.ts";
import type { PublishedStep } from "./v2-step-schema.ts";

/** A step as drafts and versions keep it. */
export type Step =
  | { readonly type: "lesson"; readonly lesson_id: number }
  | { readonly type: "path"; readonly path_id: number }
  | WaitStep
  | { readonly type: "placeholder"; readonly id: number; readonly description: string | null };

export interface WaitStep {
  readonly type: "wait_step";
  readonly id: number;
  readonly effect: string;
  readonly condition: string;
  readonly unit: string;
  readonly amount: number;
  readonly wait_until: string | null;
}

/** A step with its keys in this order and no others: jsonb keeps no order, and steps are compared as texts. */
export function stepInOrder(step: Step): Step {
  if (step.type === "lesson") return { type: "lesson", lesson_id: step.lesson_id };
  if (step.type === "path") return { type: "path", path_id: step.path_id };
  if (step.type === "placeholder") return { type: "placeholder", id: step.id, description: step.description };
  const { id, effect, condition, unit, amount, wait_until } = step;
  return { type: "wait_step", id, effect, condition, unit, amount, wait_until };
}

/** What a step is or holds: `lesson-12`. A path may have the same one twice. */
export function keyOfStep(step: Step): string {
  if (step.type === "lesson") return `lesson-${step.lesson_id}`;
  return step.type === "path" ? `path-${step.path_id}` : `${step.type}-${step.id}`;
}

/** The names of steps in their path: the key, and from the second time on how often it stood before. */
export function nameSteps(steps: readonly Step[]): string[] {
  const seen = new Map<string, number>();
  return steps.map((step) => {
    const key = keyOfStep(step);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    return times === 1 ? key : `${key}-${times}`;
  });
}

/** Steps as answers show them, with the titles of now. */
export async function showSteps(tx: Tx, steps: readonly Step[]): Promise<PublishedStep[]> {
  const titles = await findTitles(tx, steps);
  const names = nameSteps(steps);
  return steps.map((step, index) => {
    const step_id = names[index] ?? "";
    const { title = "", archived_at = null } = titles.get(keyOfStep(step)) ?? {};
    const titled = { title, archived_at: utcTimeOrNull(archived_at) };
    switch (step.type) {
      case "lesson":
        return { step_id, type: "lesson", lesson_id: step.lesson_id, ...titled };
      case "path":
        return { step_id, type: "path", path_id: step.path_id, ...titled };
      default:
        return { step_id, ...step };
    }
  });
}

interface Titled {
  readonly key: string;
  readonly title: string;
  readonly archived_at: string | null;
}

async function findTitles(tx: Tx, steps: readonly Step[]): Promise<Map<string, Titled>> {
  const lessons = steps.flatMap((step) => (step.type === "lesson" ? step.lesson_id : []));
  const paths = steps.flatMap((step) => (step.type === "path" ? step.path_id : []));
  if (lessons.length + paths.length === 0) return new Map();
  const { rows } = await sql<Titled>`
    select 'lesson-' || id as key, title, archived_at from lessons
    where company_id = ${tx.company.id} and id = any(${lessons}::bigint[])
    union all
    select 'path-' || id, title, archived_at from paths
    where company_id = ${tx.company.id} and id = any(${paths}::bigint[])`.execute(tx.sql);
  return new Map(rows.map((row) => [row.key, row]));
}

interface ItemRow {
  readonly resource_type: "lesson" | "wait_step" | "path" | "placeholder";
  readonly lesson_id: number | null;
  readonly nested_path_id: number | null;
  readonly item_id: number | null;
  readonly effect: string | null;
  readonly condition: string | null;
  readonly unit: string | null;
  readonly amount: number | null;
  readonly wait_until: string | null;
  readonly description: string | null;
}

/** The steps of a path as they are published. */
export async function findPublishedSteps(tx: Tx, path_id: number): Promise<Step[]> {
  const { rows } = await sql<ItemRow>`
    select resource_type, lesson_id, nested_path_id, item_id, effect, condition, unit, amount, wait_until, description
    from path_items
    where company_id = ${tx.company.id} and path_id = ${path_id}
    order by position`.execute(tx.sql);
  return rows.map(toStep);
}

function toStep(row: ItemRow): Step {
  const id = row.item_id ?? 0;
  if (row.lesson_id !== null) return { type: "lesson", lesson_id: row.lesson_id };
  if (row.nested_path_id !== null) return { type: "path", path_id: row.nested_path_id };
  if (row.resource_type === "placeholder") return { type: "placeholder", id, description: row.description };
  const { effect, condition, unit, amount, wait_until } = row;
  return {
    type: "wait_step",
    id,
    effect: effect ?? "",
    condition: condition ?? "",
    unit: unit ?? "",
    amount: amount ?? 0,
    wait_until,
  };
}
