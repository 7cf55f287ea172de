import { Ajv, type ErrorObject } from "ajv";
import type { FastifySchemaCompiler, RouteOptions } from "fastify";
import { type TSchema, Type } from "typebox";
import { once } from "../once.ts";
import { parseDate, parseMoment } from "../time.ts";
import { type FieldError, invalid } from "./problem.ts";
import { compileStrictInput } from "./strict-input.ts";
import { isOfVersion2 } from "./versions.ts";

/**
 * Compiles what a route takes (path, query or body). The function reads a value leniently where the contract does (a
 * string that is exactly a number or a boolean counts as one), drops what the schema does not name, and gives the
 * value, or the 400 that names every wrong field.
 */
export const compileInput: FastifySchemaCompiler<TSchema> = ({ schema, httpPart, url }) => {
  if (isOfVersion2(url)) return compileStrictInput(schema, httpPart);
  const check = once(() => ajv.compile(schema));
  return (given: unknown) => {
    const errors: FieldError[] = [];
    const value = read(schema, given ?? {}, { path: "", errors });
    if (httpPart === "querystring") errors.push(...findUnknownFilters(schema, given));
    if (!check()(value)) errors.push(...(check().errors ?? []).map((error) => toFieldError(error, httpPart)));
    return errors.length > 0 ? { error: invalid(...distinct(errors)) } : { value };
  };
};

/** Has the filters looked at that versions 1 and 1.1 are asked for where they take none: a route can't forget it. */
export function checkQuery(route: RouteOptions): void {
  const isAsked = [route.method].flat().includes("GET") && /^\/api\/v1(\.1)?\//.test(route.url);
  if (!isAsked || route.schema?.querystring !== undefined) return;
  route.schema = { ...route.schema, querystring: noQuery };
}

const noQuery = Type.Object({});

export const ajv = new Ajv({ allErrors: true, verbose: true, strict: true, allowUnionTypes: true })
  .addFormat("moment", (text) => parseMoment(text) !== undefined)
  .addFormat("date", (text) => parseDate(text) !== undefined);
// Filters of the other version of a list, which this one ignores.
ajv.addKeyword({ keyword: "ignores", schemaType: "array" });

export interface Schema {
  readonly ignores?: readonly string[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly maxItems?: number;
}

/** Reads what an address says, which is all text. */
export function readQuery(schema: Schema, given: unknown, errors: FieldError[]): unknown {
  return read(schema, given, { path: "", errors });
}

interface Place {
  readonly path: string;
  readonly errors: FieldError[];
}

/** Makes a copy of a value that has only what the schema names, with texts read as what the schema expects there. */
function read(schema: Schema, given: unknown, place: Place): unknown {
  if (typeof given === "string") return readText(schema, given, place);
  if (typeof given === "number")
    return Number.isInteger(given) && allows(schema, "integer") ? clamp(given) : given;
  if (Array.isArray(given)) return readArray(schema, given, place);
  if (typeof given === "object" && given !== null && allows(schema, "object"))
    return readObject(schema, given, place);
  return given;
}

function readArray({ items, maxItems = Infinity }: Schema, given: readonly unknown[], place: Place): unknown {
  if (given.length > maxItems) {
    // Its elements are not looked at: half a million wrong ones would be half a million errors.
    place.errors.push({ field: place.path, message: `can have at most ${maxItems} elements` });
    return [];
  }
  if (items === undefined) return given;
  return given.map((item, index) => read(items, item, { ...place, path: `${place.path}[${index}]` }));
}

function readObject(schema: Schema, given: object, place: Place): object {
  const value: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(given)) {
    const property = findProperty(schema, key);
    if (property === undefined) continue;
    value[key] = read(property, item, { ...place, path: place.path === "" ? key : `${place.path}.${key}` });
  }
  return value;
}

function findProperty(schema: Schema, key: string): Schema | undefined {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, key)) return schema.properties[key];
  return Object.entries(schema.patternProperties ?? {}).find(([pattern]) =>
    new RegExp(pattern, "u").test(key),
  )?.[1];
}

function readText(schema: Schema, given: string, place: Place): unknown {
  // A form can't send null: an empty text clears what may be empty.
  if (given === "" && allows(schema, "null")) return null;
  if (allows(schema, "integer") && INTEGER.test(given)) return clamp(Number(given));
  if (allows(schema, "boolean") && (given === "true" || given === "false")) return given === "true";
  if (allows(schema, "string") && !isStorable(given)) {
    place.errors.push({
      field: place.path,
      message: "holds a character that no text has (NUL or half of a pair)",
    });
  }
  return given;
}

const INTEGER = /^-?(0|[1-9][0-9]*)$/;

/** Ids stop below 2^53 - 1, so that an id beyond it names nothing, as any other unknown id. */
function clamp(number: number): number {
  return Math.max(Math.min(number, Number.MAX_SAFE_INTEGER), -Number.MAX_SAFE_INTEGER);
}

/** PostgreSQL stores no NUL, and UTF-8 has no lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

function allows(schema: Schema, type: string): boolean {
  return schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type));
}

/** A mistyped filter must not return everyone, so a filter that this list lacks is an error; other keys are not. */
function findUnknownFilters(schema: Schema, given: unknown): FieldError[] {
  return Object.keys(Object(given))
    .filter((key) => FILTER.test(key))
    .filter((key) => findProperty(schema, key) === undefined && !schema.ignores?.includes(key))
    .map((field) => ({ field, message: "is no filter of this list" }));
}
const FILTER = /^(filter|gt)(\[|$)/;

export function toFieldError(error: ErrorObject, httpPart: string | undefined): FieldError {
  const at = toFieldName(error.instancePath);
  if (error.keyword === "required") {
    const key = String(error.params["missingProperty"]);
    return { field: at === "" ? key : `${at}.${key}`, message: "is required" };
  }
  if (error.keyword === "additionalProperties") {
    const key = String(error.params["additionalProperty"]);
    return { field: at === "" ? key : `${at}.${key}`, message: "is not known here" };
  }
  return { field: at === "" ? (httpPart ?? "body") : at, message: says(error) };
}

/** `/members/2/id` → `members[2].id` */
function toFieldName(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((name, part) => {
      if (/^[0-9]+$/.test(part)) return `${name}[${part}]`;
      return name === "" ? part : `${name}.${part}`;
    }, "");
}

export function says(error: ErrorObject): string {
  const { params } = error;
  switch (error.keyword) {
    case "type":
      return `must be ${typeName(params["type"])}`;
    case "enum":
      return `must be one of ${[params["allowedValues"]].flat().join(", ")}`;
    case "minimum":
      return params["limit"] === 1 ? "must be a positive integer" : `must be at least ${params["limit"]}`;
    case "maximum":
      return `must be at most ${params["limit"]}`;
    case "minItems":
    case "minLength":
      return "can't be empty";
    case "maxLength":
      return `can have at most ${params["limit"]} characters`;
    case "pattern":
      // What a pattern demands stands in the description beside it, for people.
      return asClause(String(error.parentSchema?.["description"] ?? "is wrong"));
    case "format":
      return params["format"] === "date"
        ? "must be a date that exists, written YYYY-MM-DD"
        : "must be a date or an ISO 8601 timestamp, such as 2026-12-31 or 2026-12-31T09:00:00Z";
    default:
      return error.message ?? "is wrong";
  }
}

/** A sentence as what a message goes on with after the field's name. */
function asClause(sentence: string): string {
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}

function typeName(type: unknown): string {
  const names = [type].flat().filter((name) => name !== "null");
  const [name] = names;
  const article = name === "integer" || name === "object" || name === "array" ? "an" : "a";
  return `${article} ${names.join(" or ")}`;
}

export function distinct(errors: readonly FieldError[]): FieldError[] {
  const byField = new Map(errors.toReversed().map((error) => [error.field, error]));
  return errors.filter((error) => byField.get(error.field) === error);
}
