import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { exportOf, importInto, least, refusalOf } from "../test/bundles.ts";
import { assertCountsHold } from "../test/counts.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { userColumns } from "./first-admin.ts";

const ADMIN_EMAIL = "ada@example.com";

test("where the file has the first administrator's id, they get a new one, with their key and password", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const before = await readSecrets(lectern);
  await importInto(lectern, acme, { users: [least.user(1), least.user(9)], lessons: [least.lesson(3)] });
  const { body } = await acme.get("/api/v1/users");
  assert.deepEqual(body.users.map(namesOf), [
    [10, "Ada Admin", ADMIN_EMAIL, "admin"],
    [9, "Person 9", "person.9@example.com", "learner"],
    [1, "Person 1", "person.1@example.com", "learner"],
  ]);
  assert.deepEqual(await readSecrets(lectern), {
    passwords: [{ ...before.passwords[0], user_id: 10 }],
    keys: before.keys,
  });
  const { body: user } = await acme.post("/api/v1/users", {
    name: "New",
    email: "new@example.com",
    role: "learner",
  });
  assert.equal(user.id, 11);
  await assertCountsHold(lectern);
});

test("where the file has the first administrator's e-mail, the two become one with the file's id", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const before = await readSecrets(lectern);
  const ada = least.user(77, {
    name: "Ada of old",
    email: ADMIN_EMAIL.toUpperCase(),
    role_id: 34,
    created_at: "2019-01-01",
  });
  await importInto(lectern, acme, { users: [least.user(1), ada] });
  const { body } = await acme.get("/api/v1/users");
  assert.deepEqual(body.users.map(namesOf), [
    [77, "Ada of old", "ADA@EXAMPLE.COM", "creator"],
    [1, "Person 1", "person.1@example.com", "learner"],
  ]);
  assert.deepEqual(await readSecrets(lectern), {
    passwords: [{ ...before.passwords[0], user_id: 77 }],
    keys: before.keys,
  });
  assert.equal(
    await refusalOf(lectern, acme, { users: [least.user(77)] }),
    "/users/0/id: is taken by another user, of the company or of the file",
  );
  await assertCountsHold(lectern);
});

test("where the file has neither, the first administrator keeps their id", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const before = await readSecrets(lectern);
  await importInto(lectern, acme, { users: [least.user(5)] });
  await importInto(lectern, acme, { tags: [{ id: 1, name: "No users" }] });
  const { body } = await acme.get("/api/v1/users");
  assert.deepEqual(body.users.map(namesOf), [
    [5, "Person 5", "person.5@example.com", "learner"],
    [1, "Ada Admin", ADMIN_EMAIL, "admin"],
  ]);
  assert.deepEqual(await readSecrets(lectern), before);
});

test("the first administrator takes along what they have in the company", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const lesson = await make.lesson(acme);
  const course = await make.course(acme, { owner_id: 1 });
  const data = [
    { name: "Desk", value: "left" },
    { name: "Shirt", value: "M" },
  ];
  await acme.put("/api/v1/users/1", { ext_uid: "E1", custom_user_fields: data });
  const { body: group } = await acme.post("/api/v1/groups", { name: "Board", members: [{ id: 1 }] });
  await acme.post("/api/v1/users/1/assignments", {
    assignments: [{ assignable_id: lesson, assignable_type: "Lesson" }],
  });
  const refusal = await refusalOf(lectern, acme, {
    users: [least.user(2), least.user(1, { ext_uid: "E1" })],
  });
  assert.equal(refusal, "/users/1/ext_uid: is taken by the company's first administrator");
  const desk = { id: 90, custom_user_field_id: 1, value: "right" };
  const ada = least.user(40, { email: ADMIN_EMAIL, ext_uid: "E1", custom_user_field_data: [desk] });
  await importInto(lectern, acme, { users: [least.user(1), ada] });
  const { users, groups, courses, assignments } = await exportOf(lectern, acme);
  assert.deepEqual(
    users[1].custom_user_field_data.map(({ name, value }: Record<string, string>) => [name, value]),
    [
      ["Shirt", "M"],
      ["Desk", "right"],
    ],
  );
  assert.deepEqual(groups[0].members, [{ id: 40 }]);
  assert.equal(groups[0].id, group.id);
  assert.deepEqual([courses[0].id, courses[0].owner_id], [course, 40]);
  assert.deepEqual(
    assignments.map(({ assignee_id, ext_uid }: Record<string, unknown>) => [assignee_id, ext_uid]),
    [[40, "E1"]],
  );
  await assertCountsHold(lectern);
});

test("every column that names a user is among those that move with one", async () => {
  await using lectern = await startServer();
  const owner = new pg.Client({ connectionString: lectern.ownerUrl });
  await owner.connect();
  const { rows } = await owner.query<{ table: string; column: string }>(`
    select conrelid::regclass::text as table, attname as column
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[2]
    where contype = 'f' and confrelid = 'users'::regclass
    union
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' and column_name in (
      'archived_by_user_id', 'publisher_id', 'owner_id', 'created_by_user_id', 'updated_by', 'published_by', 'graded_by',
      'claimed_by'
    )
    order by 1, 2`);
  await owner.end();
  const known = userColumns.map(([table, column]) => ({ table, column }));
  assert.deepEqual(
    known.toSorted((a, b) => compare(a.table, b.table) || compare(a.column, b.column)),
    rows.toSorted((a, b) => compare(a.table, b.table) || compare(a.column, b.column)),
  );
});

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function namesOf({ id, name, email, role }: Record<string, unknown>) {
  return [id, name, email, role];
}

/** The passwords and the key of acme. */
async function readSecrets({ ownerUrl, acme }: TestServer) {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  const { rows: passwords } = await owner.query<{ user_id: number; hash: string }>(
    "select user_id::integer, hash from passwords where company_id = $1",
    [acme.company.id],
  );
  const { rows: keys } = await owner.query(
    "select id, prefix, made_by_user_id from api_keys where company_id = $1",
    [acme.company.id],
  );
  await owner.end();
  return { passwords, keys };
}
