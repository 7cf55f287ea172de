import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser, summaryOf } from "../test/people.ts";
import { startServer } from "../test/server.ts";

const grace = {
  id: 2,
  resource_type: "user",
  name: "Grace Hopper",
  email: "Grace@example.com",
  role: "learner",
  role_id: 32,
  ext_uid: null,
  job_title: null,
  business_unit: null,
  department: null,
  location: null,
  locale: "en",
  hire_date: null,
  manager_name: null,
  archived_at: null,
  archived_by_user_id: null,
  custom_user_field_data: [],
};

test("a user is made with name, e-mail and role; all else is empty", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const body = { name: "Grace Hopper", email: "Grace@example.com", role: "learner" };
  const made = await acme.post("/api/v1/users", body);
  assert.equal(made.status, 201);
  assert.deepEqual(made.body, { ...grace, type: "create_user" });
  const shown = await acme.get("/api/v1/users/2");
  assert.equal(shown.status, 200);
  assert.deepEqual(shown.body, { ...grace, type: "user" });
  assert.equal((await acme.get("/api/v1.1/users/2")).status, 200);
});

test("a user is made with all that there is", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const profile = {
    name: "Grace Hopper",
    email: "Grace@example.com",
    ext_uid: "<b>'; drop table users; --",
    job_title: "Rear admiral 🎓",
    business_unit: "Navy",
    department: "R&D",
    location: "New York",
    locale: "zh-CN",
    hire_date: "1944-02-29",
    manager_name: "Howard Aiken",
  };
  const made = await acme.post("/api/v1/users", {
    ...profile,
    role: "manager",
    role_id: 36,
    notify: "false",
    custom_user_fields: [{ name: "T-shirt", value: "M" }],
    id: 77,
    archived_at: "2026-01-01T00:00:00Z",
    unknown: { deep: [1] },
  });
  assert.equal(made.status, 201);
  assert.deepEqual(made.body, {
    ...grace,
    type: "create_user",
    ...profile,
    role: "manager",
    role_id: 36,
    custom_user_field_data: [{ id: 1, custom_user_field_id: 1, name: "T-shirt", value: "M" }],
  });
  assert.deepEqual((await acme.get("/api/v1/users/2")).body, { ...made.body, type: "user" });
});

test("what is wrong with a new user is told field by field, and nobody is made", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const refused = await acme.post("/api/v1/users", {
    name: "  ",
    email: "nobody",
    role_id: 0,
    ext_uid: 5,
    job_title: "x".repeat(256),
    locale: "zh-cn",
    hire_date: "2026-02-30",
    notify: "perhaps",
    manager_name: "a\u{d800}b",
    custom_user_fields: {},
  });
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body.errors, [
    { field: "manager_name", message: "holds a character that no text has (NUL or half of a pair)" },
    {
      field: "name",
      message: "can't begin with a space, and can't hold any of ! @ # $ % ^ & * + = ( ) | [ ] ; `",
    },
    {
      field: "email",
      message: "must be an address: one @ with something before and after it, and no spaces",
    },
    { field: "role_id", message: "must be a positive integer" },
    { field: "ext_uid", message: "must be a string" },
    { field: "job_title", message: "can have at most 255 characters" },
    { field: "locale", message: "must be one of ar, de, en, es, fr, it, ja, nl, pt, ru, sv, zh-CN" },
    { field: "hire_date", message: "must be a date that exists, written YYYY-MM-DD" },
    { field: "custom_user_fields", message: "must be an array" },
    { field: "notify", message: "must be a boolean" },
  ]);
  assert.equal((await acme.get("/api/v1/users")).body.total_users, 1);
});

test("a name can't hold any of the restricted characters", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  for (const character of "!@#$%^&*+=()|[];`") {
    const refused = await acme.post("/api/v1/users", {
      name: `A${character}`,
      email: "a@b.c",
      role: "learner",
    });
    assert.deepEqual([character, refused.status, refused.body.errors[0]?.field], [character, 400, "name"]);
  }
  const allowed = 'Zoë O\'Brien-Müller, Jr. <x> "y" {z} ~ / \\ ? _ 李';
  assert.equal((await addUser(acme, "Zoe", { name: allowed })).name, allowed);
  assert.equal((await acme.put("/api/v1/users/2", { name: " Zoe" })).status, 400);
  assert.equal((await acme.put("/api/v1/users/2", { name: "" })).body.message, "name can't be empty");
});

test("an e-mail has at most 254 characters", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const longest = `${"x".repeat(242)}@example.com`;
  const refused = await acme.post("/api/v1/users", { name: "A", email: `x${longest}`, role: "learner" });
  assert.deepEqual(refused.body.errors, [{ field: "email", message: "can have at most 254 characters" }]);
  assert.equal((await addUser(acme, "A", { email: longest })).email, longest);
});

test("a role is named by its name or its id, and both have to agree", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.write(acme, (tx) =>
    tx.sql.insertInto("roles").values({ company_id: tx.company.id, id: 100, name: "Coach" }).execute(),
  );
  const names = "must be one of learner, creator, manager, admin; a custom role is named by role_id";
  const cases = [
    [{ role: "learner" }, ["learner", 32]],
    [{ role: "creator" }, ["creator", 34]],
    [{ role: "manager" }, ["manager", 36]],
    [{ role: "admin" }, ["admin", 42]],
    [{ role_id: 36 }, ["manager", 36]],
    [{ role_id: "34" }, ["creator", 34]],
    [{ role: "admin", role_id: 42 }, ["admin", 42]],
    [{ role_id: 100 }, ["Coach", 100]],
    [{ role: "Coach", role_id: 100 }, ["Coach", 100]],
    [{}, { field: "role_id", message: "is required, or role" }],
    [{ role: "Coach" }, { field: "role", message: names }],
    [{ role: "Admin" }, { field: "role", message: names }],
    [{ role: "" }, { field: "role", message: names }],
    [{ role_id: 33 }, { field: "role_id", message: "names no role of this company" }],
    [{ role_id: 1e25 }, { field: "role_id", message: "names no role of this company" }],
    [
      { role: "admin", role_id: 32 },
      { field: "role", message: "is another role than role_id: give one of the two" },
    ],
  ] as const;
  for (const [index, [given, expected]] of cases.entries()) {
    const { status, body } = await acme.post("/api/v1/users", { name: "A", email: `${index}@b.c`, ...given });
    const outcome = status === 201 ? [body.role, body.role_id] : body.errors;
    assert.deepEqual(outcome, Array.isArray(expected) ? expected : [expected], JSON.stringify(given));
  }
  await acme.put("/api/v1/users/1", { role_id: 100 });
  const { body: coach } = await acme.get("/api/v1/users/1");
  assert.deepEqual((await acme.put("/api/v1/users/1", coach)).body, { ...coach, type: "update_user" });
  assert.equal((await acme.put("/api/v1/users/1", { role: "learner" })).body.role_id, 32);
});

test("an update changes what it names and nothing else; null and an empty text clear", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const made = await addUser(acme, "Grace", {
    ext_uid: "G-1",
    job_title: "Admiral",
    hire_date: "1944-07-01",
  });
  const url = `/api/v1/users/${made.id}`;
  const changed = await acme.put(url, {
    name: "Grace H.",
    email: "GRACE@example.com",
    role: "manager",
    locale: "de",
  });
  assert.equal(changed.status, 200);
  const expected = {
    ...made,
    type: "update_user",
    name: "Grace H.",
    email: "GRACE@example.com",
    role: "manager",
    role_id: 36,
    locale: "de",
  };
  assert.deepEqual(changed.body, expected);
  const cleared = await acme.put(url, { ext_uid: null, job_title: "", hire_date: null, notify: "nonsense" });
  assert.deepEqual(cleared.body, { ...expected, ext_uid: null, job_title: null, hire_date: null });
  assert.deepEqual((await acme.put(url, {})).body, cleared.body);
  assert.deepEqual((await acme.put(url)).body, cleared.body);
  assert.equal((await acme.put(url, { name: null })).status, 400);
  assert.deepEqual((await acme.get(url)).body, { ...cleared.body, type: "user" });
});

test("a whole user can be sent back as it came", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const { id } = await addUser(acme, "Grace", {
    ext_uid: "G-1",
    hire_date: "1944-07-01",
    custom_user_fields: [{ name: "T-shirt", value: "M" }],
  });
  const { body: shown } = await acme.get(`/api/v1/users/${id}`);
  const updated = await acme.put(`/api/v1/users/${id}`, shown);
  assert.equal(updated.status, 200);
  assert.deepEqual(updated.body, { ...shown, type: "update_user" });
  const [listed] = (await acme.get("/api/v1.1/users?filter[ext_uid]=G-1")).body.users;
  assert.deepEqual((await acme.put(`/api/v1/users/${id}`, listed)).body, updated.body);
});

test("e-mail and ext_uid are each person's own, and each company's", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  await addUser(acme, "Grace", { email: "Grace@Example.com", ext_uid: "G-1" });
  const alan = await addUser(acme, "Alan", { ext_uid: "g-1" });
  const taken = { email: "gRACE@eXAMPLE.com", ext_uid: "G-1" };
  const errors = [
    { field: "email", message: "is taken by another user" },
    { field: "ext_uid", message: "is taken by another user" },
  ];
  const made = await acme.post("/api/v1/users", { name: "Twin", role: "learner", ...taken });
  assert.equal(made.status, 400);
  assert.deepEqual(made.body.errors, errors);
  const updated = await acme.put(`/api/v1/users/${alan.id}`, { ...taken, name: "Twin" });
  assert.equal(updated.status, 400);
  assert.deepEqual(updated.body.errors, errors);
  assert.deepEqual((await acme.get(`/api/v1/users/${alan.id}`)).body, { ...alan, type: "user" });
  assert.equal((await acme.put("/api/v1/users/2", taken)).status, 200);
  assert.equal((await globex.post("/api/v1/users", { name: "Twin", role: "learner", ...taken })).status, 201);
});

test("of two identical users at one moment, one is made", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const body = {
    name: "Grace",
    email: "grace@example.com",
    role: "learner",
    custom_user_fields: [{ name: "A", value: "" }],
  };
  const answers = await Promise.all([1, 2, 3, 4].map(() => acme.post("/api/v1/users", body)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 400, 400, 400],
  );
  const { body: list } = await acme.get("/api/v1/users");
  assert.deepEqual([list.total_users, list.users.length], [2, 2]);
});

test("a user is archived and restored, each as often as one likes", async () => {
  await using lectern = await startServer();
  const initech = await lectern.addCompany({ subdomain: "initech", time_zone: "Asia/Kolkata" });
  const made = await addUser(initech, "Grace");
  const archived = await initech.put("/api/v1/users/2/archive");
  assert.equal(archived.status, 200);
  const { archived_at } = archived.body;
  assert.match(archived_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:30$/);
  assert.ok(Math.abs(Date.parse(archived_at) - Date.now()) < 60_000);
  assert.deepEqual(archived.body, { ...made, type: "user", archived_at });
  assert.deepEqual((await initech.put("/api/v1/users/2/archive", {})).body, archived.body);
  const refused = await initech.put("/api/v1/users/2", { name: "Grace" });
  assert.equal(refused.status, 400);
  assert.equal(refused.body.message, "This user is archived: restore it first");
  assert.deepEqual((await initech.get("/api/v1/users/2")).body, archived.body);
  const restored = await initech.put("/api/v1/users/2/restore");
  assert.deepEqual(restored.body, { ...made, type: "user" });
  assert.deepEqual((await initech.put("/api/v1/users/2/restore")).body, restored.body);
  assert.equal((await initech.put("/api/v1/users/2", { name: "Grace" })).status, 200);
});

test("forms do what JSON does", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const payload = new URLSearchParams({
    name: "Grace Hopper",
    email: "Grace@example.com",
    role_id: "32",
    ext_uid: "",
    notify: "true",
    "custom_user_fields[0][name]": "T-shirt",
    "custom_user_fields[0][value]": "true",
  }).toString();
  const made = await acme.request({ method: "POST", url: "/api/v1/users", headers, payload });
  assert.equal(made.status, 201);
  const custom_user_field_data = [{ id: 1, custom_user_field_id: 1, name: "T-shirt", value: "true" }];
  assert.deepEqual(made.body, { ...grace, type: "create_user", custom_user_field_data });
  const changed = await acme.request({
    method: "PUT",
    url: "/api/v1/users/2",
    headers,
    payload: "custom_user_fields[][custom_user_field_id]=1&custom_user_fields[][value]=L&location=K%C3%B6ln",
  });
  assert.equal(changed.status, 200);
  assert.equal(changed.body.location, "Köln");
  assert.equal(changed.body.custom_user_field_data[0].value, "L");
  const archived = await acme.request({
    method: "PUT",
    url: "/api/v1/users/2/archive",
    headers,
    payload: "",
  });
  assert.notEqual(archived.body.archived_at, null);
});

test("a user of another company is one that does not exist", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  const theirs = await addUser(globex, "Otto");
  const requests = [
    ["GET", ""],
    ["PUT", ""],
    ["PUT", "/archive"],
    ["PUT", "/restore"],
    ["DELETE", ""],
    ["GET", "/groups"],
    ["PUT", "/groups"],
    ["GET", "/learning_library_statistics"],
  ] as const;
  for (const [method, rest] of requests) {
    for (const id of [theirs.id, 9_007_199_254_740_992, "99999999999999999999"]) {
      const answer = await acme.request({ method, url: `/api/v1/users/${id}${rest}` });
      assert.deepEqual(answer.body, {
        type: "error",
        status: 404,
        error: "Not Found",
        message: "User not found",
        request_id: answer.headers["x-request-id"],
      });
    }
  }
  assert.deepEqual((await globex.get("/api/v1/users")).body.users[0], summaryOf(theirs));
});

test("each write leaves one row in the audit, and a refused one none", async () => {
  await using lectern = await startServer();
  const { acme, database } = lectern;
  const made = await addUser(acme, "Grace");
  await acme.put("/api/v1/users/2", { job_title: "Admiral" });
  await acme.put("/api/v1/users/2", { role_id: 999 });
  await acme.put("/api/v1/users/2/archive");
  await acme.put("/api/v1/users/2/archive");
  await acme.put("/api/v1/users/2/restore");
  const listDeeds = () =>
    database.read(acme.company, (tx) =>
      tx.sql
        .selectFrom("audit_log")
        .select(["action", "actor_type", "actor_id", "resource_id", "before", "after"])
        .where("company_id", "=", tx.company.id)
        .where("resource_type", "=", "user")
        .orderBy("at")
        .execute(),
    );
  const row = { actor_type: "api_key", actor_id: 1, resource_id: 2, before: null, after: null };
  assert.deepEqual(await listDeeds(), [
    { ...row, action: "create_user", after: made },
    {
      ...row,
      action: "update_user",
      before: { ...made, type: "user" },
      after: { ...made, type: "update_user", job_title: "Admiral" },
    },
    { ...row, action: "archive_user" },
    { ...row, action: "restore_user" },
  ]);
  await acme.delete("/api/v1/users/2");
  assert.deepEqual((await listDeeds()).at(-1), { ...row, action: "delete_user" });
});
