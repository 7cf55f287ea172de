import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser } from "../test/people.ts";
import { signIn, type Person } from "../test/person.ts";
import { startServer, type TestServer } from "../test/server.ts";

const log = "/api/v2/audit_log";

test("the audit log and the settings", async (t) => {
  await using lectern = await startServer();
  const admin = await signIn(lectern, lectern.acme, { role: "admin", name: "Ann Admin" });
  await t.test("settings are changed by who has read them, and never show the secret", () =>
    changesSettings(admin),
  );
  await t.test("the log tells who did what, from where, with the state before and after", () => tells(admin));
  await t.test("filters and pages of the log hold together", () => pagesOn(lectern, admin));
  await t.test("an export is the same rows, safe for a spreadsheet, and stands in the log itself", () =>
    exports(admin),
  );
});

async function changesSettings(admin: Person): Promise<void> {
  const url = "/api/v2/settings";
  const shown = await admin.get(url);
  assert.deepEqual(shown.body, {
    ...{ name: "acme", subdomain: "acme", time_zone: "UTC", lesson_completed_callback_url: null },
    lesson_completed_callback_authorization: null,
  });
  const change = (payload: object, etag: unknown) =>
    admin.request({ method: "PATCH", url, payload, headers: { "if-match": String(etag) } });
  const secret = { lesson_completed_callback_authorization: "Bearer secret" };
  const changed = await change({ time_zone: "Europe/Berlin", ...secret }, shown.headers["etag"]);
  const mask = { lesson_completed_callback_authorization: "***" };
  assert.deepEqual(changed.body, { ...shown.body, time_zone: "Europe/Berlin", ...mask });
  assert.equal((await change({ name: "Acme Inc." }, shown.headers["etag"])).status, 412);
  const { subdomain: _fixed, ...all } = changed.body;
  assert.deepEqual((await change({ ...all, name: "Acme Inc." }, changed.headers["etag"])).body, {
    ...changed.body,
    name: "Acme Inc.",
  });
  for (const [key, value] of [
    ["time_zone", "Mars/Olympus"],
    ["name", ""],
    ["subdomain", "other"],
    ["lesson_completed_callback_url", "ftp://x"],
  ] as const) {
    const { status, body } = await admin.patch(url, { [key]: value });
    assert.deepEqual([status, body.errors[0].field], [422, key]);
  }
  const cleared = await admin.patch(url, { lesson_completed_callback_authorization: null });
  assert.equal(cleared.body.lesson_completed_callback_authorization, null);
}

async function tells(admin: Person): Promise<void> {
  const { body } = await admin.get(`${log}?filter[action]=update_company_settings&limit=1`);
  const [row] = body.data;
  const settings = { name: "Acme Inc.", time_zone: "Europe/Berlin", lesson_completed_callback_url: null };
  assert.deepEqual(row, {
    ...{ id: row.id, at: row.at, request_id: row.request_id, address: "127.0.0.1" },
    actor: { type: "user", id: admin.user_id, name: "Ann Admin" },
    ...{ action: "update_company_settings", resource_type: "company", resource_id: admin.company.id },
    before: { ...settings, lesson_completed_callback_authorization: "***" },
    after: { ...settings, lesson_completed_callback_authorization: null },
  });
  assert.match(row.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
}

async function pagesOn({ acme }: TestServer, admin: Person): Promise<void> {
  const { id } = await addUser(acme, "Grace");
  await admin.patch(`/api/v2/users/${id}`, { job_title: "Admiral" });
  await admin.post(`/api/v2/users/${id}/archive`);
  const ofGrace = `filter[resource_type]=user&filter[resource_id]=${id}`;
  const { body: whole } = await admin.get(`${log}?${ofGrace}`);
  const actions = whole.data.map(({ action, actor }: { action: string; actor: { type: string } }) => [
    action,
    actor.type,
  ]);
  assert.deepEqual(actions, [
    ["archive_user", "user"],
    ["update_user", "user"],
    ["create_user", "api_key"],
  ]);
  const first = await admin.get(`${log}?${ofGrace}&limit=2`);
  const second = await admin.get(`${log}?${ofGrace}&limit=2&cursor=${first.body.next}`);
  assert.deepEqual([...first.body.data, ...second.body.data], whole.data);
  assert.equal(second.body.next, null);
  const byKey = await admin.get(`${log}?${ofGrace}&filter[actor_type]=api_key&filter[actor_id]=1`);
  assert.deepEqual([byKey.body.data.length, byKey.body.data[0].actor.name], [1, "First key"]);
  assert.deepEqual((await admin.get(`${log}?filter[until]=2020-01-01`)).body, { data: [], next: null });
  assert.equal((await admin.get(`${log}?${ofGrace}&filter[since]=2020-01-01`)).body.data.length, 3);
  for (const query of [
    "cursor=WzFd",
    "cursor=WyJ4IiwieSJd",
    "filter[since]=soon",
    "filter[actor_type]=robot",
  ]) {
    assert.equal((await admin.get(`${log}?${query}`)).status, 422, query);
  }
}

async function exports(admin: Person): Promise<void> {
  const name = "=HYPERLINK(1)";
  await admin.post("/api/v2/roles", { name, privileges: [] });
  const asked = "filter[action]=create_role";
  const csv = await admin.get(`${log}/export?${asked}`);
  assert.equal(csv.headers["content-type"], "text/csv; charset=utf-8");
  const [head, line, ...rest] = String(csv.body).trimEnd().split("\r\n");
  assert.equal(
    head,
    "id,at,actor_type,actor_id,actor_name,action,resource_type,resource_id,before,after,address,request_id",
  );
  assert.match(String(line), /,user,\d+,Ann Admin,create_role,role,100,,"\{.*=HYPERLINK.*\}",127\.0\.0\.1,/);
  assert.deepEqual(rest, []);
  const ndjson = await admin.get(`${log}/export?${asked}&format=ndjson`);
  const row = JSON.parse(String(ndjson.body));
  assert.deepEqual([row.action, row.after.name], ["create_role", name]);
  const { body } = await admin.get(`${log}?filter[action]=export`);
  assert.deepEqual(
    body.data.map(({ resource_type, after }: { resource_type: string; after: object }) => [
      resource_type,
      after,
    ]),
    [
      ["audit_log", { "filter[action]": "create_role", format: "ndjson" }],
      ["audit_log", { "filter[action]": "create_role" }],
    ],
  );
}
