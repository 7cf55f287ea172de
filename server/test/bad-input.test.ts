import assert from "node:assert/strict";
import { test } from "node:test";
import { type Content, makeContent } from "./content.ts";
import { assertRefused, listWrites, sampleOf } from "./refusal.ts";
import { startServer, type TestServer } from "./server.ts";
import {
  addressOf,
  dump,
  fieldName,
  listOperations,
  listPlaces,
  type Operation,
  type Place,
  type Schema,
  withValueAt,
} from "./walk.ts";

test("what is refused is named, and changes nothing", async (t) => {
  await using lectern = await startServer();
  const content = await makeContent(lectern, lectern.acme, "Amber");
  const before = await dump(lectern);
  await t.test("a wrong type at any field of any operation is named, and nothing is changed", () =>
    refusesWrongTypes(lectern, content),
  );
  await t.test("what is no id in an address is 400, and what is one but names nothing is 404", () =>
    refusesWrongIds(lectern),
  );
  await t.test("a page, a filter or a time that can't be meant is 400 for every list", () =>
    refusesWrongQueries(lectern, content),
  );
  await t.test(
    "bodies that can't be read are 400 for every operation that takes one, and nothing is changed",
    () => refusesUnreadableBodies(lectern, content),
  );
  await t.test("an Authorization header of any make is 401", () => refusesStrangers(lectern));
  await t.test("strange headers change nothing, and a header can't be broken out of", () =>
    bearsStrangeHeaders(lectern),
  );
  assert.deepEqual(await dump(lectern), before);
});

async function refusesWrongTypes(lectern: TestServer, content: Content): Promise<void> {
  for (const operation of listWrites(lectern)) {
    const { method, body: schema = {} } = operation;
    const good = sampleOf(operation)?.(content);
    for (const { place, schema: expected } of listPlaces(schema)) {
      for (const wrong of wrongValues(expected, place)) {
        const payload = JSON.stringify(withValueAt(good, place, wrong));
        const answer = await lectern.acme.request({
          method,
          url: addressOf(operation, content),
          payload,
          headers: json,
        });
        const what = `${operation.name} ${fieldName(place)} = ${JSON.stringify(wrong)?.slice(0, 60)}`;
        assertRefused(answer, what);
        const fields = answer.body.errors.map(({ field }: { field: string }) => field);
        assert.ok(
          fields.some((field: string) => (fieldName(place) || "body").startsWith(field)),
          `${what}: ${fields}`,
        );
      }
    }
  }
}

async function refusesWrongIds(lectern: TestServer): Promise<void> {
  const noIds = [
    "0",
    "-1",
    "1.5",
    "abc",
    "1e3",
    "0x10",
    "%00",
    "1%00",
    "%31%20",
    "+1",
    "٣",
    "1;drop",
    "null",
    "%ff",
    "1,2",
  ];
  const unknown = [
    "900001",
    "9007199254740991",
    "9007199254740993",
    "9223372036854775808",
    `9${"0".repeat(400)}`,
  ];
  for (const { name, url, method } of listOperations(lectern)) {
    if (!/:\w+_id/.test(url)) continue;
    // A body that is right, so that the address alone is wrong.
    const payload = { name: "A", assignments: [] };
    for (const id of noIds) {
      const answer = await lectern.acme.request({
        method,
        url: url.replace(/:\w+_id/, encodeURI(decoded(id))),
        ...bodyFor(method, payload),
      });
      assertRefused(answer, `${name} ${id}`);
    }
    for (const id of unknown) {
      const answer = await lectern.acme.request({
        method,
        url: url.replace(/:\w+_id/, id),
        ...bodyFor(method, payload),
      });
      assert.deepEqual([answer.status, answer.body.error], [404, "Not Found"], `${name} ${id}`);
    }
  }
}

async function refusesWrongQueries(lectern: TestServer, content: Content): Promise<void> {
  const numbers = ["0", "-1", "1.5", "x", "", "1e2", "%00", "null", "1&{}=2"];
  for (const operation of listOperations(lectern)) {
    const url = addressOf(operation, content);
    const names = new Set(
      operation.parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
    );
    for (const name of ["page", "per_page"].filter((paging) => names.has(paging))) {
      for (const number of numbers) {
        const answer = await lectern.acme.get(`${url}?${name}=${number.replace("{}", name)}`);
        assertRefused(answer, `${url} ${name}=${number}`);
      }
      const { status } = await lectern.acme.get(`${url}?${name}=${"9".repeat(30)}`);
      assert.equal(status, 200, `${url} ${name}: there may be as many`);
    }
    if (names.has("after")) {
      for (const after of ["x", "0", "-1", "1,", "%00", "1'--", "\u{1f600}", "9".repeat(99)]) {
        assertRefused(
          await lectern.acme.get(`${url}?after=${encodeURI(decoded(after))}`),
          `${url} after=${after}`,
        );
      }
    }
    if (operation.method !== "GET") continue;
    for (const query of [
      "filter[nmae]=x",
      "filter=x",
      "filter[]=x",
      "filter[email][x]=1",
      "filter%5Bx%5D=1",
      "gt[created_at]=2020-01-01",
      "gt=1",
    ]) {
      assertRefused(await lectern.acme.get(`${url}?${query}`), `${url} ${query}`);
    }
    for (const filter of [...names].filter((name) => /^(filter|gt)/.test(name))) {
      const wrong =
        filter.startsWith("gt") || filter.endsWith("since]") ? [...noDates, "%00", ""] : ["%00", "a%00b"];
      for (const value of wrong) {
        const escaped = value.startsWith("%") || value.includes("%00") ? value : encodeURIComponent(value);
        assertRefused(
          await lectern.acme.get(`${url}?${filter.replace("<id>", String(content.field_id))}=${escaped}`),
          `${url} ${filter}=${value}`,
        );
      }
    }
  }
}

async function refusesUnreadableBodies(lectern: TestServer, content: Content): Promise<void> {
  for (const operation of listWrites(lectern)) {
    const { name, method } = operation;
    for (const [type, payload] of unreadable) {
      const headers = { "content-type": type };
      const answer = await lectern.acme.request({
        method,
        url: addressOf(operation, content),
        payload,
        headers,
      });
      assertRefused(answer, `${name} ${payload.toString().slice(0, 40)}`);
    }
  }
}

async function refusesStrangers(lectern: TestServer): Promise<void> {
  const { key } = lectern.acme;
  const headers = [
    "Basic",
    "Basic ",
    "Basic =",
    "Basic ====",
    "Basic \u00ff\u00fe",
    "Basic acme",
    "Digest x",
    "Negotiate",
    ":",
    " ",
    `Basic ${base64("acme")}`,
    `Basic ${base64(":")}`,
    `Basic ${base64(`acme:${key}:x`)}`,
    `Basic ${base64(`acme:${key}::`)}`,
    `Basic ${base64(`acme\0:${key}`)}`,
    `Basic ${base64(`acme:${key}\0`)}`,
    `Basic ${base64(Buffer.from([0xff, 0x3a, 0xfe]))}`,
    `Basic ${base64(`' or true --:${key}`)}`,
    `Basic ${base64(Buffer.from(`acme:${key}`, "utf16le"))}`,
    `Basic ${base64(`acme:${key}`)}, Basic ${base64(`acme:${key}`)}`,
    `Basic ${"A".repeat(10_000)}`,
    key,
    `Token ${key}`,
    `Basic acme:${key}`,
    `Basic ${encodeURIComponent(`${base64(`acme:${key}`)}=`)}`,
    `Bearer ${base64(`acme:${key}`)}`,
  ];
  for (const authorization of headers) {
    const { status, body } = await lectern.acme.request({
      method: "GET",
      url: "/api/v1/users",
      headers: { authorization },
    });
    assert.deepEqual([status, body.error], [401, "Unauthorized"], authorization);
  }
}

async function bearsStrangeHeaders(lectern: TestServer): Promise<void> {
  const odd = [
    { accept: ";;;, */*" },
    { accept: "application/json;q=x" },
    { accept: "*/*;".repeat(1000) },
    { "if-none-match": `"${"x".repeat(5000)}", ,,"` },
    { "accept-encoding": "\u00ff" },
    { "x-forwarded-proto": "gopher, ,", "x-forwarded-for": "'; drop table users" },
    { host: "evil.example\\@lectern.test" },
    { "content-type": "application/json; charset=\u00ff" },
    { cookie: "=;=;\u00ff" },
    { "x-request-id": "a".repeat(2000) },
  ];
  for (const headers of odd) {
    const { status } = await lectern.acme.request({
      method: "GET",
      url: "/api/v1/users?per_page=1",
      headers,
    });
    assert.ok(status < 500, `${JSON.stringify(headers).slice(0, 80)} ${status}`);
  }
  for (const authorization of ["x\r\nX-Injected: 1", "x\nX: 1", "x\ry", "漢", "\u007f"]) {
    const settings = { lesson_completed_callback_authorization: authorization };
    assertRefused(
      await lectern.acme.put("/api/v1/company_settings", settings),
      JSON.stringify(authorization),
    );
  }
  const { headers } = await lectern.acme.get("/api/v1/users?per_page=1&x=%0d%0aX-Injected:%201");
  assert.equal(headers["x-injected"], undefined);
}

const json = { "content-type": "application/json" };

/** Values of other types than a schema takes, and of its type but out of bounds. */
function wrongValues(schema: Schema, place: Place): unknown[] {
  const types = new Set([schema.type ?? []].flat());
  const wrong: unknown[] = [];
  if (!types.has("object")) wrong.push({}, { id: 1 }, { toString: "x" });
  if (!types.has("array")) wrong.push([], [1], [[]]);
  if (!types.has("boolean")) wrong.push(true, false);
  if (!types.has("string")) wrong.push("x", "1.5", "0x1", " 1", "١", "NaN");
  if (!types.has("null") && place.length > 0) wrong.push(null);
  if (!types.has("integer")) wrong.push(7, 1.5, -1, 0);
  else wrong.push(1.5, -1, -0.5, 1e300, 2 ** 63, -(2 ** 63), "99999999999999999999");
  if (types.has("integer") && /^(id|.*_id)$/.test(String(place.at(-1)))) wrong.push(0, "0");
  if (schema.format === "date") wrong.push(...noDates, "2026-01-01T00:00:00Z");
  if (schema.format === "moment") wrong.push(...noDates, ...noMoments);
  if (schema.enum !== undefined) wrong.push("x", `${String(schema.enum[0])} `, "__proto__");
  if (types.has("string") && schema.enum === undefined) {
    wrong.push("a\0b", "\ud800", "b\udfff");
    if (schema.maxLength !== undefined) wrong.push("x".repeat(schema.maxLength + 1));
    if (schema.minLength !== undefined) wrong.push("");
  }
  if (schema.maxItems !== undefined) wrong.push(Array.from({ length: schema.maxItems + 1 }, () => ({})));
  return wrong;
}

const noDates = [
  "2026-02-30",
  "2025-02-29",
  "2026-13-01",
  "2026-00-10",
  "0000-01-01",
  "10000-01-01",
  "-2026-01-01",
];
noDates.push(
  "2026-1-1",
  "20260101",
  "tomorrow",
  "infinity",
  "epoch",
  "2026-01-01\n",
  "２０２６-01-01",
  "1767225600",
);
const noMoments = ["2026-01-01T24:00:00Z", "2026-01-01T10:60:00Z", "2026-01-01T10:00:00+24:00", "now"];
noMoments.push(
  "2026-01-01T10:00:00 Europe/Oslo",
  "0000-12-31T23:00:00-02:00",
  "9999-12-31T23:59:59-00:01",
  "T10:00:00Z",
);

/** Some of the ids are escaped already, or can't be unescaped. */
function decoded(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}

function bodyFor(method: Operation["method"], payload: object): { payload?: object } {
  return method === "GET" || method === "DELETE" ? {} : { payload };
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const DEPTH = 10_000;
const unreadable: readonly (readonly [string, string | Buffer])[] = [
  [JSON_TYPE, "{"],
  [JSON_TYPE, "{'name': 'x'}"],
  [JSON_TYPE, "{} {}"],
  [JSON_TYPE, '{"name": NaN}'],
  [JSON_TYPE, "undefined"],
  [JSON_TYPE, "[]"],
  [JSON_TYPE, "7"],
  [JSON_TYPE, '"name"'],
  [JSON_TYPE, "true"],
  [JSON_TYPE, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  [JSON_TYPE, Buffer.from('{"name":"x"}', "utf16le")],
  [JSON_TYPE, "[".repeat(DEPTH)],
  [JSON_TYPE, "[".repeat(DEPTH) + "]".repeat(DEPTH)],
  [JSON_TYPE, `{"pad": "${"x".repeat(1_048_576)}"}`],
  [FORM_TYPE, "name=%zz"],
  [FORM_TYPE, "name=%ff"],
  [FORM_TYPE, `a${"[b]".repeat(DEPTH)}=1`],
  [FORM_TYPE, "a[b=1"],
  [FORM_TYPE, "a=1&a[b]=2"],
  [FORM_TYPE, "members[99999999]=1"],
  ["text/plain", "name=x"],
  ["application/xml", "<name>x</name>"],
  ["multipart/form-data; boundary=x", "--x--"],
];

function base64(text: string | Buffer): string {
  return Buffer.from(text).toString("base64");
}
