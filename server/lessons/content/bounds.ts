import { isStorable } from "../../http/input.ts";
import { invalid, type Problem } from "../../http/problem.ts";
import { joinPath } from "./fields.ts";
import {
  MOST_BYTES,
  MOST_LEVELS,
  MOST_RICH_TEXT_LEVELS,
  MOST_TEXT_CHARACTERS,
  MOST_VALUES,
} from "./limits.ts";

/** A value inside another, with the way to it. */
interface Visit {
  readonly value: unknown;
  readonly key: string | number;
  readonly parent: Visit | undefined;
  readonly level: number;
}

/**
 * Holds a value against the limits of content before anything looks at it by recursion: it may be nested 100,000 deep.
 *
 * @throws 400 at the first limit that is passed.
 */
export function checkBounds(value: unknown): void {
  const waiting: Visit[] = [{ value, key: "", parent: undefined, level: 0 }];
  let [bytes, values] = [0, 0];
  for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
    values += 1;
    bytes += countBytes(visit);
    if (bytes > MOST_BYTES) throw refuse(undefined, `can have at most ${MOST_BYTES} bytes: split the lesson`);
    if (values + waiting.length > MOST_VALUES) {
      throw refuse(undefined, `can have at most ${MOST_VALUES} values: split the lesson`);
    }
    if (visit.level > MOST_LEVELS) {
      throw refuse(visit, `is nested deeper than ${MOST_RICH_TEXT_LEVELS} levels: take content out of it`);
    }
    addChildren(visit, waiting);
  }
}

function countBytes(visit: Visit): number {
  const overhead = typeof visit.key === "string" ? visit.key.length + 4 : 1;
  if (typeof visit.value !== "string") return overhead;
  if (visit.value.length > MOST_TEXT_CHARACTERS) {
    throw refuse(visit, `can have at most ${MOST_TEXT_CHARACTERS} characters: split the text`);
  }
  if (!isStorable(visit.value)) {
    throw refuse(visit, "holds a character that no text has (NUL or half of a pair): remove it");
  }
  return overhead + Buffer.byteLength(visit.value);
}

function addChildren(parent: Visit, waiting: Visit[]): void {
  const { value, level } = parent;
  if (Array.isArray(value)) {
    // An array of millions is refused by its length: its elements are not even listed.
    if (value.length > MOST_VALUES) throw refuse(parent, `can have at most ${MOST_VALUES} elements`);
    for (const [key, item] of value.entries()) waiting.push({ value: item, key, parent, level: level + 1 });
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      waiting.push({ value: item, key, parent, level: level + 1 });
    }
  }
}

function refuse(visit: Visit | undefined, message: string): Problem {
  return invalid({ field: visit === undefined ? "" : pathOf(visit), message });
}

/** Parts of a path down to the field of a block, such as `sections[0].pages[0].blocks[2].content`: deeper ones help nobody. */
const MOST_PARTS = 7;

function pathOf(visit: Visit): string {
  const parts: (string | number)[] = [];
  for (let at: Visit | undefined = visit; at?.parent !== undefined; at = at.parent) parts.push(at.key);
  return joinPath(parts.toReversed().slice(0, MOST_PARTS));
}
