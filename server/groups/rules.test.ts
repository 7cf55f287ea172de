import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser } from "../test/people.ts";
import { type Client, startServer } from "../test/server.ts";

const sales = { match: "all", conditions: [{ field: "department", op: "is", value: "Sales" }] };

test("a rule fills a group, and follows what becomes of people", async () => {
  await using lectern = await startServer({ clock: () => new Date("2026-06-15T12:00:00Z") });
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace Hopper", { department: "sales " });
  const alan = await addUser(acme, "Alan Turing", { department: "Support" });
  const lesson = await lectern.make.lesson(acme);
  const made = await acme.post("/api/v2/groups", { name: " Sales ", rule: sales });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const group = {
    id: 1,
    name: "Sales",
    rule: sales,
    rule_error: null,
    created_at: made.body.created_at,
    archived_at: null,
  };
  assert.deepEqual(made.body, group);
  assert.deepEqual(await memberIds(acme), [grace.id]);
  const assigned = await acme.post("/api/v2/groups/1/assignments", {
    assignable_type: "Lesson",
    assignable_id: lesson,
    due_days: 3,
  });
  assert.equal(assigned.status, 201, JSON.stringify(assigned.body));
  await acme.put(`/api/v1/users/${alan.id}`, { department: "SALES" });
  assert.deepEqual(await memberIds(acme), [grace.id, alan.id]);
  const { body } = await acme.get(`/api/v1/users/${alan.id}/assignments`);
  assert.equal(body.assignments[0].due_by, "2026-06-18T00:00:00Z");
  await acme.put(`/api/v1/users/${grace.id}/archive`);
  assert.deepEqual(await memberIds(acme), [alan.id]);
  await acme.put(`/api/v1/users/${grace.id}/restore`);
  await acme.put(`/api/v1/users/${alan.id}`, { department: null });
  assert.deepEqual(await memberIds(acme), [grace.id]);
  const mary = await addUser(acme, "Mary Jackson", { department: "Sales" });
  assert.deepEqual(await memberIds(acme), [grace.id, mary.id]);
  assert.deepEqual((await acme.get("/api/v2/groups/1")).body, group);
});

test("who was added by hand stays, and who is in by the rule can't be taken out", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace Hopper", { department: "Sales" });
  const alan = await addUser(acme, "Alan Turing");
  await acme.post("/api/v2/groups", { name: "Sales", rule: sales });
  const refused = await acme.delete(`/api/v2/groups/1/members/${grace.id}`);
  assert.equal(refused.status, 409);
  assert.equal(refused.body.detail, "This user is a member by the group's rule: change the rule");
  const old = await acme.put("/api/v1/groups/1", { members: [{ id: grace.id, remove: true }] });
  assert.equal(old.status, 400);
  for (const { id } of [grace, alan]) {
    const added = await acme.put(`/api/v2/groups/1/members/${id}`);
    assert.deepEqual(added.body, { group_id: 1, user_id: id, role: "member" });
  }
  await acme.put(`/api/v1/users/${grace.id}`, { department: "Support" });
  assert.deepEqual(await memberIds(acme), [grace.id, alan.id]);
  assert.deepEqual((await acme.delete(`/api/v2/groups/1/members/${alan.id}`)).body, { id: alan.id });
  assert.deepEqual(await memberIds(acme), [grace.id]);
});

test("a preview says who would join and leave, and changes nothing", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace Hopper", { department: "Sales", hire_date: "2020-01-01" });
  const alan = await addUser(acme, "Alan Turing", { department: "Sales", hire_date: "2026-02-01" });
  const mary = await addUser(acme, "Mary Jackson", { hire_date: "2026-03-01" });
  await acme.post("/api/v2/groups", { name: "Sales", rule: sales });
  const rule = {
    match: "all",
    conditions: [
      { field: "hire_date", op: "after", value: "2026-01-01" },
      { field: "email_domain", op: "in", value: ["EXAMPLE.com", "example.org"] },
    ],
  };
  const preview = await acme.post("/api/v2/groups/preview_rule", { rule, group_id: 1 });
  const named = ({ id, name, email }: typeof grace) => ({ id, name, email });
  assert.deepEqual(preview.body, {
    matching: 2,
    joining: { total: 1, first: [named(mary)] },
    leaving: { total: 1, first: [named(grace)] },
  });
  assert.deepEqual(await memberIds(acme), [grace.id, alan.id]);
  await acme.request({ method: "PATCH", url: "/api/v2/groups/1", payload: { rule } });
  assert.deepEqual(await memberIds(acme), [alan.id, mary.id]);
  await acme.request({ method: "PATCH", url: "/api/v2/groups/1", payload: { rule: null } });
  assert.deepEqual(await memberIds(acme), [alan.id, mary.id]);
});

test("a rule that can't be applied is refused; one whose field is gone moves nobody and says so", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace Hopper", { custom_user_fields: [{ name: "Team", value: "A" }] });
  const wrong = await acme.post("/api/v2/groups", {
    name: "A",
    rule: {
      match: "any",
      conditions: [
        { field: "custom_user_field", custom_user_field_id: 9, op: "is", value: "A" },
        { field: "department", op: "before", value: "2026-01-01" },
        { field: "hire_date", op: "is", value: "2026-02-30" },
        { field: "role_id", op: "in", value: "32" },
      ],
    },
  });
  assert.equal(wrong.status, 422);
  assert.deepEqual(
    wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    [
      "/rule/conditions/0/custom_user_field_id",
      "/rule/conditions/1/op",
      "/rule/conditions/2/value",
      "/rule/conditions/3/value",
    ],
  );
  const rule = {
    match: "all",
    conditions: [{ field: "custom_user_field", custom_user_field_id: 1, op: "is", value: "a" }],
  };
  await acme.post("/api/v2/groups", { name: "A", rule });
  assert.deepEqual(await memberIds(acme), [grace.id]);
  await lectern.make.write(acme, async (tx) => {
    for (const table of ["custom_user_field_values", "custom_user_fields"] as const) {
      await tx.sql.deleteFrom(table).where("company_id", "=", tx.company.id).execute();
    }
  });
  await acme.put(`/api/v1/users/${grace.id}`, { job_title: "Admiral" });
  const { body } = await acme.get("/api/v2/groups/1");
  assert.equal(body.rule_error, "names custom user fields that are gone: 1");
  assert.deepEqual(await memberIds(acme), [grace.id]);
});

async function memberIds(client: Client): Promise<number[]> {
  const { body } = await client.get("/api/v2/groups/1/members?limit=200");
  return body.data.map(({ user }: { user: { id: number } }) => user.id);
}
