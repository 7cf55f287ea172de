import assert from "node:assert/strict";
import { test } from "node:test";
import { addGroup, addUser, summaryOf } from "../test/people.ts";
import { type Client, startServer } from "../test/server.ts";

test("people are added to a group and removed from it; who is not named stays", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const [grace, alan, mary] = await addThree(acme);
  const made = await addGroup(acme, "Sales", { members: [{ id: grace.id }, { id: alan.id }] });
  const changed = await acme.put("/api/v1/groups/1", {
    members: [{ id: mary.id }, { id: grace.id, remove: true }],
    managers: [{ id: grace.id, remove: false }],
  });
  assert.equal(changed.status, 200);
  assert.deepEqual(changed.body, {
    ...made,
    type: "update_group",
    members: [summaryOf(mary), summaryOf(alan)],
    managers: [summaryOf(grace)],
  });
  assert.deepEqual((await acme.get("/api/v1/groups/1")).body, { ...changed.body, type: "group" });
});

test("`remove` may be a text, and removing who is not there changes nothing", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const [grace, alan] = await addThree(acme);
  await addGroup(acme, "Sales", { members: [{ id: grace.id }], managers: [{ id: grace.id }] });
  const removed = await acme.put("/api/v1/groups/1", {
    members: [
      { id: String(grace.id), remove: "true" },
      { id: alan.id, remove: "true" },
    ],
    managers: [{ id: grace.id, remove: "false" }],
  });
  assert.equal(removed.status, 200);
  assert.deepEqual(removed.body.members, []);
  assert.deepEqual(removed.body.managers, [summaryOf(grace)]);
  const form = await acme.request({
    method: "PUT",
    url: "/api/v1/groups/1",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: `members[0][id]=${alan.id}&managers[][id]=${grace.id}&managers[][remove]=true&name=Sales+%26+more`,
  });
  assert.equal(form.status, 200);
  assert.equal(form.body.name, "Sales & more");
  assert.deepEqual(form.body.members, [summaryOf(alan)]);
  assert.deepEqual(form.body.managers, []);
});

test("the same person twice counts once", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const [grace, alan] = await addThree(acme);
  const group = await addGroup(acme, "Sales", {
    members: [{ id: grace.id }, { id: grace.id }, { id: alan.id }, { id: grace.id }],
    managers: [{ id: grace.id }],
  });
  assert.deepEqual(group.members, [summaryOf(alan), summaryOf(grace)]);
  assert.deepEqual(group.managers, [summaryOf(grace)]);
  const removed = await acme.put("/api/v1/groups/1", {
    members: [
      { id: alan.id, remove: true },
      { id: alan.id, remove: true },
    ],
  });
  assert.deepEqual(removed.body.members, [summaryOf(grace)]);
});

test("nobody is both added and removed: the second element is named", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const [grace, alan] = await addThree(acme);
  const before = await addGroup(acme, "Sales", { members: [{ id: grace.id }] });
  const refused = await acme.put("/api/v1/groups/1", {
    name: "Support",
    members: [
      { id: alan.id },
      { id: grace.id, remove: true },
      { id: alan.id, remove: true },
      { id: grace.id },
    ],
  });
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body, {
    type: "error",
    status: 400,
    error: "Malformed Request",
    message: "members[2].id is added and removed at once; members[3].id is added and removed at once",
    errors: [
      { field: "members[2].id", message: "is added and removed at once" },
      { field: "members[3].id", message: "is added and removed at once" },
    ],
    request_id: refused.headers["x-request-id"],
  });
  assert.deepEqual((await acme.get("/api/v1/groups/1")).body, { ...before, type: "group" });
});

test("unknown people and those of another company are named by index, and nothing changes", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  const [grace] = await addThree(acme);
  const [, , , theirs] = [...(await addThree(globex)), await addUser(globex, "Otto Other")];
  await acme.delete("/api/v1/users/4");
  const before = await addGroup(acme, "Sales");
  const body = {
    name: "Support",
    members: [{ id: grace.id }, { id: 4 }, { id: theirs.id, remove: true }],
    managers: [{ id: 1e30 }, { id: "99999999999999999999" }, { id: 9_007_199_254_740_991 }],
  };
  const wrong = ["members[1].id", "members[2].id", "managers[0].id", "managers[1].id", "managers[2].id"];
  const errors = wrong.map((field) => ({ field, message: "names no user of this company" }));
  for (const refused of [await acme.put("/api/v1/groups/1", body), await acme.post("/api/v1/groups", body)]) {
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, errors);
  }
  assert.deepEqual((await acme.get("/api/v1/groups/1")).body, { ...before, type: "group" });
  assert.equal((await acme.get("/api/v1/groups")).body.groups.length, 1);
});

test("elements that are no ids are refused, each by its name", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await addGroup(acme, "Sales");
  const refused = await acme.put("/api/v1/groups/1", {
    members: [
      { id: 0 },
      { id: -1 },
      { id: 1.5 },
      { id: "x" },
      { id: null },
      {},
      1,
      null,
      [],
      { id: 1, remove: "yes" },
    ],
    managers: { id: 1 },
  });
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body.errors, [
    { field: "members[0].id", message: "must be a positive integer" },
    { field: "members[1].id", message: "must be a positive integer" },
    { field: "members[2].id", message: "must be an integer" },
    { field: "members[3].id", message: "must be an integer" },
    { field: "members[4].id", message: "must be an integer" },
    { field: "members[5].id", message: "is required" },
    { field: "members[6]", message: "must be an object" },
    { field: "members[7]", message: "must be an object" },
    { field: "members[8]", message: "must be an object" },
    { field: "members[9].remove", message: "must be a boolean" },
    { field: "managers", message: "must be an array" },
  ]);
});

test("an archived user joins no group, but may be echoed, and leaves one", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const [grace, alan, mary] = await addThree(acme);
  await addGroup(acme, "Sales", { members: [{ id: grace.id }] });
  const { body: archived } = await acme.put(`/api/v1/users/${grace.id}/archive`);
  await acme.put(`/api/v1/users/${alan.id}/archive`);
  const echoed = await acme.put("/api/v1/groups/1", {
    members: [{ id: grace.id }, { id: mary.id }, { id: alan.id, remove: true }],
  });
  assert.equal(echoed.status, 200);
  assert.deepEqual(echoed.body.members, [summaryOf(mary), summaryOf(archived)]);
  const refused = await acme.put("/api/v1/groups/1", {
    members: [{ id: grace.id, remove: true }],
    managers: [{ id: alan.id }],
  });
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body.errors, [
    { field: "managers[0].id", message: "names an archived user: restore it first" },
  ]);
  assert.deepEqual((await acme.get("/api/v1/groups/1")).body, { ...echoed.body, type: "group" });
  const left = await acme.put("/api/v1/groups/1", { members: [{ id: grace.id, remove: "true" }] });
  assert.deepEqual([left.status, left.body.members], [200, [summaryOf(mary)]]);
});

test("a user's groups are shown and changed, the newest group first", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const [grace] = await addThree(acme);
  for (const name of ["Sales", "Support", "Marketing"]) await addGroup(acme, name);
  const url = `/api/v1/users/${grace.id}/groups`;
  assert.deepEqual((await acme.get(url)).body, { type: "user_groups", memberships: [], managing: [] });
  const changed = await acme.put(url, {
    memberships: [{ id: 1, name: "ignored" }, { id: 3 }, { id: 1 }],
    managing: [{ id: 2 }, { id: "3" }],
  });
  assert.equal(changed.status, 200);
  assert.deepEqual(changed.body, {
    type: "update_user_groups",
    memberships: [
      { id: 3, name: "Marketing" },
      { id: 1, name: "Sales" },
    ],
    managing: [
      { id: 3, name: "Marketing" },
      { id: 2, name: "Support" },
    ],
  });
  const removed = await acme.put(url, {
    memberships: [
      { id: 3, remove: "true" },
      { id: 2, remove: true },
    ],
  });
  assert.deepEqual(removed.body, { ...changed.body, memberships: [{ id: 1, name: "Sales" }] });
  assert.deepEqual((await acme.get(url)).body, { ...removed.body, type: "user_groups" });
  assert.deepEqual((await acme.put(url, {})).body, removed.body);
  assert.deepEqual((await acme.get(`/api/v1.1/users?filter[email]=${grace.email}`)).body.users[0].groups, {
    member: removed.body.memberships,
    manager: removed.body.managing,
  });
  assert.deepEqual((await acme.get("/api/v1/groups/1")).body.members, [summaryOf(grace)]);
});

test("groups that are unknown, another company's or archived are named, and nothing changes", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  for (const name of ["Sales", "Support", "Marketing"]) await addGroup(acme, name, { managers: [{ id: 1 }] });
  for (const name of ["A", "B", "C", "D"]) await addGroup(globex, name);
  await acme.put("/api/v1/groups/2/archive");
  await acme.put("/api/v1/groups/3/archive");
  const { body: before } = await acme.get("/api/v1/users/1/groups");
  const refused = await acme.put("/api/v1/users/1/groups", {
    memberships: [{ id: 1 }, { id: 4 }, { id: 2 }, { id: 2, remove: "true" }],
    managing: [{ id: 2 }, { id: 3, remove: "true" }, { id: 99, remove: "true" }],
  });
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body.errors, [
    { field: "memberships[1].id", message: "names no group of this company" },
    { field: "memberships[2].id", message: "names an archived group: restore it first" },
    { field: "memberships[3].id", message: "is added and removed at once" },
    { field: "managing[1].id", message: "names an archived group: restore it first" },
    { field: "managing[2].id", message: "names no group of this company" },
  ]);
  assert.deepEqual((await acme.get("/api/v1/users/1/groups")).body, before);
  assert.deepEqual((await globex.get("/api/v1/groups/4")).body.members, []);
});

test("the groups of an archived user can be seen but not changed", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const [grace] = await addThree(acme);
  await addGroup(acme, "Sales", { members: [{ id: grace.id }] });
  await acme.put(`/api/v1/users/${grace.id}/archive`);
  const refused = await acme.put(`/api/v1/users/${grace.id}/groups`, { memberships: [{ id: 1 }] });
  assert.equal(refused.status, 400);
  assert.equal(refused.body.message, "This user is archived: restore it first");
  assert.deepEqual((await acme.get(`/api/v1/users/${grace.id}/groups`)).body, {
    type: "user_groups",
    memberships: [{ id: 1, name: "Sales" }],
    managing: [],
  });
  for (const url of ["/api/v1/users/99/groups", "/api/v1.1/users/99/groups"]) {
    assert.equal((await acme.get(url)).body.message, "User not found");
    assert.equal((await acme.put(url, {})).body.message, "User not found");
  }
});

test("the audit keeps who was really added and removed", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  for (const name of ["Sales", "Support", "Marketing"]) await addGroup(acme, name, { members: [{ id: 1 }] });
  await acme.put("/api/v1/users/1/groups", {
    memberships: [{ id: 1 }, { id: 2, remove: "true" }],
    managing: [{ id: 3 }, { id: 1, remove: true }],
  });
  await acme.put("/api/v1/users/1/groups", { managing: [{ id: 9 }] });
  const rows = await lectern.database.read(acme.company, (tx) =>
    tx.sql
      .selectFrom("audit_log")
      .select(["resource_type", "resource_id", "before", "after"])
      .where("company_id", "=", tx.company.id)
      .where("action", "=", "update_user_groups")
      .execute(),
  );
  assert.deepEqual(rows, [
    {
      resource_type: "user",
      resource_id: 1,
      before: null,
      after: { memberships: { added: [], removed: [2] }, managing: { added: [3], removed: [] } },
    },
  ]);
});

async function addThree(client: Client) {
  return [
    await addUser(client, "Grace Hopper"),
    await addUser(client, "Alan Turing"),
    await addUser(client, "Mary Shelley"),
  ] as const;
}
