import assert from "node:assert/strict";
import { test } from "node:test";
import { addGroup, addUser, summaryOf } from "../test/people.ts";
import { startServer } from "../test/server.ts";

test("a group is made with its members and managers, the newest users first", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace Hopper");
  const alan = await addUser(acme, "Alan Turing");
  const mary = await addUser(acme, "Mary Manager", { role: "manager" });
  const made = await acme.post("/api/v1/groups", {
    name: "  Sales, north\t",
    members: [{ id: grace.id }, { id: alan.id }],
    managers: [{ id: mary.id }],
  });
  assert.equal(made.status, 201);
  assert.deepEqual(made.body, {
    id: 1,
    type: "create_group",
    resource_type: "group",
    name: "Sales, north",
    archived_at: null,
    archived_by_user_id: null,
    members: [summaryOf(alan), summaryOf(grace)],
    managers: [summaryOf(mary)],
  });
  const shown = await acme.get("/api/v1/groups/1");
  assert.equal(shown.status, 200);
  assert.deepEqual(shown.body, { ...made.body, type: "group" });
});

test("groups are listed whole, the newest first, without their people", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  assert.deepEqual((await acme.get("/api/v1/groups")).body, { type: "groups", groups: [] });
  await addGroup(acme, "Sales", { members: [{ id: 1 }] });
  await addGroup(acme, "Sales");
  await addGroup(globex, "Support");
  const { status, body } = await acme.get("/api/v1/groups");
  assert.equal(status, 200);
  assert.deepEqual(body, {
    type: "groups",
    groups: [
      { id: 2, name: "Sales", archived_at: null, archived_by_user_id: null },
      { id: 1, name: "Sales", archived_at: null, archived_by_user_id: null },
    ],
  });
});

test("a group's name is needed, and can't be empty", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const cases = [
    [undefined, "is required"],
    ["", "can't be empty; spaces around it are cut off"],
    [" \n\t ", "can't be empty; spaces around it are cut off"],
    ["x".repeat(256), "can have at most 255 characters"],
    [5, "must be a string"],
    [null, "must be a string"],
    ["a\0b", "holds a character that no text has (NUL or half of a pair)"],
  ] as const;
  for (const [name, message] of cases) {
    const refused = await acme.post("/api/v1/groups", { name });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [{ field: "name", message }]);
  }
  assert.deepEqual((await acme.get("/api/v1/groups")).body.groups, []);
  const longest = "é".repeat(255);
  assert.equal((await addGroup(acme, longest)).name, longest);
  assert.equal((await addGroup(acme, "<b>'; drop table groups; --")).name, "<b>'; drop table groups; --");
});

test("an update changes what it names and nothing else", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace Hopper");
  const made = await addGroup(acme, "Sales", { members: [{ id: grace.id }] });
  const nothing = await acme.put("/api/v1/groups/1", {});
  assert.equal(nothing.status, 200);
  assert.deepEqual(nothing.body, { ...made, type: "update_group" });
  const renamed = await acme.put("/api/v1/groups/1", { name: " Sales, south " });
  assert.deepEqual(renamed.body, { ...made, type: "update_group", name: "Sales, south" });
  const refused = await acme.put("/api/v1/groups/1", { name: " " });
  assert.equal(refused.status, 400);
  assert.equal((await acme.get("/api/v1/groups/1")).body.name, "Sales, south");
});

test("a whole group can be sent back as it came", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace Hopper");
  await addGroup(acme, "Sales", { members: [{ id: grace.id }], managers: [{ id: 1 }] });
  const { body } = await acme.get("/api/v1/groups/1");
  const updated = await acme.put("/api/v1/groups/1", body);
  assert.equal(updated.status, 200);
  assert.deepEqual(updated.body, { ...body, type: "update_group" });
  const copied = await acme.post("/api/v1/groups", body);
  assert.equal(copied.status, 201);
  assert.deepEqual(copied.body, { ...body, id: 2, type: "create_group" });
});

test("a group is archived and restored, each as often as one likes", async () => {
  await using lectern = await startServer();
  const acme = await lectern.addCompany({ subdomain: "initech", time_zone: "America/New_York" });
  const made = await addGroup(acme, "Sales", { members: [{ id: 1 }] });
  const archived = await acme.put("/api/v1/groups/1/archive");
  assert.equal(archived.status, 200);
  assert.match(archived.body.archived_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-0[45]:00$/);
  const { archived_at } = archived.body;
  assert.deepEqual(archived.body, { ...made, type: "group", archived_at });
  assert.deepEqual((await acme.put("/api/v1/groups/1/archive")).body, archived.body);
  assert.deepEqual((await acme.get("/api/v1/groups/1")).body, archived.body);
  assert.deepEqual((await acme.get("/api/v1/groups")).body.groups, [
    { id: 1, name: "Sales", archived_at, archived_by_user_id: null },
  ]);
  const restored = await acme.put("/api/v1/groups/1/restore");
  assert.equal(restored.status, 200);
  assert.deepEqual(restored.body, { ...made, type: "group" });
  assert.deepEqual((await acme.put("/api/v1/groups/1/restore")).body, restored.body);
});

test("an archived group has to be restored before it is updated", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await addGroup(acme, "Sales");
  const { body: archived } = await acme.put("/api/v1/groups/1/archive");
  const refused = await acme.put("/api/v1/groups/1", { name: "Support" });
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body, {
    type: "error",
    status: 400,
    error: "Malformed Request",
    message: "This group is archived: restore it first",
    errors: [],
    request_id: refused.headers["x-request-id"],
  });
  assert.deepEqual((await acme.get("/api/v1/groups/1")).body, archived);
});

test("who archived a group is the person who made the key", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await lectern.make.write(acme, (tx) =>
    tx.sql
      .updateTable("api_keys")
      .set({ made_by_user_id: 1 })
      .where("company_id", "=", tx.company.id)
      .execute(),
  );
  await addGroup(acme, "Sales");
  assert.equal((await acme.put("/api/v1/groups/1/archive")).body.archived_by_user_id, 1);
});

test("a deleted group is gone with its memberships, and its id is never used again", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await addGroup(acme, "Sales", { members: [{ id: 1 }], managers: [{ id: 1 }] });
  await addGroup(acme, "Support", { members: [{ id: 1 }] });
  const { archived_at } = (await acme.put("/api/v1/groups/2/archive")).body;
  const deleted = await acme.delete("/api/v1/groups/2");
  assert.equal(deleted.status, 200);
  assert.deepEqual(deleted.body, {
    type: "delete_group",
    id: "2",
    name: "Support",
    archived_at,
    archived_by_user_id: null,
  });
  assert.deepEqual((await acme.delete("/api/v1/groups/1")).body, {
    type: "delete_group",
    id: "1",
    name: "Sales",
    archived_at: null,
    archived_by_user_id: null,
  });
  for (const id of [1, 2]) {
    assert.equal((await acme.get(`/api/v1/groups/${id}`)).status, 404);
    assert.equal((await acme.delete(`/api/v1/groups/${id}`)).status, 404);
  }
  assert.deepEqual((await acme.get("/api/v1/users/1/groups")).body, {
    type: "user_groups",
    memberships: [],
    managing: [],
  });
  assert.equal((await addGroup(acme, "Marketing")).id, 3);
});

test("what a group is assigned is listed by id, archived content too", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await addGroup(acme, "Support");
  await addGroup(acme, "Sales");
  assert.deepEqual((await acme.get("/api/v1/groups/2/assignments")).body, []);
  const lesson = await make.lesson(acme, { archived_at: "2026-01-01T00:00:00Z" });
  const path = await make.path(acme);
  const course = await make.course(acme);
  await make.groupAssignment(acme, 2, { type: "Lesson", id: lesson });
  await make.groupAssignment(acme, 1, { type: "Lesson", id: lesson });
  await make.groupAssignment(acme, 2, { type: "LearningPaths::Path", id: path });
  await make.groupAssignment(acme, 2, { type: "Course", id: course });
  const { status, body } = await acme.get("/api/v1/groups/2/assignments");
  assert.equal(status, 200);
  assert.deepEqual(body, [
    { id: 1, assignable_id: lesson, assignable_type: "Lesson", group_id: 2 },
    { id: 3, assignable_id: path, assignable_type: "LearningPaths::Path", group_id: 2 },
    { id: 4, assignable_id: course, assignable_type: "Course", group_id: 2 },
  ]);
  assert.equal((await acme.get("/api/v1/groups/3/assignments")).status, 404);
  assert.equal((await acme.delete("/api/v1/groups/2")).status, 200);
  assert.equal((await acme.get("/api/v1/groups/2/assignments")).status, 404);
  assert.equal((await acme.get("/api/v1/groups/1/assignments")).body.length, 1);
});

test("a group of another company is one that does not exist", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  const theirs = await addGroup(globex, "Support", { members: [{ id: 1 }] });
  const requests = [
    ["GET", "/api/v1/groups/1"],
    ["PUT", "/api/v1/groups/1"],
    ["PUT", "/api/v1/groups/1/archive"],
    ["PUT", "/api/v1/groups/1/restore"],
    ["DELETE", "/api/v1/groups/1"],
    ["GET", "/api/v1/groups/1/assignments"],
  ] as const;
  for (const [method, url] of requests) {
    const answer = await acme.request({ method, url });
    assert.equal(answer.status, 404);
    assert.deepEqual(answer.body, {
      type: "error",
      status: 404,
      error: "Not Found",
      message: "Group not found",
      request_id: answer.headers["x-request-id"],
    });
  }
  assert.deepEqual((await globex.get("/api/v1/groups/1")).body, { ...theirs, type: "group" });
});

test("each write leaves one row in the audit, and a refused one none", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace Hopper");
  await addGroup(acme, "Sales", { members: [{ id: 1 }], managers: [{ id: 1 }] });
  await acme.put("/api/v1/groups/1", {
    name: "Sales, north",
    members: [{ id: grace.id }, { id: 1, remove: "true" }],
    managers: [{ id: 1 }],
  });
  await acme.put("/api/v1/groups/1", { members: [{ id: 99 }] });
  await acme.put("/api/v1/groups/1/archive");
  await acme.put("/api/v1/groups/1/archive");
  await acme.put("/api/v1/groups/1/restore");
  await acme.delete("/api/v1/groups/1");
  const rows = await lectern.database.read(acme.company, (tx) =>
    tx.sql
      .selectFrom("audit_log")
      .select(["action", "actor_type", "resource_id", "before", "after"])
      .where("company_id", "=", tx.company.id)
      .where("resource_type", "=", "group")
      .orderBy("at")
      .execute(),
  );
  const row = { actor_type: "api_key", resource_id: 1, before: null, after: null };
  assert.deepEqual(rows, [
    { ...row, action: "create_group", after: { name: "Sales", members: [1], managers: [1] } },
    {
      ...row,
      action: "update_group",
      before: { name: "Sales" },
      after: {
        name: "Sales, north",
        members: { added: [grace.id], removed: [1] },
        managers: { added: [], removed: [] },
      },
    },
    { ...row, action: "archive_group" },
    { ...row, action: "restore_group" },
    {
      ...row,
      action: "delete_group",
      before: { name: "Sales, north", members: [grace.id], managers: [1], assigned: [] },
    },
  ]);
});

test("the total of groups follows what is made and deleted", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await addGroup(acme, "Sales");
  await addGroup(acme, "Support");
  const lesson = await make.lesson(acme);
  await make.groupAssignment(acme, 1, { type: "Lesson", id: lesson });
  await acme.delete("/api/v1/groups/1");
  const counters = await lectern.database.read(acme.company, (tx) =>
    tx.sql
      .selectFrom("counters")
      .select(["kind", "last_id", "total"])
      .where("company_id", "=", tx.company.id)
      .where("kind", "in", ["groups", "group_assignments"])
      .orderBy("kind")
      .execute(),
  );
  assert.deepEqual(counters, [
    { kind: "group_assignments", last_id: 1, total: 0 },
    { kind: "groups", last_id: 2, total: 1 },
  ]);
});
