import { invalid } from "../http/problem.ts";
import { eventTypes } from "./types.ts";

const known = Object.keys(eventTypes);

/**
 * Refuses what names no type of event, nor the beginning of one: who has mistyped it would wait for ever.
 * @param fieldOf names the place of a type in the request.
 * @throws Problem 422 naming each.
 */
export function requireKnownTypes(types: readonly string[], fieldOf: (index: number) => string): void {
  const errors = types.flatMap((type, index) =>
    isKnown(type) ? [] : [{ field: fieldOf(index), message: `${type} is no type of event: ${WHERE}` }],
  );
  if (errors.length > 0) throw invalid(...errors);
}

const WHERE = "/openapi.json lists them under webhooks";

function isKnown(type: string): boolean {
  return type.endsWith("*")
    ? known.some((name) => name.startsWith(type.slice(0, -1)))
    : Object.hasOwn(eventTypes, type);
}
