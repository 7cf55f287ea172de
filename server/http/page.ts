import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { invalid } from "./problem.ts";

export const DEFAULT_PER_PAGE = 50;
export const MOST_PER_PAGE = 1000;

/** What every paginated list takes. `after` is what our own Link headers say, so it is not described to callers. */
export const PageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1, description: "The page, from 1." })),
  per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: DEFAULT_PER_PAGE,
      description: `Items on a page. More than ${MOST_PER_PAGE} counts as ${MOST_PER_PAGE}.`,
    }),
  ),
  after: Type.Optional(
    Type.String({ maxLength: 100, description: "Where the page before ended; from its Link header." }),
  ),
};

export interface PageRequest {
  readonly page: number;
  readonly per_page: number;
  readonly offset: number;
  /** The position after which to go on; it stands above `offset`. */
  readonly after: string | undefined;
}

/** The page that a query asks for. */
export function readPage(query: { page?: number; per_page?: number; after?: string }): PageRequest {
  const page = query.page ?? 1;
  const per_page = Math.min(query.per_page ?? DEFAULT_PER_PAGE, MOST_PER_PAGE);
  return {
    page,
    per_page,
    offset: Math.min((page - 1) * per_page, Number.MAX_SAFE_INTEGER),
    after: query.after,
  };
}

/** A page of rows, the total of the whole list, and the position to go on from when more rows follow. */
export interface Page<T> {
  readonly total: number;
  readonly rows: readonly T[];
  readonly next: string | undefined;
}

/**
 * Cuts a page from rows that were read with one to spare, which tells whether more follow.
 * @param position where a row stands in the order of the list.
 */
export function cutPage<T>(
  { per_page }: PageRequest,
  { total, rows }: { readonly total: number; readonly rows: readonly T[] },
  position: (row: T) => string | number,
): Page<T> {
  const shown = rows.slice(0, per_page);
  const last = shown.at(-1);
  const next = rows.length > per_page && last !== undefined ? String(position(last)) : undefined;
  return { total, rows: shown, next };
}

/** The position of a list that is ordered by id. @throws Problem 400 when it is none of ours. */
export function readPosition({ after }: PageRequest): number | undefined {
  if (after === undefined) return undefined;
  if (!/^[1-9][0-9]{0,15}$/.test(after))
    throw invalid({ field: "after", message: "is no position of this list" });
  return Number(after);
}

/** The numbers of a paginated answer. */
export interface Envelope {
  readonly total_pages: number;
  readonly page: number;
  readonly per_page: number;
}

/**
 * Makes the numbers of a paginated answer, and says where the next page is (RFC 8288). Its address carries the position
 * to go on from, not only a number: who follows it misses nothing when rows are deleted meanwhile.
 */
export function toEnvelope(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { page, per_page }: PageRequest,
  { total, next }: Page<unknown>,
): Envelope {
  if (next !== undefined) {
    const origin = `${request.protocol}://${request.host}`;
    const url = new URL(request.originalUrl, URL.canParse(origin) ? origin : request.company.base_url);
    // Not those of the URL, which would write the whole of it anew for each of the three.
    const query = new URLSearchParams(url.search);
    query.set("page", String(page + 1));
    query.set("per_page", String(per_page));
    query.set("after", next);
    url.search = query.toString();
    reply.header("link", `<${url.href}>; rel="next"`);
  }
  return { total_pages: Math.ceil(total / per_page), page, per_page };
}
