import { Type, type TSchema } from "typebox";
import { closed, nullable } from "./schema.ts";
import { invalid } from "./problem.ts";

export const DEFAULT_LIMIT = 50;
export const MOST_LIMIT = 200;

/** What every list of version 2 takes. */
export const CursorQuery = {
  cursor: Type.Optional(
    Type.String({ maxLength: 500, description: "Where to go on: `next` of the page before." }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_LIMIT,
      default: DEFAULT_LIMIT,
      description: "Items on a page.",
    }),
  ),
};

/** A page of a list: `next` is the cursor to go on with, null at the end. */
export function listOf<S extends TSchema>(item: S) {
  return closed({
    data: Type.Array(item),
    next: nullable(Type.String({ description: "The cursor of the next page; null at the end." })),
    total: Type.Optional(
      Type.Integer({ description: "How many there are in all, where `count=true` asked for it." }),
    ),
  });
}

/** A part of where a row stands in the order of a list: each value that it is ordered by, the id last. */
export type Position = readonly (string | number | null)[];

export interface CursorPage {
  readonly limit: number;
  /** The position of the last row of the page before. */
  readonly after: Position | undefined;
}

/**
 * Reads a list's query.
 * @param size how many values a position of this list has.
 * @throws Problem 422 for a cursor that is none of this list.
 */
export function readCursorPage(query: { cursor?: string; limit?: number }, size = 1): CursorPage {
  const limit = query.limit ?? DEFAULT_LIMIT;
  if (query.cursor === undefined) return { limit, after: undefined };
  const after = decode(query.cursor);
  if (after?.length !== size) throw invalid({ field: "cursor", message: "is no cursor of this list" });
  return { limit, after };
}

/** The id of a position of a list that is ordered by id alone. */
export function idAfter({ after }: CursorPage): number | undefined {
  if (after === undefined) return undefined;
  const id = Number(after[0]);
  if (!Number.isSafeInteger(id)) throw invalid({ field: "cursor", message: "is no cursor of this list" });
  return id;
}

/** Cuts a page from rows that were read with one to spare, which tells whether more follow. */
export function cutCursorPage<R, T>(
  { limit }: CursorPage,
  rows: readonly R[],
  { position, show }: { readonly position: (row: R) => Position; readonly show: (row: R) => T },
): { data: T[]; next: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? encodeCursor(position(last)) : null;
  return { data: shown.map(show), next };
}

/** The cursor that stands for a position. */
export function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

function decode(cursor: string): Position | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    const isPosition = Array.isArray(value) && value.every(isPart);
    return isPosition ? value : undefined;
  } catch {
    return undefined;
  }
}

function isPart(value: unknown): value is string | number | null {
  return value === null || typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}
