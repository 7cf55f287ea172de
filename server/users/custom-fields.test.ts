import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser } from "../test/people.ts";
import { startServer } from "../test/server.ts";

test("a field that is named is made once, in whatever case it is written", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  const grace = await addUser(acme, "Grace", {
    custom_user_fields: [
      { name: "T-shirt", value: "M" },
      { name: "Größe", value: "" },
      { name: "t-SHIRT", value: "L" },
    ],
  });
  assert.deepEqual(grace.custom_user_field_data, [
    { id: 1, custom_user_field_id: 1, name: "t-SHIRT", value: "L" },
    { id: 2, custom_user_field_id: 2, name: "Größe", value: "" },
  ]);
  const alan = await addUser(acme, "Alan", { custom_user_fields: [{ name: "GRÖßE", value: "180 cm" }] });
  assert.deepEqual(alan.custom_user_field_data, [
    { id: 3, custom_user_field_id: 2, name: "Größe", value: "180 cm" },
  ]);
  const otto = await addUser(globex, "Otto", { custom_user_fields: [{ name: "Budget", value: "1" }] });
  assert.deepEqual(otto.custom_user_field_data, [
    { id: 1, custom_user_field_id: 1, name: "Budget", value: "1" },
  ]);
});

test("a value is added where the user has none for the field, and replaced where they have one", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace", {
    custom_user_fields: [
      { name: "A", value: "1" },
      { name: "B", value: "2" },
    ],
  });
  const changed = await acme.put(`/api/v1/users/${grace.id}`, {
    custom_user_fields: [
      { name: "C", value: "3" },
      { custom_user_field_id: "2", value: "two" },
      { name: "a", value: "one" },
    ],
  });
  assert.equal(changed.status, 200);
  assert.deepEqual(changed.body, {
    ...grace,
    type: "update_user",
    custom_user_field_data: [
      { id: 1, custom_user_field_id: 1, name: "A", value: "one" },
      { id: 2, custom_user_field_id: 2, name: "B", value: "two" },
      { id: 3, custom_user_field_id: 3, name: "C", value: "3" },
    ],
  });
  const none = await acme.put(`/api/v1/users/${grace.id}`, { custom_user_fields: [] });
  assert.deepEqual(none.body, changed.body);
});

test("the id of a field comes before its name, so that what was read can be sent back", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace", { custom_user_fields: [{ name: "A", value: "1" }] });
  const sent = [{ ...grace.custom_user_field_data[0], name: "renamed", value: "2" }];
  const changed = await acme.put(`/api/v1/users/${grace.id}`, { custom_user_fields: sent });
  assert.deepEqual(changed.body.custom_user_field_data, [
    { id: 1, custom_user_field_id: 1, name: "A", value: "2" },
  ]);
});

test("an element that names no field of the company is told by index, and nothing is made", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  await addUser(globex, "Otto", { custom_user_fields: [{ name: "Budget", value: "1" }] });
  const refused = await acme.post("/api/v1/users", {
    name: "Grace",
    email: "grace@example.com",
    role: "learner",
    custom_user_fields: [
      { name: "A", value: "1" },
      { custom_user_field_id: 1, value: "x" },
      { value: "x" },
      { custom_user_field_id: 1e30, value: "x" },
    ],
  });
  assert.equal(refused.status, 400);
  const message = "names no custom user field of this company";
  assert.deepEqual(refused.body.errors, [
    { field: "custom_user_fields[1].custom_user_field_id", message },
    { field: "custom_user_fields[2]", message: "needs custom_user_field_id or name" },
    { field: "custom_user_fields[3].custom_user_field_id", message },
  ]);
  assert.equal((await acme.get("/api/v1/users")).body.total_users, 1);
  const { custom_user_field_data } = await addUser(acme, "Grace", {
    custom_user_fields: [{ name: "B", value: "2" }],
  });
  assert.deepEqual(custom_user_field_data, [{ id: 1, custom_user_field_id: 1, name: "B", value: "2" }]);
});

test("what is wrong with an element is told by its index and key", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const refused = await acme.put("/api/v1/users/1", {
    custom_user_fields: [
      { name: "A" },
      { name: "", value: "x" },
      { name: "x".repeat(256), value: "x" },
      { name: "A", value: "x".repeat(501) },
      { name: "A", value: 5 },
      { custom_user_field_id: "one", value: "x" },
      "A",
      null,
    ],
  });
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body.errors, [
    { field: "custom_user_fields[0].value", message: "is required" },
    { field: "custom_user_fields[1].name", message: "can't be empty" },
    { field: "custom_user_fields[2].name", message: "can have at most 255 characters" },
    { field: "custom_user_fields[3].value", message: "can have at most 500 characters" },
    { field: "custom_user_fields[4].value", message: "must be a string" },
    { field: "custom_user_fields[5].custom_user_field_id", message: "must be an integer" },
    { field: "custom_user_fields[6]", message: "must be an object" },
    { field: "custom_user_fields[7]", message: "must be an object" },
  ]);
});

test("a thousand fields are set with one request, and one more is too many", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const fields = Array.from({ length: 1_000 }, (_, index) => ({
    name: `Field ${index}`,
    value: String(index),
  }));
  const grace = await addUser(acme, "Grace", { custom_user_fields: fields });
  assert.deepEqual(
    grace.custom_user_field_data,
    fields.map((field, index) => ({ id: index + 1, custom_user_field_id: index + 1, ...field })),
  );
  const again = fields.map(({ name }) => ({ name: name.toUpperCase(), value: "same" }));
  const changed = await acme.put(`/api/v1/users/${grace.id}`, { custom_user_fields: again });
  assert.equal(changed.body.custom_user_field_data.length, 1_000);
  assert.ok(changed.body.custom_user_field_data.every(({ value }: { value: string }) => value === "same"));
  const refused = await acme.put("/api/v1/users/1", {
    custom_user_fields: [...fields, { name: "A", value: "" }],
  });
  assert.deepEqual(refused.body.errors, [
    { field: "custom_user_fields", message: "can have at most 1000 elements" },
  ]);
});
