import type { FastifyInstance } from "fastify";
import { FormError, parseForm } from "./form.ts";
import { digestBody } from "./idempotency.ts";
import { malformed } from "./problem.ts";

/** A body of 10,000 elements fits; more is a mistake or an attack. */
export const MOST_BODY_BYTES = 1_048_576;

/**
 * Teaches the app what bodies it reads: JSON and forms. An empty body, or the JSON text `""`, is no body, as clients
 * send those with archive, restore and delete.
 */
export function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("remove", "remove");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    const text = decode(body);
    if (text === undefined) return done(malformed("The body is not UTF-8"));
    if (text.trim() === "" || text.trim() === '""') return done(null, undefined);
    return parseJson(request, text, (error, value) =>
      error === null ? done(null, value) : done(malformed("The body is not JSON")),
    );
  });
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer" },
    (_request, body, done) => {
      const text = decode(body);
      if (text === undefined) return done(malformed("The body is not UTF-8"));
      if (text === "") return done(null, undefined);
      try {
        return done(null, parseForm(text));
      } catch (error) {
        return done(
          error instanceof FormError ? malformed(`The form can't be read: ${error.message}`) : asError(error),
        );
      }
    },
  );
  // What only some routes of version 2 take reaches them as a stream: it may be larger than memory.
  app.addContentTypeParser([...streamedTypes], (request, body, done) => {
    const { takes } = request.routeOptions.config;
    const [type = ""] = String(request.headers["content-type"]).split(";");
    if (takes?.includes(type.trim().toLowerCase()) === true) return done(null, digestBody(request, body));
    body.resume();
    return done(request.headers["content-length"] === "0" ? null : malformed(WRONG_TYPE), undefined);
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) =>
    body.length === 0 ? done(null, undefined) : done(malformed(WRONG_TYPE)),
  );
}

const WRONG_TYPE = "The body must be application/json or application/x-www-form-urlencoded";
const streamedTypes = [
  "application/octet-stream",
  "application/x-ndjson",
  "multipart/form-data",
  "text/csv",
  "text/markdown",
];

function decode(body: string | Buffer): string | undefined {
  try {
    return typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
