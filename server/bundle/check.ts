import { Ajv, type ErrorObject } from "ajv";
import type { Static, TSchema } from "typebox";
import { isStorable, says } from "../http/input.ts";
import { parseDate, parseMoment } from "../time.ts";
import { escapeKey, wrong } from "./wrong.ts";

/**
 * Compiles a schema of the bundle to a function that gives a value back as what the schema says it is.
 * The function throws OperatorError for the first thing that is wrong in the value.
 */
export function checker<S extends TSchema>(schema: S): (value: unknown, pointer: string) => Static<S> {
  const isRight = ajv.compile<Static<S>>(schema);
  return (value, pointer) => {
    if (isRight(value)) return value;
    const [error] = isRight.errors ?? [];
    throw error === undefined ? wrong(pointer, "is wrong") : toWrong(error, pointer);
  };
}

/** A time of the bundle as PostgreSQL takes it, with all its digits. */
export function moment(text: string): string {
  const parsed = readMoment(text);
  if (parsed === undefined) throw new Error("a time was not checked before it was taken");
  return parsed;
}

export function momentOrNull(text: string | null | undefined): string | null {
  return text == null ? null : moment(text);
}

/** JSON that PostgreSQL takes. @throws OperatorError for a text in it that can't be stored. */
export function storableJson(value: unknown, pointer: string): string {
  return JSON.stringify(value, (key, item: unknown) => {
    if (!isStorable(key) || (typeof item === "string" && !isStorable(item))) throw wrong(pointer, UNSTORABLE);
    return item;
  });
}

const UNSTORABLE = "holds a character that no text has (NUL or half of a pair)";

/** Times come in runs of the same ones, and each is needed twice: to check it and to take it. */
const MOST_REMEMBERED = 10_000;
const remembered = new Map<string, string | undefined>();

function readMoment(text: string): string | undefined {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const parsed = parseMoment(text);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(text, parsed);
  return parsed;
}

const ajv = new Ajv({ verbose: true, strict: true, allowUnionTypes: true })
  .addFormat("moment", (text) => readMoment(text) !== undefined)
  .addFormat("date", (text) => parseDate(text) !== undefined)
  .addFormat("text", isStorable);

function toWrong(error: ErrorObject, pointer: string) {
  const at = pointer + error.instancePath;
  if (error.keyword === "required") {
    return wrong(`${at}/${escapeKey(String(error.params["missingProperty"]))}`, "is required");
  }
  if (error.keyword === "format" && error.params["format"] === "text") return wrong(at, UNSTORABLE);
  return wrong(at, says(error));
}
