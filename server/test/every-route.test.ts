import assert from "node:assert/strict";
import { test } from "node:test";
import { isOfVersion2 } from "../http/versions.ts";
import { makeAnswerCheck } from "./answer-check.ts";
import { type Content, makeContent } from "./content.ts";
import { allOperations, contractOperations, type Expected } from "./contract.ts";
import { type Answer, startServer, type TestServer } from "./server.ts";
import { assertShape } from "./shapes.ts";
import { takeDownSecondWall } from "./walls.ts";
import {
  addressOf,
  dump,
  fieldName,
  listOperations,
  listPlaces,
  type Operation,
  type Place,
  withValueAt,
} from "./walk.ts";

test("the app serves the contract's 59 operations, what clients call beside them, and nothing else", async () => {
  await using lectern = await startServer();
  const served = listOperations(lectern).map(({ name }) => name);
  assert.equal(contractOperations.length, 59);
  assert.deepEqual(served.toSorted(), allOperations.map(({ name }) => name).toSorted());
});

test("the door of every operation", async (t) => {
  await using lectern = await startServer();
  await t.test("every operation is for who has the company's key", () => admitsKeysAlone(lectern));
  await t.test("an address takes its methods, and names them to who comes with another", () =>
    namesItsMethods(lectern),
  );
  await t.test("every operation speaks JSON alone", () => speaksJsonAlone(lectern));
  await t.test("every operation is offline in maintenance, and says when to come back", () =>
    isOfflineInMaintenance(lectern),
  );
});

async function admitsKeysAlone(lectern: TestServer): Promise<void> {
  const { acme, globex } = lectern;
  const refused = [
    "",
    basic(`acme:${globex.key}`),
    basic(`globex:${acme.key}`),
    basic(`acme:${acme.key}x`),
    basic(`nobody:${acme.key}`),
    basic(`acme:`),
    basic(`:${acme.key}`),
    `Bearer ${acme.key}`,
  ];
  for (const { method, url, name } of listOperations(lectern)) {
    const address = url.replaceAll(/:\w+/g, "1");
    const { authorization: _none, ...bare } = { authorization: "" };
    const answers = [await lectern.app.inject({ method, url: address, headers: bare })];
    for (const authorization of refused) {
      answers.push(await lectern.app.inject({ method, url: address, headers: { authorization } }));
    }
    for (const answer of answers) {
      assert.equal(answer.headers["www-authenticate"], 'Basic realm="Lectern API", charset="UTF-8"');
      assert.deepEqual(
        withoutRequestId({ status: answer.statusCode, body: answer.json() }),
        unauthorized,
        name,
      );
    }
  }
}

async function namesItsMethods(lectern: TestServer): Promise<void> {
  const routes = lectern.routeTable.routes.filter(({ url }) => !isOfVersion2(url));
  for (const { url } of routes) {
    const address = url.replaceAll(/:\w+/g, "1").replace("*", "logo.svg");
    // Under version 1.1 an address takes what it takes under version 1 too.
    const same = new Set([url, url.replace("/v1.1/", "/v1/")]);
    const methods = new Set(routes.filter((route) => same.has(route.url)).flatMap((route) => route.methods));
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const) {
      if (methods.has(method)) continue;
      const { status, body, headers } = await lectern.acme.request({ method, url: address });
      assert.deepEqual([status, body.error], [405, "Method Not Allowed"], `${method} ${url}`);
      assert.equal(headers["allow"], [...methods].toSorted().join(", "), `${method} ${url}`);
    }
  }
}

async function speaksJsonAlone(lectern: TestServer): Promise<void> {
  for (const { method, url, name } of listOperations(lectern)) {
    const address = url.replaceAll(/:\w+/g, "1");
    const asked = [
      await lectern.acme.request({ method, url: address, headers: { accept: "text/html" } }),
      await lectern.acme.request({
        method,
        url: address,
        headers: { accept: "application/xml, text/csv;q=0.5" },
      }),
      await lectern.acme.request({ method, url: `${address}.xml` }),
    ];
    for (const { status, body } of asked)
      assert.deepEqual([status, body.error], [406, "Not Acceptable"], name);
  }
}

async function isOfflineInMaintenance(lectern: TestServer): Promise<void> {
  const before = await dump(lectern);
  lectern.maintenance.isOn = true;
  for (const { method, url, name } of listOperations(lectern)) {
    const address = url.replaceAll(/:\w+/g, "1");
    const { status, body, headers } = await lectern.acme.request({ method, url: address });
    assert.deepEqual([status, body.error, headers["retry-after"]], [503, "Service Unavailable", "30"], name);
  }
  lectern.maintenance.isOn = false;
  assert.deepEqual(await dump(lectern), before);
}

function basic(text: string): string {
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

const unauthorized = {
  status: 401,
  body: {
    type: "error",
    status: 401,
    error: "Unauthorized",
    message: "The subdomain or the API key is missing or wrong",
  },
};

for (const walls of ["both walls", "the queries' own wall alone"] as const) {
  test(`companies are apart at every operation, with ${walls}`, async (t) => {
    await using lectern = await startServer();
    if (walls !== "both walls") await takeDownSecondWall(lectern);
    const companies = await makeCompanies(lectern);
    await t.test("another company's id is an id that exists nowhere, wherever an id stands", () =>
      takesForeignIdsForUnknown(lectern, companies),
    );
    await t.test("no filter of a list looks into another company", () => filtersWithin(lectern, companies));
    await t.test("version 1.1 answers as version 1 where it has no operation of its own", () =>
      answersAsVersion1(lectern, companies),
    );
    await t.test("every operation answers what it publishes, and nothing of another company", () =>
      answersAsPublished(lectern, companies),
    );
  });
}

/** What acme has; globex has the same under the same ids, and more under ids that acme lacks. */
interface Companies {
  readonly own: Content;
  readonly foreign: Content;
}

async function makeCompanies(lectern: TestServer): Promise<Companies> {
  const own = await makeContent(lectern, lectern.acme, "Amber");
  const theirs = await makeContent(lectern, lectern.globex, "Basalt");
  assert.deepEqual({ ...theirs, mark: own.mark }, own, "the same ids");
  return { own, foreign: await makeContent(lectern, lectern.globex, "BasaltMore") };
}

async function takesForeignIdsForUnknown(lectern: TestServer, { own, foreign }: Companies): Promise<void> {
  const { acme } = lectern;
  const before = await dump(lectern);
  for (const operation of listOperations(lectern)) {
    const body = expected(operation).body?.(own);
    const call = (address: string, payload = body) =>
      acme.request({ method: operation.method, url: address, ...(payload && { payload }) });
    if (/:\w+_id/.test(operation.url)) {
      const answer = await call(addressOf(operation, foreign));
      assert.equal(answer.status, 404, operation.name);
      assert.deepEqual(told(answer), told(await call(addressOf(operation, nowhere))), operation.name);
    }
    for (const place of listIdPlaces(operation)) {
      const kind = whatIsNamed(place);
      const [theirs, nobodys] = [foreign[kind], nowhere[kind]].map((id) =>
        Object(withValueAt(body, place, id)),
      );
      const answer = await call(addressOf(operation, own), theirs);
      assert.equal(answer.status, 400, `${operation.name} ${fieldName(place)}`);
      assert.equal(answer.body.errors[0].field, fieldName(place), operation.name);
      assert.deepEqual(told(answer), told(await call(addressOf(operation, own), nobodys)), operation.name);
    }
  }
  for (const filter of idFilters) {
    const answer = await acme.get(filter(foreign));
    assert.equal(answer.status, 200);
    assert.deepEqual(told(answer), told(await acme.get(filter(nowhere))), filter(foreign));
  }
  assert.deepEqual(await dump(lectern), before, "nothing changed");
}

type Ids = Omit<Content, "mark">;

const nowhere = {
  mark: "",
  user_id: 900_001,
  group_id: 900_001,
  lesson_id: 900_001,
  path_id: 900_001,
  course_id: 900_001,
  tag_id: 900_001,
  role_id: 900_001,
  field_id: 900_001,
  assignment_id: 900_001,
  group_assignment_id: 900_001,
  api_key_id: 900_001,
  attempt_id: 900_001,
  job_id: 900_001,
  certificate_id: 900_001,
  session_id: 900_001,
  mail_id: 900_001,
  file_id: 900_001,
  upload_id: 900_001,
  webhook_id: 900_001,
  event_id: 900_001,
};

const idFilters: readonly ((ids: Ids) => string)[] = [
  ({ field_id }) => `/api/v1/users?filter[custom_user_field][${field_id}]=BasaltMore%20value`,
  ({ field_id }) => `/api/v1.1/users?filter[custom_user_field][${field_id}]=BasaltMore%20value`,
  ({ group_id }) => `/api/v1.1/assignments?filter[group_id]=${group_id}`,
];

function listIdPlaces({ body }: Operation): Place[] {
  const places = body === undefined ? [] : listPlaces(body);
  return places.map(({ place }) => place).filter((place) => /^(id|.*_id)$/.test(String(place.at(-1))));
}

/** What an id in a body names, by the key it stands under. */
function whatIsNamed(place: Place): keyof Ids {
  const [list] = place;
  const key = place.at(-1) === "id" ? list : place.at(-1);
  switch (key) {
    case "members":
    case "managers":
    case "assignee_id":
      return "user_id";
    case "memberships":
    case "managing":
      return "group_id";
    case "assignable_id":
      return "lesson_id";
    case "role_id":
      return "role_id";
    case "custom_user_field_id":
      return "field_id";
    default:
      throw new Error(`teach the walk what ${fieldName(place)} names`);
  }
}

async function filtersWithin({ acme, globex }: TestServer, { own: { field_id } }: Companies): Promise<void> {
  for (const version of ["v1", "v1.1"]) {
    for (const filter of [
      "filter[email]=basalt.1@example.com",
      "filter[ext_uid]=Basalt-1",
      `filter[custom_user_field][${field_id}]=Basalt%20value`,
    ]) {
      const { body } = await acme.get(`/api/${version}/users?${filter}`);
      assert.deepEqual([body.total_users, body.users], [0, []], filter);
      const { body: theirs } = await globex.get(`/api/${version}/users?${filter}`);
      assert.notEqual(theirs.total_users, 0, filter);
    }
  }
}

async function answersAsVersion1(lectern: TestServer, { own }: Companies): Promise<void> {
  const operations = listOperations(lectern);
  const inVersion11 = new Set(operations.map(({ name }) => name).filter((name) => name.includes("/v1.1/")));
  for (const operation of operations.filter(({ method }) => method === "GET")) {
    if (inVersion11.has(operation.name.replace("/v1/", "/v1.1/"))) continue;
    const url = addressOf(operation, own);
    const [v1, v11] = [await lectern.acme.get(url), await lectern.acme.get(url.replace("/v1/", "/v1.1/"))];
    assert.deepEqual(told(v11), told(v1), operation.name);
  }
}

async function answersAsPublished(lectern: TestServer, { own }: Companies): Promise<void> {
  const { acme } = lectern;
  const check = makeAnswerCheck(lectern);
  const untouched = await dump(lectern);
  // What deletes goes last, so that the others find what they name.
  const operations = listOperations(lectern).toSorted(
    (a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"),
  );
  for (const operation of operations) {
    const { body, answer, type } = expected(operation);
    const payload = body?.(own);
    const url = addressOf(operation, own);
    const given = await acme.request({ method: operation.method, url, ...(payload && { payload }) });
    assert.equal(
      given.status,
      operation.method === "POST" ? 201 : 200,
      `${operation.name} ${JSON.stringify(given.body)}`,
    );
    assert.equal(given.status, operation.status, operation.name);
    check(operation, given.body);
    assertShape(given.body, answer, operation.name);
    assert.equal(given.body.type, type, operation.name);
    assert.doesNotMatch(JSON.stringify(given.body), /basalt/i, operation.name);
  }
  assert.deepEqual(rowsOfGlobex(await dump(lectern)), rowsOfGlobex(untouched), "nothing of theirs changed");
}

function rowsOfGlobex(stored: ReadonlyMap<string, string>): [string, string][] {
  return [...stored].filter(([table]) => table.endsWith(" of globex") && !sharedTables.has(table));
}

/** Tables of no company, which are dumped with each. */
const sharedTables = new Set(["api_key_hashes", "subdomains"].map((table) => `${table} of globex`));

function expected({ name }: Operation): Expected {
  const found = allOperations.find((operation) => operation.name === name);
  assert.ok(found, `${name} is an operation of the contract`);
  return found;
}

function told({ status, body }: Answer): object {
  return withoutRequestId({ status, body });
}

function withoutRequestId({ status, body }: Pick<Answer, "status" | "body">): {
  status: number;
  body: object;
} {
  const { request_id: _each, ...rest } = body;
  return { status, body: Array.isArray(body) ? body : rest };
}
