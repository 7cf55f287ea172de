import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../test/server.ts";

test("a user is made, shown, changed, archived, restored and deleted", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const made = await acme.post("/api/v1/users", {
    name: "Grace Hopper",
    email: "Grace@example.com",
    role: "learner",
  });
  assert.equal(made.status, 201);
  assert.deepEqual(made.body, {
    id: 2,
    type: "create_user",
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
  });
  const list = await acme.get("/api/v1.1/users?per_page=1");
  console.log(list.status, JSON.stringify(list.body), list.headers);
  console.log(
    await acme.get("/api/v1/users/abc"),
    await acme.get("/api/v1/users.xml"),
    await acme.put("/api/v1/users"),
    await acme.get("/api/v1.1/users/2"),
  );
  console.log(await acme.post("/api/v1/users", { role: "x", custom_user_fields: [{ name: "T" }] }));
  console.log(await acme.get("/api/v1/users?filter[foo]=1&page=0"));
});
