import assert from "node:assert/strict";
import fc from "fast-check";
import { makeAnswerCheck } from "./answer-check.ts";
import { type Content, makeContent } from "./content.ts";
import { isOfVersion2 } from "../http/versions.ts";
import { followFeed } from "./follow-feed.ts";
import { signIn } from "./person.ts";
import type { Client, TestServer } from "./server.ts";
import {
  listOperations,
  listOperationsOfVersion2,
  type Operation,
  readDocument,
  type Schema,
} from "./walk.ts";

/** Requests that are under way at once, so that writes meet. */
const AT_ONCE = 4;
/** Requests on the same content; then new content is made, as much of the old is deleted by then. */
const BATCH = 1_000;

/** Makes are the hardest to get right, and deletes leave nothing to be right about. */
const WEIGHTS = { GET: 3, POST: 8, PUT: 4, PATCH: 4, DELETE: 1 } as const;

/**
 * Sends generated requests, right and broken ones, and fails at the first answer that is a 5xx or has not the published
 * shape, or when the change feed does not tell all that the requests have changed. The same seed gives the same requests.
 * @returns how many answers each status had.
 */
export async function sendRequests(
  lectern: TestServer,
  { seed, requests, version }: { readonly seed: number; readonly requests: number; readonly version: 1 | 2 },
): Promise<Map<number, number>> {
  const operations =
    version === 1 ? listOperations(lectern) : listOperationsOfVersion2(lectern).filter(isHarmless);
  const named = readDocument(lectern).components.schemas;
  const check = makeAnswerCheck(lectern);
  const statuses = new Map<number, number>();
  for (let sent = 0; sent < requests; sent += BATCH) {
    const content = await makeContent(lectern, lectern.acme, `Batch${sent}`);
    const known = { ...content, named };
    const feed = await followFeed(lectern, lectern.acme);
    const arbitrary = fc.oneof(
      ...operations.map((operation) => ({
        weight: WEIGHTS[operation.method],
        arbitrary: aRequest(operation, known),
      })),
    );
    const batch = fc.sample(arbitrary, { seed: seed + sent, numRuns: Math.min(BATCH, requests - sent) });
    const waiting = batch.values();
    // Version 2 is for people too: half of the requests are an administrator's, who signs in again when a request has
    // ended the session.
    let person = version === 1 ? undefined : await signIn(lectern, lectern.acme, { role: "admin" });
    let isPersons = false;
    const send = async () => {
      for (const request of waiting) {
        isPersons = !isPersons;
        const caller = isPersons ? person : undefined;
        const status = await sendOne(caller ?? lectern.acme, request, check);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 401 && caller === person && person !== undefined) {
          person = await signIn(lectern, lectern.acme, { role: "admin" });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, send));
    await feed.check();
  }
  return statuses;
}

/** A caller that revokes its own key asks nothing more. */
function isHarmless({ name }: Operation): boolean {
  return name !== "DELETE /api/v2/api_keys/:api_key_id";
}

interface GeneratedRequest {
  readonly operation: Operation;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | undefined;
}

async function sendOne(
  caller: Pick<Client, "request">,
  { operation, url, headers, payload }: GeneratedRequest,
  check: (operation: Operation, body: unknown) => void,
): Promise<number> {
  const answer = await caller.request({
    method: operation.method,
    url,
    headers,
    ...(payload !== undefined && { payload }),
  });
  const { status, body } = answer;
  const what = `${operation.method} ${url} ${JSON.stringify(headers)} ${payload} → ${status} ${JSON.stringify(body)}`;
  assert.ok(status < 500, what);
  if (status === 304) return status;
  if (status < 400) {
    if (status < 300 && Object.keys(operation.answer).length === 0) return status;
    if (status < 300) check(operation, body);
    return status;
  }
  if (isOfVersion2(url)) {
    assert.deepEqual([body?.type, body?.status], ["about:blank", status], what);
    for (const text of [body.title, body.detail, body.request_id]) assert.equal(typeof text, "string", what);
    assert.equal(Array.isArray(body.errors) && body.errors.length > 0, "errors" in body, what);
    return status;
  }
  const { type, error, message, errors, request_id, ...rest } = body;
  assert.deepEqual([type, rest], ["error", { status }], what);
  for (const text of [error, message, request_id]) assert.equal(typeof text, "string", what);
  assert.equal(Array.isArray(errors), status === 400, what);
  return status;
}

/** What exists, and the schemas that others refer to. */
interface Known extends Content {
  readonly named: Readonly<Record<string, Schema>>;
}

function aRequest(operation: Operation, content: Known): fc.Arbitrary<GeneratedRequest> {
  const body = operation.body === undefined ? fc.constant(undefined) : aPayload(operation.body, content);
  return fc.record({ url: anAddress(operation, content), headers: someHeaders, body }).map((request) => ({
    operation,
    url: request.url,
    headers:
      request.body === undefined
        ? request.headers
        : { ...request.headers, "content-type": request.body.type },
    payload: request.body?.text,
  }));
}

function anAddress({ url, parameters }: Operation, content: Known): fc.Arbitrary<string> {
  const path = url
    .split("/")
    .map((segment) => (segment.startsWith(":") ? aSegment(segment.slice(1), content) : fc.constant(segment)));
  const named = parameters.filter((parameter) => parameter.in === "query");
  const pairs = named.map((parameter) =>
    fc.option(
      aQueryValue(parameter.name, parameter.schema, content).map(
        (value) => `${nameIn(parameter.name, content)}=${value}`,
      ),
      {
        freq: 3,
      },
    ),
  );
  return fc.tuple(fc.tuple(...path), fc.tuple(...pairs)).map(([segments, query]) => {
    const given = query.filter((pair) => pair !== null);
    return segments.join("/") + (given.length > 0 ? `?${given.join("&")}` : "");
  });
}

function nameIn(parameter: string, { field_id }: Content): string {
  return parameter.replace("<id>", String(field_id));
}

function aSegment(name: string, content: Content): fc.Arbitrary<string> {
  if (name === "status")
    return fc.constantFrom("incomplete", "completed", "overdue", "grade_pending", "done");
  return fc.oneof(
    { weight: 20, arbitrary: anId(idsOf(name, content)).map(String) },
    // Not of dots alone: those are steps to another address.
    {
      weight: 1,
      arbitrary: fc
        .string({ unit: "binary", minLength: 1 })
        .map((text) => encodeURIComponent(`${text.toWellFormed()}~`)),
    },
  );
}

function aQueryValue(name: string, schema: Schema, content: Content): fc.Arbitrary<string> {
  const value = schema.type === "integer" ? fc.integer({ min: 1, max: 60 }) : aText(schema, name, content);
  return fc.oneof(
    { weight: 9, arbitrary: value.map((given) => encodeURIComponent(String(given).toWellFormed())) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("", "0", "-1", "%00", "%ff", "x".repeat(300), "9".repeat(40), "[]", "%25"),
    },
  );
}

const someHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      fc.constantFrom(
        "accept",
        "if-none-match",
        "accept-language",
        "x-forwarded-proto",
        "x-request-id",
        "cookie",
      ),
      fc.oneof(
        fc.constantFrom("*/*", "application/*", "text/html", "*", '"x"', "https"),
        fc.stringMatching(/^[ -~]{0,40}$/),
      ),
    ),
  },
);

interface Payload {
  readonly type: string;
  readonly text: string;
}

function aPayload(schema: Schema, content: Known): fc.Arbitrary<Payload> {
  const json = aValue(schema, "", content).map((value) => ({
    type: "application/json",
    text: JSON.stringify(value) ?? "",
  }));
  return fc.oneof(
    { weight: 16, arbitrary: json },
    {
      weight: 2,
      arbitrary: aValue(schema, "", content).map((value) => ({ type: FORM, text: toForm(value, "") })),
    },
    { weight: 1, arbitrary: fc.json().map((text) => ({ type: "application/json", text })) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constantFrom(FORM, "application/json", "text/plain"),
        text: fc.string({ unit: "binary" }),
      }),
    },
  );
}

const FORM = "application/x-www-form-urlencoded";

/** The value as a form writes it, with brackets. */
function toForm(value: unknown, name: string): string {
  if (typeof value !== "object" || value === null) {
    const text = typeof value === "string" ? value : (JSON.stringify(value ?? undefined) ?? "");
    return `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(text.toWellFormed())}`;
  }
  return Object.entries(value)
    .map(([key, inner]) => toForm(inner, name === "" ? key : `${name}[${key}]`))
    .join("&");
}

/** A value that the schema takes, and now and then one that it does not. */
function aValue(schema: Schema, key: string, content: Known): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 40, arbitrary: aRightValue(schema, key, content) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom(null, "", -1, 1e300, 0.5, true, [], {}),
      ),
    },
  );
}

function aRightValue(schema: Schema, key: string, content: Known): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    return fc
      .constant(null)
      .chain(() => aRightValue(content.named[nameOfRef(schema.$ref)] ?? {}, key, content));
  }
  if (schema.anyOf !== undefined) {
    return fc.oneof(
      ...schema.anyOf.map((choice) => fc.constant(null).chain(() => aRightValue(choice, key, content))),
    );
  }
  const types = new Set([schema.type ?? []].flat());
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (types.has("object")) {
    const properties = Object.entries(schema.properties ?? {});
    const required = properties.map(([name]) => name).filter((name) => schema.required?.includes(name));
    return fc.record(
      Object.fromEntries(properties.map(([name, inner]) => [name, aValue(inner, name, content)])),
      {
        requiredKeys: required,
      },
    );
  }
  if (types.has("array")) return fc.array(aValue(schema.items ?? {}, key, content), { maxLength: 4 });
  if (types.has("boolean")) return fc.constantFrom(true, false, "true", "false");
  if (types.has("integer"))
    return /^(id|.*_id)$/.test(key) ? anId(idsOf(key, content)) : fc.integer({ min: 0, max: 100 });
  return aText(schema, key, content);
}

function nameOfRef(ref = ""): string {
  return ref.replace("#/components/schemas/", "");
}

function anId(known: readonly number[]): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.constantFrom(0, -1, 900_001, 2 ** 53, 1e21) },
  );
}

/** Ids that are likely to be of what a key or parameter names. */
function idsOf(key: string, content: Content): number[] {
  const own = Object.entries(content).find(([name]) => name === key)?.[1];
  if (typeof own === "number") return [own, own, own, own + 1, own - 1, 1];
  const { user_id, group_id, lesson_id, path_id, role_id, field_id } = content;
  if (key === "role_id") return [32, 34, 36, 42, role_id];
  if (key === "custom_user_field_id") return [field_id];
  return [user_id, user_id + 1, group_id, lesson_id, path_id];
}

function aText({ format, maxLength = 300 }: Schema, key: string, { mark }: Content): fc.Arbitrary<string> {
  if (format === "date")
    return mostly(["2024-02-29", "0001-01-01", "9999-12-31", "2020-01-01"], "2026-02-30");
  if (format === "moment" || key.startsWith("gt")) {
    return mostly(
      ["2020-12-31", "2099-01-01T10:00:00.123456-04:00", "0001-01-01", "9999-12-31T23:59:59Z"],
      "soon",
    );
  }
  if (key.includes("email"))
    return fc.integer({ min: 1, max: 30 }).map((number) => `${mark}.${number}@example.com`);
  if (key.includes("url")) return fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string());
  if (key === "role") return mostly(["admin", "learner", "manager", "creator"], "pope");
  if (key.includes("active")) return fc.constantFrom("true", "false");
  if (key === "after") return fc.constantFrom("1", "5", "1000000", "x");
  return fc.oneof(
    { weight: 8, arbitrary: fc.stringMatching(/^[A-Za-z][a-z ']{0,20}$/) },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: Math.min(40, maxLength) }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 10 }) },
  );
}

function mostly(right: readonly string[], wrong: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 15, arbitrary: fc.constantFrom(...right) },
    { weight: 1, arbitrary: fc.constant(wrong) },
  );
}
