import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createApiKey, revokeApiKey } from "../companies/api-keys.ts";
import { type Answer, startServer, type TestServer } from "../test/server.ts";

test("the user name is the subdomain and the password is the key", async () => {
  await using lectern = await startServer();
  const { key } = lectern.acme;
  const accepted = [
    basic(`acme:${key}`),
    basic(`ACME:${key}`),
    basic(`acme:${key}:`),
    basic(`acme:${key}`).replace("Basic", "bASIC"),
    basic(`acme:${key}`).replace("Basic ", "Basic   "),
    basic(`acme:${key}`).replace(/=+$/, ""),
  ];
  for (const authorization of accepted) {
    const answer = await ping(lectern, authorization);
    assert.deepEqual([authorization, answer.status, answer.body], [authorization, 200, { response: "pong" }]);
  }
});

test("whatever else stands in the header is unauthorized", async () => {
  await using lectern = await startServer();
  const { key } = lectern.acme;
  const refused = [
    "",
    "Basic",
    "Basic ",
    "Basic =",
    "Basic ***",
    `Basic acme:${key}`,
    `Bearer ${key}`,
    basic("acme"),
    basic(`:${key}`),
    basic("acme:"),
    basic(key),
    basic(`globex:${key}`),
    basic(`acme:${key.toUpperCase()}`),
    basic(`acme:${key}x`),
    basic(`acme:${key}:x`),
    basic(`acme:${key}::`),
    basic(`acme\0:${key}`),
    basic(` acme:${key}`),
    basic(`acme:${key}\n`),
    basic(`acme'--:${key}`),
    `Basic ${Buffer.from([0xff, 0xfe, 0x3a, 0x80]).toString("base64")}`,
    `Basic ${Buffer.from(`acme:${key}`, "utf16le").toString("base64")}`,
    `Basic ${encodeURIComponent(`acme:${key}`)}`,
    `${basic(`acme:${key}`)}, Basic x`,
    `Basic ${"A".repeat(15_000)}`,
  ];
  for (const authorization of refused) {
    const answer = await ping(lectern, authorization);
    assert.deepEqual([authorization, answer.status], [authorization, 401]);
    assert.equal(answer.headers["www-authenticate"], 'Basic realm="Lectern API", charset="UTF-8"');
    assert.deepEqual(answer.body, {
      type: "error",
      status: 401,
      error: "Unauthorized",
      message: "The subdomain or the API key is missing or wrong",
      request_id: answer.headers["x-request-id"],
    });
  }
  const none = await lectern.app.inject({ url: "/api/v1/ping" });
  assert.equal(none.statusCode, 401);
});

test("each company acts as itself alone", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  await acme.post("/api/v1/groups", { name: "Sales" });
  assert.deepEqual((await globex.get("/api/v1/groups")).body.groups, []);
  assert.equal((await globex.get("/api/v1/groups/1")).status, 404);
});

test("a key that is revoked is refused within a second", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const { key, id } = await make.write(acme, (tx) =>
    createApiKey(tx, { name: "Second", made_by_user_id: null }),
  );
  assert.equal((await ping(lectern, basic(`acme:${key}`))).status, 200);
  assert.equal(await make.write(acme, (tx) => revokeApiKey(tx, id)), true);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assert.equal((await ping(lectern, basic(`acme:${key}`))).status, 401);
  assert.equal((await acme.get("/api/v1/ping")).status, 200);
});

test("an address that fails a thousand times in a minute is refused for the rest of it, but for who was let in before", async () => {
  await using lectern = await startServer();
  assert.equal((await lectern.acme.get("/api/v1/ping")).status, 200);
  assert.equal((await ping(lectern, basic("acme:the first"))).status, 401);
  // All but the last ten come from another process, as a slow machine would not send them within the minute.
  const { rowCount } = await ask(lectern, "update rate_windows set used = 990 where bucket like 'address:%'");
  assert.equal(rowCount, 1);
  const wrong = Array.from({ length: 10 }, (_, index) => basic(`acme:${index}`));
  const answers = await Promise.all(wrong.map((authorization) => ping(lectern, authorization)));
  assert.ok(answers.every(({ status }) => status === 401));
  const refused = await ping(lectern, basic("acme:one more"));
  assert.deepEqual([refused.status, refused.body.error], [403, "Rate Limit Exceeded"]);
  assert.match(String(refused.headers["retry-after"]), /^\d\d?$/);
  assert.equal((await lectern.acme.get("/api/v1/ping")).status, 200);
  assert.equal((await lectern.globex.get("/api/v1/ping")).status, 403);
});

async function ask({ ownerUrl }: TestServer, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

async function ping({ acme }: TestServer, authorization: string): Promise<Answer> {
  return acme.request({ url: "/api/v1/ping", headers: { authorization } });
}
