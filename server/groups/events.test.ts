import assert from "node:assert/strict";
import { after, test } from "node:test";
import { workBulkJobs } from "../bulk/work.ts";
import { openFeed, patch, typesOf } from "../test/feed-reader.ts";
import { addGroup, addUser } from "../test/people.ts";
import { type Answer, startServer } from "../test/server.ts";

const lectern = await startServer();
const { database, make } = lectern;
after(() => lectern[Symbol.asyncDispose]());

test("groups and who is in them are told, whoever moves people: by hand, by a rule, by a list", async () => {
  const { client, reader } = await openFeed(lectern, "groups");
  const grace = await addUser(client, "Grace Hopper", { department: "Sales" });
  const alan = await addUser(client, "Alan Turing");
  await reader.next();
  await addGroup(client, " Friends ", {
    members: [{ id: grace.id }, { id: alan.id }],
    managers: [{ id: alan.id }],
  });
  const { body: friends } = await client.get("/api/v2/groups/1");
  assert.deepEqual(await reader.next(), [
    {
      id: 3,
      type: "group.created",
      resource_id: 1,
      user_id: null,
      data: friends,
      previous: null,
      notify: true,
    },
    { id: 4, type: "membership.created", ...membership(grace, "member") },
    { id: 5, type: "membership.created", ...membership(alan, "member") },
    { id: 6, type: "membership.created", ...membership(alan, "manager") },
  ]);
  await client.put("/api/v1/groups/1", { members: [{ id: grace.id }] });
  assert.deepEqual(await reader.next(), [], "who is in it already does not come in again");
  await client.put(`/api/v1/users/${grace.id}/groups`, { memberships: [{ id: 1, remove: true }] });
  await client.delete(`/api/v2/groups/1/managers/${alan.id}`);
  await patch(client, "/api/v2/groups/1", { name: "Pals" });
  await client.put("/api/v1/groups/1", { name: "Colleagues" });
  // Each twice, by either version: only the first one changes something.
  const [first, second] = ["/api/v1/groups/1", "/api/v2/groups/1"];
  for (const change of ["archive", "restore"]) {
    await client.put(`${first}/${change}`);
    await client.post(`${second}/${change}`);
  }
  for (const change of ["archive", "restore"]) {
    await client.post(`${second}/${change}`);
    await client.put(`${first}/${change}`);
  }
  const told = await reader.next();
  assert.deepEqual(typesOf(told), [
    ...[`membership.deleted of ${grace.id}`, `membership.deleted of ${alan.id}`],
    ...["group.updated 1", "group.updated 1", "group.archived 1", "group.restored 1"],
    ...["group.archived 1", "group.restored 1"],
  ]);
  assert.deepEqual(
    told.slice(2, 4).map(({ previous }) => previous),
    [{ name: "Friends" }, { name: "Pals" }],
  );
  const rule = { match: "all", conditions: [{ field: "department", op: "is", value: "Sales" }] };
  await client.post("/api/v2/groups", { name: "Sales", rule });
  await client.put(`/api/v1/users/${alan.id}`, { department: "Sales" });
  await client.put(`/api/v1/users/${grace.id}/archive`);
  assert.deepEqual(typesOf(await reader.next()), [
    ...["group.created 2", `membership.created of ${grace.id}`],
    ...[`user.updated ${alan.id}`, `membership.created of ${alan.id}`],
    ...[`user.archived ${grace.id}`, `membership.deleted of ${grace.id}`],
  ]);
  await client.post("/api/v2/memberships/bulk", {
    rows: [
      { group_id: 1, user_id: alan.id, role: "manager" },
      { group_id: 1, user_id: alan.id, remove: true },
      { group_id: 2, user_id: alan.id },
    ],
  });
  await workBulkJobs(database, { company_id: client.company.id });
  assert.deepEqual(typesOf(await reader.next()), [
    `membership.created of ${alan.id}`,
    `membership.deleted of ${alan.id}`,
  ]);
  await client.delete("/api/v2/groups/1");
  await client.delete("/api/v1/groups/2");
  const gone = await reader.next();
  assert.deepEqual(typesOf(gone), [
    ...[`membership.deleted of ${alan.id}`, "group.deleted 1"],
    ...[`membership.deleted of ${alan.id}`, "group.deleted 2"],
  ]);
  assert.deepEqual(gone[1]?.data, { id: 1 });
  await reader.check();
});

/** What an event of a membership in the first group has. */
function membership(user: Answer["body"], role: string): object {
  return {
    ...{ resource_id: null, user_id: user.id, previous: null, notify: true },
    data: { group_id: 1, user_id: user.id, role },
  };
}

test("a rule that can't be applied any more is told as a change of its group", async () => {
  const { client, reader } = await openFeed(lectern, "rules");
  await addUser(client, "Grace Hopper", { custom_user_fields: [{ name: "T", value: "M" }] });
  const condition = { field: "custom_user_field", custom_user_field_id: 1, op: "is", value: "M" };
  await client.post("/api/v2/groups", { name: "M", rule: { match: "all", conditions: [condition] } });
  await reader.next();
  // No route removes a field.
  await make.write(client, async (tx) => {
    for (const table of ["custom_user_field_values", "custom_user_fields"] as const) {
      await tx.sql.deleteFrom(table).where("company_id", "=", tx.company.id).execute();
    }
  });
  await addUser(client, "Alan Turing");
  const told = await reader.next();
  assert.deepEqual(typesOf(told), ["group.updated 1", "user.created 3"]);
  assert.deepEqual(told[0]?.previous, { rule_error: null });
});
