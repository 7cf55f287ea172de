import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, startServer, type TestServer } from "../test/server.ts";

const settingsUrl = "/api/v1/company_settings";
const url = "https://hooks.example.com/lectern?token=1&x=%20";
const both = { lesson_completed_callback_url: url, lesson_completed_callback_authorization: "Bearer abc" };

test("a company sets where its completed lessons are posted, and with which authorization", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  const none = { lesson_completed_callback_url: null, lesson_completed_callback_authorization: null };
  const before = await acme.put(settingsUrl, {});
  assert.deepEqual([before.status, before.body], [200, none]);
  const set = await acme.put(settingsUrl, both);
  assert.deepEqual([set.status, set.body], [200, both]);
  assert.deepEqual((await acme.put(settingsUrl)).body, both);
  assert.deepEqual((await globex.put(settingsUrl)).body, none);
});

test("what the body leaves out stays; null or an empty text clears", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await acme.put(settingsUrl, both);
  const cases = [
    [{ lesson_completed_callback_url: "http://other.example" }, "http://other.example", "Bearer abc"],
    [{ lesson_completed_callback_authorization: " As typed: ü\t" }, "http://other.example", " As typed: ü\t"],
    [{ lesson_completed_callback_authorization: " \t " }, "http://other.example", null],
    [{ lesson_completed_callback_authorization: "Bearer abc" }, "http://other.example", "Bearer abc"],
    [{ lesson_completed_callback_authorization: null }, "http://other.example", null],
    [{ lesson_completed_callback_authorization: "x" }, "http://other.example", "x"],
    [{ lesson_completed_callback_url: "" }, null, "x"],
    [{ lesson_completed_callback_url: url, lesson_completed_callback_authorization: "" }, url, null],
    [{ lesson_completed_callback_url: null }, null, null],
  ] as const;
  for (const [body, address, authorization] of cases) {
    const answer = await acme.put(settingsUrl, body);
    assert.equal(answer.status, 200, JSON.stringify(body));
    assert.deepEqual(answer.body, {
      lesson_completed_callback_url: address,
      lesson_completed_callback_authorization: authorization,
    });
  }
});

test("settings can be sent as a form", async () => {
  await using lectern = await startServer();
  const answer = await lectern.acme.request({
    method: "PUT",
    url: settingsUrl,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: new URLSearchParams(both).toString(),
  });
  assert.deepEqual([answer.status, answer.body], [200, both]);
});

test("an address that can't be called, or an authorization that no header carries, is refused", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await acme.put(settingsUrl, both);
  const noAddress = "must be an http or https address";
  const credentials = "can't hold credentials: put them into the authorization";
  const noHeader = "must be one line of characters that a header can carry";
  const cases = [
    ["lesson_completed_callback_url", "hooks.example.com", noAddress],
    ["lesson_completed_callback_url", "/lectern", noAddress],
    ["lesson_completed_callback_url", "ftp://hooks.example.com", noAddress],
    ["lesson_completed_callback_url", "javascript:alert(1)", noAddress],
    ["lesson_completed_callback_url", "https://", noAddress],
    ["lesson_completed_callback_url", "https://[::1", noAddress],
    ["lesson_completed_callback_url", " https://hooks.example.com", noAddress],
    ["lesson_completed_callback_url", "https://hooks.example.com/\r\nHost: evil", noAddress],
    ["lesson_completed_callback_url", "https://user:secret@hooks.example.com", credentials],
    ["lesson_completed_callback_url", "https://user@hooks.example.com", credentials],
    [
      "lesson_completed_callback_url",
      `https://x.example/${"x".repeat(2000)}`,
      "can have at most 2000 characters",
    ],
    ["lesson_completed_callback_url", 5, "must be a string"],
    ["lesson_completed_callback_url", { href: url }, "must be a string"],
    ["lesson_completed_callback_authorization", "Bearer a\r\nX-Evil: 1", noHeader],
    ["lesson_completed_callback_authorization", "Bearer a\nb", noHeader],
    ["lesson_completed_callback_authorization", "Bearer \u{7f}", noHeader],
    ["lesson_completed_callback_authorization", "Bearer €", noHeader],
    ["lesson_completed_callback_authorization", "x".repeat(2001), "can have at most 2000 characters"],
    ["lesson_completed_callback_authorization", true, "must be a string"],
  ] as const;
  for (const [field, value, message] of cases) {
    const { status, body } = await acme.put(settingsUrl, { [field]: value });
    assert.equal(status, 400, JSON.stringify(value));
    assert.deepEqual(body.errors, [{ field, message }], JSON.stringify(value));
  }
  const valid = { lesson_completed_callback_authorization: "new" };
  assert.equal((await acme.put(settingsUrl, { lesson_completed_callback_url: "no", ...valid })).status, 400);
  assert.deepEqual((await acme.put(settingsUrl)).body, both);
});

test("the audit tells that the authorization changed, never what it is", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await acme.put(settingsUrl, both);
  await acme.put(settingsUrl, { lesson_completed_callback_authorization: null });
  const masked = { ...both, lesson_completed_callback_authorization: "***" };
  const without = { ...both, lesson_completed_callback_authorization: null };
  assert.deepEqual(await listDeeds(lectern, acme), [
    { before: { ...without, lesson_completed_callback_url: null }, after: masked },
    { before: masked, after: without },
  ]);
});

async function listDeeds({ database }: TestServer, client: Client): Promise<object[]> {
  return database.read(client.company, (tx) =>
    tx.sql
      .selectFrom("audit_log")
      .select(["before", "after"])
      .where("company_id", "=", tx.company.id)
      .where("action", "=", "update_company_settings")
      .orderBy("at")
      .execute(),
  );
}
