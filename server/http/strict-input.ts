import { once } from "../once.ts";
import { ajv, distinct, isStorable, readQuery, type Schema, toFieldError } from "./input.ts";
import { type FieldError, invalid } from "./problem.ts";

/**
 * Compiles what a route of version 2 takes. Nothing is read leniently: a key that the schema does not name is an error,
 * and a number is a number; only addresses, which are all text, are read as what the schema expects.
 */
export function compileStrictInput(schema: Schema, httpPart: string | undefined) {
  const check = once(() => ajv.compile(schema));
  return (given: unknown) => {
    const isBody = httpPart === "body";
    const errors: FieldError[] = isBody ? findUnstorable(given) : [];
    const value = isBody ? (given ?? {}) : readQuery(schema, given ?? {}, errors);
    if (httpPart === "querystring") errors.push(...findUnknown(schema, given));
    if (errors.length === 0 && !check()(value)) {
      errors.push(...(check().errors ?? []).map((error) => toFieldError(error, httpPart)));
    }
    return errors.length > 0 ? { error: invalid(...distinct(errors)) } : { value };
  };
}

function findUnknown({ properties = {} }: Schema, given: unknown): FieldError[] {
  return Object.keys(Object(given))
    .filter((key) => !Object.hasOwn(properties, key))
    .map((field) => ({
      field,
      message: `is not known here; what is: ${Object.keys(properties).join(", ") || "nothing"}`,
    }));
}

/** Texts and numbers that PostgreSQL can't store. Not by recursion: what was sent may nest to any depth. */
function findUnstorable(given: unknown): FieldError[] {
  const waiting: { field: string; value: unknown }[] = [{ field: "", value: given }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { field, value } = next;
    if (typeof value === "string" && !isStorable(value)) {
      return [
        { field: field || "body", message: "holds a character that no text has (NUL or half of a pair)" },
      ];
    }
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (!isStorable(key)) return [{ field: field || "body", message: "has a key that no text can be" }];
      if (Number.isInteger(inner) && !Number.isSafeInteger(inner)) {
        return [
          { field: nameOf(field, key, Array.isArray(value)), message: "is a larger number than can be kept" },
        ];
      }
      if (typeof inner === "string" || (typeof inner === "object" && inner !== null)) {
        waiting.push({ field: nameOf(field, key, Array.isArray(value)), value: inner });
      }
    }
  }
  return [];
}

/** Of a deep place no more than this is said: names that grow with each level would fill the memory. */
const MOST_NAME_CHARACTERS = 200;

function nameOf(outer: string, key: string, isIndex: boolean): string {
  if (outer.length > MOST_NAME_CHARACTERS) return outer;
  if (isIndex) return `${outer}[${key}]`;
  return outer === "" ? key : `${outer}.${key}`;
}
