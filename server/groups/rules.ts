import { ajv } from "../http/input.ts";
import type { FieldError } from "../http/problem.ts";
import { once } from "../once.ts";
import { parseDate } from "../time.ts";
import { GroupRule, type RuleCondition, type RuleField } from "./v2-schema.ts";

/** What of a user rules ask for. A field that is not set is null. */
export interface Profile {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly role_id: number;
  readonly job_title: string | null;
  readonly business_unit: string | null;
  readonly department: string | null;
  readonly location: string | null;
  readonly locale: string;
  readonly hire_date: string | null;
  readonly manager_name: string | null;
  readonly archived_at: string | null;
  /** By the field's id. */
  readonly custom: ReadonlyMap<number, string>;
}

/** Whether a rule takes a user in. Who is archived is in no group by a rule. */
export function isTaken({ match, conditions }: GroupRule, profile: Profile): boolean {
  if (profile.archived_at !== null) return false;
  const isMet = (condition: RuleCondition) => meets(condition, valueOf(condition, profile));
  return match === "all" ? conditions.every(isMet) : conditions.some(isMet);
}

/** The custom user fields that rules ask for. */
export function listFieldIds(rules: readonly GroupRule[]): number[] {
  const ids = rules.flatMap(({ conditions }) =>
    conditions.flatMap(({ custom_user_field_id: id }) => (id === undefined ? [] : [id])),
  );
  return [...new Set(ids)];
}

const checkRule = once(() => ajv.compile<GroupRule>(GroupRule));

/** Reads a rule as it is stored; undefined for one that is none, as a bundle from elsewhere may bring. */
export function readRule(stored: unknown): GroupRule | undefined {
  const isRule = checkRule();
  return isRule(stored) ? stored : undefined;
}

/** What is wrong with a rule beyond its shape. `known` are the company's custom user fields. */
export function findRuleErrors({ conditions }: GroupRule, known: ReadonlySet<number>): FieldError[] {
  return conditions.flatMap((condition, index) => {
    const at = `rule.conditions[${index}]`;
    return [...findFieldErrors(condition, known), ...findValueErrors(condition)].map(
      ({ field, message }) => ({
        field: `${at}.${field}`,
        message,
      }),
    );
  });
}

function findFieldErrors(
  { field, op, custom_user_field_id: id }: RuleCondition,
  known: ReadonlySet<number>,
): FieldError[] {
  const errors: FieldError[] = [];
  if (field === "custom_user_field" && (id === undefined || !known.has(id))) {
    const message = id === undefined ? "is required" : "names no custom user field of this company";
    errors.push({ field: "custom_user_field_id", message });
  }
  if (field !== "custom_user_field" && id !== undefined) {
    errors.push({ field: "custom_user_field_id", message: "belongs to the field custom_user_field alone" });
  }
  if (!opsOf(field).includes(op)) {
    errors.push({ field: "op", message: `must be one of ${opsOf(field).join(", ")} for ${field}` });
  }
  return errors;
}

const textOps = ["is", "is_not", "in", "starts_with", "contains", "is_empty"];
const dateOps = ["is", "is_not", "in", "before", "after", "is_empty"];

function opsOf(field: RuleField): readonly string[] {
  if (field === "hire_date") return dateOps;
  return field === "role_id" ? ["is", "is_not", "in"] : textOps;
}

function findValueErrors({ field, op, value }: RuleCondition): FieldError[] {
  if (op === "is_empty") {
    return value === undefined ? [] : [{ field: "value", message: "is not taken by is_empty: leave it out" }];
  }
  if (value === undefined) return [{ field: "value", message: "is required" }];
  if (Array.isArray(value) !== (op === "in")) {
    return [{ field: "value", message: op === "in" ? "must be a list" : "must be one value, not a list" }];
  }
  const values = [value].flat();
  if (field === "role_id" && values.some((one) => typeof one !== "number")) {
    return [{ field: "value", message: "must be the id of a role" }];
  }
  if (field !== "role_id" && values.some((one) => typeof one !== "string" || one === "")) {
    return [{ field: "value", message: "must be a text that is not empty" }];
  }
  if (field === "hire_date" && values.some((one) => parseDate(String(one)) === undefined)) {
    return [{ field: "value", message: "must be a date that exists, written YYYY-MM-DD" }];
  }
  return [];
}

function valueOf({ field, custom_user_field_id: id = 0 }: RuleCondition, profile: Profile): string {
  switch (field) {
    case "custom_user_field":
      return fold(profile.custom.get(id));
    case "email_domain":
      return fold(profile.email.slice(profile.email.lastIndexOf("@") + 1));
    default:
      return fold(profile[field]);
  }
}

/** An empty text stands for a field that is not set: it is equal to no value that a rule can name. */
function meets({ op, value }: RuleCondition, found: string): boolean {
  const given = [value ?? []].flat().map(fold);
  const [first = ""] = given;
  switch (op) {
    case "is":
    case "in":
      return given.includes(found);
    case "is_not":
      return !given.includes(found);
    case "starts_with":
      return found.startsWith(first);
    case "contains":
      return found.includes(first);
    case "before":
      return found !== "" && found < first;
    case "after":
      return found > first;
    case "is_empty":
      return found === "";
  }
}

/** Texts are compared without regard to case and the spaces around them. */
function fold(value: string | number | null | undefined): string {
  return String(value ?? "")
    .trim()
    .toLowerCase();
}
