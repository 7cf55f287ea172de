import { type FieldError, invalid } from "../http/problem.ts";
import { parseDate } from "../time.ts";
import { keyOfStep, type Step } from "./steps.ts";
import type { StepInput } from "./v2-step-schema.ts";

/** What a body says of a step. */
export type GivenStep = Omit<StepInput, "step_id" | "title" | "archived_at">;

/** A step that a body gives; a wait step or a placeholder that is new has no id yet. */
export interface ReadStep {
  /** The step, under the id 0 where it has none. */
  readonly step: Step;
  readonly isNew: boolean;
}

/** Where in the body a step stands: `contents[2].`, or nothing where the body is the step. */
export type Place = (index: number) => string;

export const inContents: Place = (index) => `contents[${index}].`;
export const isTheBody: Place = () => "";

/** Which fields a step of a type may have beside its type and id. */
const fieldsOf = {
  lesson: ["lesson_id"],
  path: ["path_id"],
  wait_step: ["effect", "condition", "unit", "amount", "wait_until"],
  placeholder: ["description"],
} as const;

const allFields = Object.values(fieldsOf).flat();

/**
 * Reads the steps of a body.
 * @param known the steps that the path has or had: their ids may be used again, each once.
 * @throws Problem 422 that names each field that is missing, wrong, or of another type of step.
 */
export function readSteps(
  given: readonly GivenStep[],
  known: readonly Step[],
  place: Place = inContents,
): ReadStep[] {
  const keys = new Set(known.map(keyOfStep));
  const used = new Set<string>();
  const errors: FieldError[] = [];
  const steps = given.map((item, index): ReadStep => {
    const at = place(index);
    const found = [...findStrays(item), ...findFaults(item)];
    const key = `${item.type}-${item.id ?? ""}`;
    if (item.id !== undefined) {
      if (item.type === "lesson" || item.type === "path") {
        found.push({ field: "id", message: `is not known here: a ${item.type} is named by ${item.type}_id` });
      } else if (!keys.has(key)) {
        found.push({ field: "id", message: "names no such step of this path: leave it out for a new one" });
      } else if (used.has(key)) {
        found.push({ field: "id", message: "stands twice: leave it out for a new step" });
      }
      used.add(key);
    }
    errors.push(...found.map(({ field, message }) => ({ field: at + field, message })));
    return { step: toStep(item), isNew: item.id === undefined };
  });
  if (errors.length > 0) throw invalid(...errors);
  return steps;
}

function findStrays(item: GivenStep): FieldError[] {
  const own: readonly string[] = fieldsOf[item.type];
  return allFields
    .filter((field) => item[field] !== undefined && !own.includes(field))
    .map((field) => ({ field, message: `is no field of a ${item.type}` }));
}

function findFaults(item: GivenStep): FieldError[] {
  const required = "is required";
  if (item.type === "lesson" && item.lesson_id === undefined)
    return [{ field: "lesson_id", message: required }];
  if (item.type === "path" && item.path_id === undefined) return [{ field: "path_id", message: required }];
  if (item.type !== "wait_step") return [];
  const { condition = "prev_step_finished", amount, unit, wait_until } = item;
  if (condition === "date") {
    const isDate = wait_until != null && parseDate(wait_until) !== undefined;
    return isDate ? [] : [{ field: "wait_until", message: "must be a date, such as 2026-12-31" }];
  }
  const errors: FieldError[] = [];
  if (amount === undefined) errors.push({ field: "amount", message: required });
  if (unit === undefined) errors.push({ field: "unit", message: `${required}: hours, days or weeks` });
  if (wait_until != null) {
    errors.push({ field: "wait_until", message: "is for the condition date: leave it out, or null" });
  }
  return errors;
}

function toStep(item: GivenStep): Step {
  const id = item.id ?? 0;
  switch (item.type) {
    case "lesson":
      return { type: "lesson", lesson_id: item.lesson_id ?? 0 };
    case "path":
      return { type: "path", path_id: item.path_id ?? 0 };
    case "placeholder":
      return { type: "placeholder", id, description: item.description ?? null };
    default: {
      const { condition = "prev_step_finished", unit = "days", amount = 0, wait_until = null } = item;
      return { type: "wait_step", id, effect: "locked", condition, unit, amount, wait_until };
    }
  }
}
