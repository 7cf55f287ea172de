import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser } from "../test/people.ts";
import { signIn } from "../test/person.ts";
import { Client, startServer, type TestServer } from "../test/server.ts";

const roles = "/api/v2/roles";
const keys = "/api/v2/api_keys";

test("roles", async (t) => {
  await using lectern = await startServer();
  await t.test("a company makes roles of named privileges, which hold at once", () => makesRoles(lectern));
  await t.test("what is no privilege, no name and no role of one's own is refused", () => refuses(lectern));
  await t.test("nobody gives more than they have, nor rules over who may more", () => staysBelow(lectern));
});

async function makesRoles(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const privileges = ["users.read:managed", "tags.write", "learn"];
  const made = await acme.post(roles, { name: "Coach", privileges });
  assert.deepEqual([made.status, made.body], [201, { id: 100, name: "Coach", built_in: false, privileges }]);
  const { body: all } = await acme.get(roles);
  assert.deepEqual(
    all.data.map(({ id, name, built_in }: { id: number; name: string; built_in: boolean }) => [
      id,
      name,
      built_in,
    ]),
    [
      [32, "learner", true],
      [34, "creator", true],
      [36, "manager", true],
      [42, "admin", true],
      [100, "Coach", false],
    ],
  );
  const coach = await signIn(lectern, acme, { role_id: 100 });
  const inVersion1 = await acme.get(`/api/v1/users/${coach.user_id}`);
  assert.deepEqual([inVersion1.body.role, inVersion1.body.role_id], ["Coach", 100]);
  assert.equal((await coach.get("/api/v2/users")).status, 200);
  assert.equal((await coach.get(keys)).status, 403);
  const { headers } = await acme.get(`${roles}/100`);
  const change = (payload: object) =>
    acme.request({
      method: "PATCH",
      url: `${roles}/100`,
      payload,
      headers: { "if-match": String(headers["etag"]) },
    });
  const changed = await change({ privileges: ["api_keys.write:all"] });
  assert.deepEqual(changed.body, { ...made.body, privileges: ["api_keys.write"] });
  assert.equal((await change({ name: "Trainer" })).status, 412);
  const again = await signIn(lectern, acme, { user_id: coach.user_id });
  assert.deepEqual([(await again.get(keys)).status, (await again.get("/api/v2/users")).status], [200, 403]);
  assert.equal((await acme.delete(`${roles}/100`)).status, 409);
  await acme.request({ method: "PATCH", url: `/api/v2/users/${coach.user_id}`, payload: { role_id: 32 } });
  assert.deepEqual((await acme.delete(`${roles}/100`)).body, { id: 100 });
  assert.equal((await acme.get(`${roles}/100`)).status, 404);
  assert.equal(
    (await acme.post(roles, { name: "Coach", privileges })).body.id,
    101,
    "an id is never used twice",
  );
}

async function refuses({ acme }: TestServer): Promise<void> {
  const wrong = ["users.raed", "users.write:managed", "learn:all", "users.read:all:all", "constructor", ""];
  const refused = await acme.post(roles, { name: "Odd", privileges: ["users.read", ...wrong] });
  assert.equal(refused.status, 422);
  assert.deepEqual(
    refused.body.errors.map(({ field }: { field: string }) => field),
    wrong.map((_, index) => `privileges[${index + 1}]`),
  );
  for (const name of ["coach", "Admin", "", " x"]) {
    const { status, body } = await acme.post(roles, { name, privileges: [] });
    assert.deepEqual([status, body.errors[0].field], [422, "name"], name);
  }
  for (const method of ["PATCH", "DELETE"] as const) {
    const payload = method === "PATCH" && { name: "x" };
    assert.equal(
      (await acme.request({ method, url: `${roles}/42`, ...(payload && { payload }) })).status,
      409,
    );
    assert.equal(
      (await acme.request({ method, url: `${roles}/999`, ...(payload && { payload }) })).status,
      404,
    );
  }
}

async function staysBelow(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const helper = await acme.post(roles, {
    name: "Helper",
    privileges: ["users.read", "users.write", "users.erase", "roles.write", "api_keys.write"],
  });
  const person = await signIn(lectern, acme, { role_id: helper.body.id });
  const { id: admin } = await addUser(acme, "Boss", { role: "admin" });
  const { id: peer } = await addUser(acme, "Peer", { role: undefined, role_id: helper.body.id });
  const user = { name: "Me Again", email: "again@example.com" };
  for (const [request, lacking] of [
    [() => person.post("/api/v2/users", { ...user, role_id: 42 }), "audit.read"],
    [() => person.patch(`/api/v2/users/${person.user_id}`, { role_id: 42 }), "audit.read"],
    [() => person.patch(`/api/v2/users/${admin}`, { email: "mine@example.com" }), "audit.read"],
    [() => person.post(`/api/v2/users/${admin}/archive`), "audit.read"],
    [() => person.delete(`/api/v2/users/${admin}`), "audit.read"],
    [() => person.post(`/api/v2/users/${admin}/anonymize`), "audit.read"],
    [() => person.post(roles, { name: "More", privileges: ["audit.read"] }), "audit.read"],
    [() => person.patch(`${roles}/${helper.body.id}`, { privileges: ["audit.read"] }), "audit.read"],
    [() => person.post(keys, { name: "More", privileges: ["audit.read"] }), "audit.read"],
    [() => person.post(keys, { name: "All", privileges: null }), "audit.read"],
  ] as const) {
    const { status, body } = await request();
    assert.equal(status, 403, JSON.stringify(body));
    assert.match(body.detail, new RegExp(`^Nobody can give what they lack themselves: .*${lacking}`));
  }
  assert.equal((await person.patch(`/api/v2/users/${peer}`, { job_title: "x" })).status, 200);
  assert.equal((await person.post(`/api/v2/users/${peer}/anonymize`)).status, 200);
  assert.equal((await person.post(roles, { name: "Less", privileges: ["users.read:managed"] })).status, 201);
}

test("keys", async (t) => {
  let now = Date.parse("2030-01-01T00:00:00Z");
  await using lectern = await startServer({ clock: () => new Date(now) });
  const { acme } = lectern;
  const keyOf = (key: string) => new Client(lectern.app, acme.company, key);
  const admin = await signIn(lectern, acme, { role: "admin" });
  await t.test("a key may do what it was made for, in version 1 too", async () => {
    const made = await admin.post(keys, { name: " Directory ", privileges: ["users.read"] });
    assert.equal(made.status, 201);
    const { key, ...item } = made.body;
    assert.deepEqual(item, {
      ...{ id: item.id, name: "Directory", prefix: key.slice(0, 12), privileges: ["users.read"] },
      ...{ made_by_user_id: admin.user_id, created_at: item.created_at, expires_at: null },
      ...{ last_used_at: null, revoked_at: null },
    });
    const directory = keyOf(key);
    assert.equal((await directory.get("/api/v1/users")).status, 200);
    const refused = await directory.get("/api/v1/lessons");
    assert.deepEqual([refused.status, refused.body.error], [403, "Forbidden"]);
    assert.equal(refused.body.message, "This needs the privilege content.read: ask an administrator for it");
    assert.equal(
      (await directory.post("/api/v1/users", { name: "A", email: "a@example.com", role_id: 32 })).status,
      403,
    );
    assert.equal((await directory.get("/api/v2/users")).status, 200);
    await acme.put(`/api/v1/users/${admin.user_id}/archive`);
    assert.equal(
      (await keyOf(key).get("/api/v2/users")).status,
      200,
      "a key is the company's, not its maker's",
    );
    await acme.put(`/api/v1/users/${admin.user_id}/restore`);
    assert.deepEqual((await acme.delete(`${keys}/${item.id}`)).body, { id: item.id });
    assert.equal((await acme.delete(`${keys}/${item.id}`)).status, 404);
    const { body } = await acme.get(`${keys}?filter[revoked]=true`);
    assert.deepEqual(
      [body.data.length, body.data[0].id, typeof body.data[0].revoked_at],
      [1, item.id, "string"],
    );
    assert.doesNotMatch(JSON.stringify(body), new RegExp(key));
  });
  await t.test("a key that may write users writes those who may no more than it, in version 1 too", () =>
    writesLearners(acme, keyOf),
  );
  await t.test("a key ends when it expires", async () => {
    const made = await acme.post(keys, {
      name: "Short",
      privileges: null,
      expires_at: "2030-01-02T00:00:00Z",
    });
    const { key, expires_at } = made.body;
    assert.equal(expires_at, "2030-01-02T00:00:00Z");
    assert.equal((await keyOf(key).get("/api/v2/users")).status, 200);
    now = Date.parse("2030-01-02T00:00:00Z");
    // Another way to show it, as what is known of the first is believed for half a second.
    const bearer = { authorization: `Bearer ${key}` };
    const { statusCode } = await lectern.app.inject({ url: "/api/v2/users", headers: bearer });
    assert.equal(statusCode, 401);
  });
  await t.test("a key has no end in the past, and nothing that is a person's", async () => {
    const past = await acme.post(keys, { name: "Late", privileges: [], expires_at: "2029-12-31" });
    assert.deepEqual(
      [past.status, past.body.errors?.[0].field],
      [422, "expires_at"],
      JSON.stringify(past.body),
    );
    const own = await acme.post(keys, {
      name: "Own",
      privileges: ["users.read", "lessons.write:own", "learn"],
    });
    assert.deepEqual(
      own.body.errors.map(({ field }: { field: string }) => field),
      ["privileges[1]", "privileges[2]"],
    );
  });
});

/** What a script that keeps a directory needs. No key can have `learn`, which every built-in role has. */
async function writesLearners(acme: Client, keyOf: (key: string) => Client): Promise<void> {
  const privileges = ["users.read", "users.write", "users.erase"];
  const { body: made } = await acme.post(keys, { name: "Directory", privileges });
  const directory = keyOf(made.key);
  const user = { name: "Linus", email: "linus@example.com", role_id: 32, send_invitation: false };
  const { status, body } = await directory.post("/api/v1/users", user);
  assert.equal(status, 201, JSON.stringify(body));
  const linus = `/api/v1/users/${body.id}`;
  assert.equal((await directory.put(linus, { job_title: "Engineer" })).body.job_title, "Engineer");
  const inVersion2 = { method: "PATCH", url: `/api/v2/users/${body.id}` } as const;
  assert.equal((await directory.request({ ...inVersion2, payload: { location: "Oslo" } })).status, 200);
  assert.equal((await directory.put(`${linus}/archive`)).status, 200);
  assert.equal((await directory.put(`${linus}/restore`)).status, 200);
  const { id: admin } = await addUser(acme, "Boss", { role: "admin" });
  for (const refused of [
    await directory.put(linus, { role_id: 36 }),
    await directory.put(linus, { role_id: 42 }),
    await directory.put(`/api/v1/users/${admin}`, { email: "mine@example.com" }),
    await directory.put(`/api/v1/users/${admin}/archive`),
    await directory.delete(`/api/v1/users/${admin}`),
  ]) {
    assert.equal(refused.status, 403);
    assert.match(refused.body.message, /^Nobody can give what they lack themselves: (?!.*learn)/);
  }
  assert.equal((await directory.delete(linus)).status, 200);
}
