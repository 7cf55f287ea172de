import assert from "node:assert/strict";
import { after, test } from "node:test";
import { workBulkJobs } from "../bulk/work.ts";
import { readEvents } from "../test/feed.ts";
import { openFeed, patch, typesOf } from "../test/feed-reader.ts";
import { addManyUsers, addUser } from "../test/people.ts";
import { signIn } from "../test/person.ts";
import { type Answer, type Client, startServer } from "../test/server.ts";

const lectern = await startServer();
const { database, globex, make } = lectern;
after(() => lectern[Symbol.asyncDispose]());

test("the life of a user is told: each change once, with what was there before", async () => {
  const { client, reader } = await openFeed(lectern, "life");
  assert.deepEqual(await readEvents(database, client.company), [], "a new company tells nothing");
  const { id } = await addUser(client, "Grace Hopper", { custom_user_fields: [{ name: "T", value: "M" }] });
  const made = await profileOf(client, id);
  const about = { resource_id: id, user_id: id };
  assert.deepEqual(await reader.next(), [
    { id: 1, type: "user.created", ...about, data: made, previous: null, notify: false },
  ]);
  await client.put(`/api/v1/users/${id}`, {
    job_title: "Admiral",
    custom_user_fields: [{ name: "t", value: "L" }],
  });
  const [changed, ...more] = await reader.next();
  const { job_title, custom_user_fields } = made;
  assert.deepEqual(
    [changed, more],
    [
      {
        ...{ id: 2, type: "user.updated", ...about, notify: true },
        ...{ data: await profileOf(client, id), previous: { job_title, custom_user_fields } },
      },
      [],
    ],
  );
  await patch(client, `/api/v2/users/${id}`, { job_title: "Admiral" });
  assert.deepEqual(await reader.next(), [], "what changes nothing is not told");
  await client.post(`/api/v2/users/${id}/archive`);
  await client.put(`/api/v1/users/${id}/archive`);
  const archived = await profileOf(client, id);
  assert.deepEqual(await reader.next(), [
    {
      ...{ id: 3, type: "user.archived", ...about, notify: true },
      ...{ data: archived, previous: { archived_at: null } },
    },
  ]);
  await client.put(`/api/v1/users/${id}/restore`);
  await client.post(`/api/v2/users/${id}/restore`);
  const [restored, ...others] = await reader.next();
  assert.deepEqual(
    [typesOf(restored === undefined ? [] : [restored]), others],
    [[`user.restored ${id}`], []],
  );
  assert.deepEqual(restored?.previous, { archived_at: archived.archived_at });
  await signIn(lectern, client, { user_id: id });
  assert.deepEqual(await reader.next(), [], "to sign in changes nobody");
  await reader.check();
});

test("who is mailed of their account: as asked, and otherwise all but learners", async () => {
  const { client, reader } = await openFeed(lectern, "mailed");
  for (const [role, notify] of [["learner", true], ["admin", false], ["creator"], ["manager"]] as const) {
    const email = `${role}@example.com`;
    const made = await client.post("/api/v1/users", {
      name: "Somebody",
      email,
      role,
      ...(notify !== undefined && { notify }),
    });
    assert.equal(made.status, 201);
  }
  await client.post("/api/v2/users", { name: "Somebody", email: "x@example.com", role_id: 32 });
  await client.post("/api/v2/users", { name: "Somebody", email: "y@example.com", role_id: 34 });
  const rows = [
    { name: "Somebody", email: "b1@example.com", role: "learner" },
    { name: "Somebody", email: "b2@example.com", role: "admin" },
  ];
  await client.post("/api/v2/users/bulk", { rows });
  await workBulkJobs(database, { company_id: client.company.id });
  const told = await reader.next();
  assert.deepEqual(
    told.map(({ type, notify }) => [type, notify]),
    [true, false, true, true, false, true, false, true].map((notify) => ["user.created", notify]),
  );
  await reader.check();
});

test("a new name of a role, or another provider, tells of everybody whom it changes", async () => {
  const { client, reader } = await openFeed(lectern, "roles");
  await client.post("/api/v2/roles", { name: "Coach", privileges: ["learn"] });
  const grace = await addUser(client, "Grace Hopper", { role: undefined, role_id: 100 });
  const alan = await addUser(client, "Alan Turing", { role: undefined, role_id: 100 });
  await addUser(client, "Mary Jackson");
  await reader.next();
  await patch(client, "/api/v2/roles/100", { privileges: ["learn", "tags.write"] });
  assert.deepEqual(await reader.next(), []);
  await patch(client, "/api/v2/roles/100", { name: "Trainer" });
  const told = await reader.next();
  assert.deepEqual(
    told.map(({ type, resource_id, data, previous }) => [type, resource_id, data["role"], previous]),
    [grace, alan].map(({ id }) => ["user.updated", id, "Trainer", { role: "Coach" }]),
  );
  const settings = {
    ...{ issuer: "https://one.example.com", client_id: "x", client_secret: null, makes_users: false },
    ...{ new_user_role_id: 32, allows_passwords: true },
  };
  assert.equal((await client.put("/api/v2/single_sign_on", settings)).status, 200);
  await make.write(client, async (tx) => {
    const users = tx.sql.updateTable("users").set({ sso_id: "g-1" });
    await users.where("company_id", "=", tx.company.id).where("id", "=", grace.id).execute();
  });
  const moved = { ...settings, issuer: "https://two.example.com" };
  assert.equal((await client.put("/api/v2/single_sign_on", moved)).status, 200);
  const [untied, ...rest] = await reader.next();
  assert.deepEqual(
    [untied?.type, untied?.resource_id, untied?.previous, rest],
    ["user.updated", grace.id, { sso_id: "g-1" }, []],
  );
  await reader.check();
});

test("bulk work tells of each row that changed somebody, and of none of a dry run", async () => {
  const { client, reader } = await openFeed(lectern, "bulk");
  const grace = await addUser(client, "Grace Hopper");
  await reader.next();
  const rows = [
    { email: grace.email, department: "Sales", custom_user_fields: [{ name: "T", value: "M" }] },
    { email: grace.email, department: "Sales" },
    { email: "alan@example.com", name: "Alan Turing", role: "learner" },
    { email: "nobody@example.com" },
  ];
  for (const more of [{ dry_run: true }, { mode: "all_or_nothing" }, {}]) {
    assert.equal((await client.post("/api/v2/users/bulk", { rows, ...more })).status, 202);
    await workBulkJobs(database, { company_id: client.company.id });
  }
  const told = await reader.next();
  assert.deepEqual(typesOf(told), [`user.updated ${grace.id}`, "user.created 3"]);
  assert.deepEqual(told[0]?.previous, { department: null, custom_user_fields: [] });
  assert.deepEqual(told[0]?.data, await profileOf(client, grace.id));
  await reader.check();
});

test("what is refused is never told", async () => {
  const { client, reader } = await openFeed(lectern, "refused");
  const grace = await addUser(client, "Grace Hopper");
  await reader.next();
  const { email } = grace;
  assert.equal((await client.post("/api/v1/users", { name: "Another", email, role: "learner" })).status, 400);
  assert.equal((await client.put(`/api/v1/users/${grace.id}`, { name: "X", role_id: 99 })).status, 400);
  assert.equal((await client.post("/api/v1/groups", { name: "X", members: [{ id: 99 }] })).status, 400);
  const failing = make.write(client, async (tx) => {
    tx.changes.add({ type: "user.updated", resource_id: 1, user_id: 1, data: {} });
    await tx.sql.selectFrom("users").select("id").where("company_id", "=", tx.company.id).execute();
    throw new Error("on purpose");
  });
  await assert.rejects(failing, { message: "on purpose" });
  assert.deepEqual(await reader.next(), []);
  await addUser(client, "Alan Turing");
  assert.deepEqual(typesOf(await reader.next()), ["user.created 3"]);
});

test("another company is told nothing", async () => {
  await addManyUsers(make, globex, 2);
  assert.deepEqual(await readEvents(database, globex.company), []);
});

/** A user as version 2 shows them alone. */
async function profileOf(client: Client, id: number): Promise<Answer["body"]> {
  const { body } = await client.get(`/api/v2/users/${id}`);
  return body;
}
