import assert from "node:assert/strict";
import { test } from "node:test";
import { type Content, makeContent } from "./content.ts";
import { sampleOf } from "./v2-samples.ts";
import { type Answer, startServer, type TestServer } from "./server.ts";
import { takeDownSecondWall } from "./walls.ts";
import { addressOf, dump, listOperationsOfVersion2, type Operation } from "./walk.ts";

test("the door of every operation of version 2", async (t) => {
  await using lectern = await startServer();
  const operations = listOperationsOfVersion2(lectern);
  assert.ok(operations.length > 100, `${operations.length} operations`);
  const accesses = lectern.routeTable.accesses;
  const isPublic = ({ name }: Operation) => accesses.get(name) === "public";

  await t.test("every operation says who may call it, and those for everybody are few", () => {
    for (const { name } of operations) assert.ok(accesses.get(name), name);
    for (const operation of operations.filter(isPublic)) assert.match(operation.url, PUBLIC, operation.name);
  });

  await t.test("who is nobody is told so, in problem details", async () => {
    for (const operation of operations.filter((one) => !isPublic(one))) {
      const address = operation.url.replaceAll(/:\w+/g, "1");
      for (const headers of strangers(lectern)) {
        const answer = await lectern.app.inject({ method: operation.method, url: address, headers });
        assert.equal(answer.statusCode, 401, `${operation.name} ${JSON.stringify(headers)}`);
        assert.equal(answer.headers["content-type"], "application/problem+json; charset=utf-8");
        assert.equal(answer.json().title, "Unauthorized", operation.name);
      }
    }
  });

  await t.test("an address takes its methods, and names them to who comes with another", async () => {
    const { routes } = lectern.routeTable;
    for (const { url, pattern } of routes.filter((route) => route.url.startsWith("/api/v2/"))) {
      const address = url.replaceAll(":subdomain", "acme").replaceAll(/:\w+/g, "1");
      const same = routes.filter(
        (route) => route.url === url || (route.pattern.test(address) && pattern.test(address)),
      );
      const methods = new Set(same.flatMap((route) => route.methods));
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) {
        if (methods.has(method)) continue;
        const { status, headers } = await lectern.acme.request({ method, url: address });
        assert.equal(status, 405, `${method} ${url}`);
        assert.ok(
          String(headers["allow"])
            .split(", ")
            .every((allowed) => methods.has(allowed)),
          url,
        );
      }
    }
  });

  await t.test("what answers JSON answers nothing else", async () => {
    for (const { method, url, name, isJson, status } of operations) {
      if (!isJson || status >= 300) continue;
      const address = url.replaceAll(":subdomain", "acme").replaceAll(/:\w+/g, "1");
      const answer = await lectern.acme.request({ method, url: address, headers: { accept: "text/html" } });
      assert.equal(answer.status, 406, name);
    }
  });

  await t.test("every operation is offline in maintenance", async () => {
    lectern.maintenance.isOn = true;
    for (const { method, url, name } of operations) {
      const address = url.replaceAll(":subdomain", "acme").replaceAll(/:\w+/g, "1");
      const { status, body } = await lectern.acme.request({ method, url: address });
      assert.deepEqual([status, body.title], [503, "Service Unavailable"], name);
    }
    lectern.maintenance.isOn = false;
  });
});

/** What needs no sign-in: signing in itself, what a signed address opens, and certificates by their number. */
const PUBLIC =
  /^\/api\/v2\/(companies\/:subdomain\/|sessions$|password_resets|invitations|single_sign_on\/|files\/|certificates\/)/;

function strangers({ acme }: TestServer): Record<string, string>[] {
  return [
    {},
    { authorization: `Bearer ${acme.key}x` },
    { authorization: "Bearer" },
    { authorization: `Basic ${Buffer.from(`globex:${acme.key}`).toString("base64")}` },
    { cookie: "__Host-lectern=1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
    { cookie: "__Host-lectern=x" },
  ];
}

for (const walls of ["both walls", "the queries' own wall alone"] as const) {
  test(`another company's id is an id that exists nowhere, with ${walls}`, async () => {
    await using lectern = await startServer();
    if (walls !== "both walls") await takeDownSecondWall(lectern);
    const { acme, globex } = lectern;
    const own = await makeContent(lectern, acme, "Amber");
    await makeContent(lectern, globex, "Basalt");
    const foreign = await makeContent(lectern, globex, "BasaltMore");
    const before = await dump(lectern);
    const faults: string[] = [];
    for (const operation of listOperationsOfVersion2(lectern).filter(namesAnId)) {
      const answers = await Promise.all(
        [foreign, nowhere(own)].map((content) => callOn(lectern, operation, content)),
      );
      for (const { status, body } of answers) {
        if (![404, 403].includes(status)) faults.push(`${operation.name} ${status} ${JSON.stringify(body)}`);
      }
      assert.deepEqual(told(answers[0]), told(answers[1]), operation.name);
    }
    assert.deepEqual(faults, []);
    assert.deepEqual(await dump(lectern), before, "nothing changed");
  });
}

/** Whether an operation's address has an id of something of the company; a signed address is looked at by its signature. */
function namesAnId({ url }: Operation): boolean {
  return /:\w+_id/.test(url.replace(/:(question|step)_id/, "")) && !url.startsWith("/api/v2/companies/");
}

function nowhere(own: Content): Content {
  const ids = Object.keys(own).map((key) => [key, key === "mark" ? "" : 900_001]);
  return { ...own, ...Object.fromEntries(ids) };
}

async function callOn(lectern: TestServer, operation: Operation, content: Content): Promise<Answer> {
  const { method, body, takes } = operation;
  const url = addressOf(operation, content);
  if (body === undefined && takes !== undefined) {
    return lectern.acme.request({ method, url, headers: { "content-type": takes }, payload: "x" });
  }
  if (url.endsWith("/markdown") && method === "PUT") {
    const headers = { "content-type": "text/markdown" };
    return lectern.acme.request({ method, url, headers, payload: "---\ntitle: A lesson\n---\n" });
  }
  const payload = sampleOf(lectern, operation, content);
  return lectern.acme.request({ method, url, ...(payload !== undefined && { payload }) });
}

function told(answer: Answer | undefined): object {
  const { request_id: _each, ...rest } = Object(answer?.body);
  return { status: answer?.status, body: rest };
}
