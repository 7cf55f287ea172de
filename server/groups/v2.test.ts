import assert from "node:assert/strict";
import { test } from "node:test";
import { addGroup, addUser, summaryOf } from "../test/people.ts";
import { signIn } from "../test/person.ts";
import { startServer } from "../test/server.ts";

test("a group is made, changed by who has seen it last, archived, restored and deleted", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const made = await acme.post("/api/v2/groups", { name: " Sales " });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { created_at } = made.body;
  const group = { id: 1, name: "Sales", rule: null, rule_error: null, created_at, archived_at: null };
  assert.deepEqual(made.body, group);
  const shown = await acme.get("/api/v2/groups/1");
  const change = (payload: object, etag: unknown) =>
    acme.request({
      method: "PATCH",
      url: "/api/v2/groups/1",
      payload,
      headers: { "if-match": String(etag) },
    });
  const changed = await change({ name: "Support" }, shown.headers["etag"]);
  assert.deepEqual(changed.body, { ...group, name: "Support" });
  const late = await change({ name: "Mine" }, shown.headers["etag"]);
  assert.equal(late.status, 412);
  assert.deepEqual([late.body.current.name, late.body.yours.name], ["Support", "Mine"]);
  assert.equal(changed.headers["etag"], (await acme.get("/api/v2/groups/1")).headers["etag"]);
  await addGroup(acme, "100%");
  const found = await acme.get("/api/v2/groups?filter[q]=0%25&filter[archived]=false");
  assert.deepEqual(
    found.body.data.map(({ name }: { name: string }) => name),
    ["100%"],
  );
  const first = await acme.get("/api/v2/groups?limit=1");
  const second = await acme.get(`/api/v2/groups?limit=1&cursor=${first.body.next}`);
  assert.deepEqual([first.body.data[0].id, second.body.data[0].id, second.body.next], [1, 2, null]);
  assert.notEqual((await acme.post("/api/v2/groups/1/archive")).body.archived_at, null);
  assert.equal((await change({ name: "X" }, "*")).status, 409);
  assert.equal((await acme.put("/api/v2/groups/1/members/1")).status, 409);
  assert.deepEqual((await acme.post("/api/v2/groups/1/restore")).body, { ...group, name: "Support" });
  assert.deepEqual((await acme.delete("/api/v2/groups/1")).body, { id: 1 });
  assert.equal((await acme.get("/api/v2/groups/1")).status, 404);
});

test("a manager sees the groups they manage, and assigns to them alone", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace Hopper");
  const alan = await addUser(acme, "Alan Turing");
  const lesson = await lectern.make.lesson(acme);
  const mary = await signIn(lectern, acme, { role: "manager", name: "Mary" });
  await addGroup(acme, "Theirs", { members: [{ id: grace.id }] });
  await addGroup(acme, "Mary's", { members: [{ id: grace.id }] });
  const put = await acme.put(`/api/v2/groups/2/managers/${mary.user_id}`);
  assert.deepEqual(put.body, { group_id: 2, user_id: mary.user_id, role: "manager" });
  const seen = await mary.get("/api/v2/groups");
  assert.deepEqual(
    seen.body.data.map(({ name }: { name: string }) => name),
    ["Mary's"],
  );
  assert.equal((await mary.get("/api/v2/groups/1")).status, 404);
  assert.equal((await mary.get("/api/v2/groups/1/members")).status, 404);
  const members = await mary.get("/api/v2/groups/2/members");
  assert.deepEqual(members.body, { data: [{ user: summaryOf(grace), by_rule: false }], next: null });
  assert.equal((await mary.put(`/api/v2/groups/2/members/${alan.id}`)).status, 403);
  const thing = { assignable_type: "Lesson", assignable_id: lesson };
  assert.equal((await mary.post("/api/v2/groups/1/assignments", thing)).status, 404);
  const both = await mary.post("/api/v2/groups/2/assignments", {
    ...thing,
    due_days: 1,
    due_by: "2099-01-01",
  });
  assert.equal(both.status, 422);
  const assigned = await mary.post("/api/v2/groups/2/assignments", { ...thing, due_by: "2099-01-01" });
  const given = { id: 1, group_id: 2, ...thing, due_days: null, due_by: "2099-01-01T00:00:00Z" };
  assert.deepEqual(assigned.body, given);
  assert.equal((await mary.post("/api/v2/groups/2/assignments", thing)).status, 409);
  await acme.put(`/api/v2/groups/2/members/${alan.id}`);
  for (const { id } of [grace, alan]) {
    const { body } = await acme.get(`/api/v1/users/${id}/assignments`);
    assert.deepEqual(
      body.assignments.map(({ due_by }: { due_by: string }) => due_by),
      ["2099-01-01T00:00:00Z"],
    );
  }
  assert.deepEqual((await mary.get("/api/v2/groups/2/assignments")).body, { data: [given], next: null });
  assert.deepEqual((await mary.delete("/api/v2/groups/2/assignments/1")).body, { id: 1 });
  assert.equal((await mary.delete("/api/v2/groups/2/assignments/1")).status, 404);
  const { body } = await acme.get("/api/v1/groups/2/assignments");
  assert.deepEqual(body, []);
});
