import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { TSchema } from "typebox";
import { once } from "../../once.ts";
import { says } from "../../http/input.ts";
import type { FieldError } from "../../http/problem.ts";
import { joinPath } from "./fields.ts";
import { RichText, RichTextMark, RichTextNode } from "./rich-text-schema.ts";

const options = { verbose: true, strict: true, allowUnionTypes: true, useDefaults: true } as const;
const schemas = [RichTextMark, RichTextNode, RichText];
const thorough = once(() => new Ajv({ ...options, allErrors: true, schemas }));
const quick = once(() => new Ajv({ ...options, schemas }));

/** Tells whether a value is what a schema says; `errors` has what was wrong with the last one. */
export interface Check<T> {
  (value: unknown): value is T;
  readonly errors: readonly ErrorObject[];
}

/** A check of a value that names each wrong field and puts defaults where they are missing. */
export function compileCheck<T>(schema: TSchema): Check<T> {
  return whenAsked(() => thorough().compile<T>(schema));
}

/** A check that stops at the first wrong field, for what may have very many. */
export function compileQuickCheck<T>(schema: TSchema): Check<T> {
  return whenAsked(() => quick().compile<T>(schema));
}

/** Compiles with the first value. */
function whenAsked<T>(compile: () => ValidateFunction<T>): Check<T> {
  const compiled = once(compile);
  const check = (value: unknown): value is T => compiled()(value);
  return Object.defineProperty(Object.assign(check, { errors: [] }), "errors", {
    get: () => compiled().errors ?? [],
  });
}

/** What a check found, below a field: `choices[1].text is required`. Of a list that is too long only that is told. */
export function listErrors(check: Check<unknown>, field: string): FieldError[] {
  const tooLong = new Set(
    check.errors.filter(({ keyword }) => keyword === "maxItems").map(({ instancePath }) => instancePath),
  );
  return check.errors
    .filter(({ instancePath }) => !isBelow(tooLong, instancePath))
    .map((error) => ({ field: fieldOf(error, field), message: explain(error) }));
}

/** Whether a path lies below one of others. */
function isBelow(paths: ReadonlySet<string>, path: string): boolean {
  if (path === "") return false;
  const above = path.slice(0, path.lastIndexOf("/"));
  return paths.has(above) || isBelow(paths, above);
}

function fieldOf(error: ErrorObject, field: string): string {
  const parts = error.instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => (/^[0-9]+$/.test(part) ? Number(part) : part));
  const key = error.params["missingProperty"] ?? error.params["additionalProperty"];
  return joinPath([
    ...(field === "" ? [] : [field]),
    ...parts,
    ...(key === undefined ? [] : [clip(String(key))]),
  ]);
}

/** Characters of a caller's own key that an error repeats. */
const MOST_KEY_CHARACTERS = 100;

function clip(key: string): string {
  return key.slice(0, MOST_KEY_CHARACTERS);
}

function explain(error: ErrorObject): string {
  const { keyword, params } = error;
  switch (keyword) {
    case "required":
      return "is required";
    case "additionalProperties":
      return "is no key of this: remove it";
    case "const":
      return `must be ${params["allowedValue"]}`;
    case "minItems":
      return `must have at least ${params["limit"]} elements`;
    case "maxItems":
      return `can have at most ${params["limit"]} elements`;
    case "uniqueItems":
      return "has an element twice: remove one";
    default:
      return says(error);
  }
}
