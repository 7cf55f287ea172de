import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { makeContent } from "../test/content.ts";
import { addGroup, addManyUsers, addUser } from "../test/people.ts";
import { signIn } from "../test/person.ts";
import { type Answer, startServer, type TestServer } from "../test/server.ts";
import { dump } from "../test/walk.ts";
import { parts } from "./personal-data.ts";

const users = "/api/v2/users";

test("users are made, found, listed and changed", async (t) => {
  await using lectern = await startServer();
  await t.test("a user is made and changed, and two editors never overwrite each other unseen", () =>
    editsTogether(lectern),
  );
  await t.test("a body with a mistake is refused with each wrong field", () => refusesMistakes(lectern));
  await t.test("a list goes on page by page in every order, and loses nothing", () => pagesOn(lectern));
  await t.test("filters find whom they name", () => filters(lectern));
  await t.test("a manager sees the members of their groups, and nobody else", () => narrows(lectern));
});

async function editsTogether(lectern: TestServer): Promise<void> {
  const admin = await signIn(lectern, lectern.acme, { role: "admin", name: "Ann Admin" });
  const field = { name: "T-shirt", value: "M" };
  const given = { name: "Grace Hopper", email: "Grace@example.com", role_id: 34, ext_uid: "G-1" };
  const made = await admin.post(users, {
    ...given,
    hire_date: "2020-02-29",
    mobile_phone_number: "+49 30 1234",
    custom_user_fields: [field],
  });
  assert.equal(made.status, 201);
  const { id, created_at } = made.body;
  assert.deepEqual(made.body, {
    ...given,
    ...{ id, created_at, role: "creator", sso_id: null, job_title: null, business_unit: null },
    ...{ department: null, location: null, locale: "en", hire_date: "2020-02-29", manager_name: null },
    ...{ mobile_phone_number: "+49 30 1234", archived_at: null, archived_by_user_id: null },
    anonymized_at: null,
    custom_user_fields: [{ id: 1, custom_user_field_id: 1, ...field }],
  });
  const shown = await admin.get(`${users}/${id}`);
  assert.deepEqual(shown.body, made.body);
  const change = (payload: object, etag: unknown) =>
    admin.request({ method: "PATCH", url: `${users}/${id}`, payload, headers: { "if-match": String(etag) } });
  const first = await change({ job_title: "Admiral" }, shown.headers["etag"]);
  assert.deepEqual([first.status, first.body], [200, { ...made.body, job_title: "Admiral" }]);
  const second = await change({ job_title: "Analyst" }, shown.headers["etag"]);
  assert.equal(second.status, 412);
  assert.deepEqual(
    [second.body.current, second.body.yours, second.body.current_etag],
    [first.body, { job_title: "Analyst" }, first.headers["etag"]],
  );
  assert.equal((await change({ job_title: "Analyst" }, second.body.current_etag)).status, 200);
  const archived = await admin.post(`${users}/${id}/archive`);
  assert.deepEqual([archived.status, archived.body.archived_by_user_id], [200, admin.user_id]);
  assert.equal((await change({ job_title: "x" }, "*")).status, 409);
  const restored = await admin.post(`${users}/${id}/restore`);
  assert.deepEqual(restored.body, { ...made.body, job_title: "Analyst" });
  for (const action of ["archive", "anonymize"]) {
    assert.equal((await admin.post(`${users}/${admin.user_id}/${action}`)).status, 409, action);
  }
  assert.equal((await admin.delete(`${users}/${admin.user_id}`)).status, 409);
}

async function refusesMistakes({ acme }: TestServer): Promise<void> {
  const cases = [
    [{ name: "A", email: "no address", role_id: 32 }, "email"],
    [{ name: "A", email: "a@example.com", role_id: "32" }, "role_id"],
    [{ name: "A", email: "a@example.com", role_id: 99 }, "role_id"],
    [{ name: "A", email: "GRACE@example.com", role_id: 32 }, "email"],
    [{ name: "A", email: "a@example.com", role_id: 32, tittle: "x" }, "tittle"],
    [{ name: "A", email: "a@example.com" }, "role_id"],
  ] as const;
  for (const [body, field] of cases) {
    const refused = await acme.post(users, body);
    assert.equal(refused.status, 422, field);
    assert.deepEqual(
      refused.body.errors.map((error: { field: string }) => error.field),
      [field],
    );
  }
  for (const query of [
    "sort=email",
    "limit=201",
    "filter[name]=A",
    "include=all",
    "cursor=nonsense",
    "count=1",
  ]) {
    assert.equal((await acme.get(`${users}?${query}`)).status, 422, query);
  }
  const { body } = await acme.get(`${users}?sort=name&limit=1`);
  assert.equal((await acme.get(`${users}?sort=-created_at&cursor=${body.next}`)).status, 422);
}

async function pagesOn({ acme, make }: TestServer): Promise<void> {
  await addManyUsers(make, acme, 10);
  const all: { id: number; name: string; created_at: string }[] = (await acme.get(`${users}?limit=200`)).body
    .data;
  const sorted = {
    id: all.toReversed(),
    "-id": all,
    name: all.toSorted((a, b) => a.name.localeCompare(b.name, "en") || a.id - b.id),
    "-created_at": all,
  };
  for (const [sort, expected] of Object.entries(sorted)) {
    const found: { id: number }[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Answer = await acme.get(`${users}?limit=4&sort=${sort}${cursor && `&cursor=${cursor}`}`);
      found.push(...page.body.data);
      cursor = page.body.next;
    }
    assert.deepEqual(
      found.map(({ id }) => id),
      expected.map(({ id }) => id),
      sort,
    );
  }
  assert.equal((await acme.get(`${users}?count=true&limit=1`)).body.total, all.length);
}

async function filters({ acme }: TestServer): Promise<void> {
  const grace = (await acme.get(`${users}?filter[ext_uid]=G-1`)).body.data[0];
  const group = await addGroup(acme, "Sales", { members: [{ id: grace.id }], managers: [{ id: 1 }] });
  const include = "include=groups,custom_user_fields&count=true";
  for (const filter of [
    "[email]=GRACE@example.COM",
    `[group_id]=${group.id}`,
    "[role_id]=34",
    "[q]=grace h",
    "[q]=GRACE@",
    "[q]=gr&filter[archived]=false",
  ]) {
    const { body } = await acme.get(`${users}?filter${filter}&${include}`);
    const groups = { member: [{ id: group.id, name: "Sales" }], manager: [] };
    const custom_user_fields = [{ id: 1, custom_user_field_id: 1, name: "T-shirt", value: "M" }];
    assert.deepEqual(
      body,
      { data: [{ ...grace, groups, custom_user_fields }], next: null, total: 1 },
      filter,
    );
  }
  for (const filter of ["[q]=g%", "[q]=_race", "[archived]=true", "[sso_id]=x", "[q]=ace"]) {
    const { body } = await acme.get(`${users}?filter${filter}&count=true`);
    assert.deepEqual(body, { data: [], next: null, total: 0 }, filter);
  }
  const fields = await acme.get("/api/v2/custom_user_fields");
  assert.deepEqual(fields.body, { data: [{ id: 1, name: "T-shirt" }], next: null });
}

async function narrows(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const manager = await signIn(lectern, acme, { role: "manager" });
  const [mine, other] = [await addUser(acme, "Mine"), await addUser(acme, "Other")];
  const people = { members: [{ id: mine.id }], managers: [{ id: manager.user_id }] };
  const group = await addGroup(acme, "Team", people);
  const list = async () => (await manager.get(`${users}?count=true`)).body;
  const { data, total } = await list();
  assert.deepEqual([data.map(({ id }: { id: number }) => id), total], [[mine.id], 1]);
  assert.equal((await manager.get(`${users}/${mine.id}`)).status, 200);
  const hidden = await manager.get(`${users}/${other.id}`);
  const nobody = await manager.get(`${users}/900001`);
  assert.deepEqual([hidden.status, hidden.body.detail], [404, nobody.body.detail]);
  assert.equal((await manager.patch(`${users}/${mine.id}`, { job_title: "x" })).status, 403);
  await acme.put(`/api/v1/groups/${group.id}/archive`);
  assert.deepEqual((await list()).data, []);
}

test("a person is erased with a receipt, or made anonymous, or told all that is stored", async (t) => {
  await using lectern = await startServer();
  const content = await makeContent(lectern, lectern.acme, "Amber");
  const url = `${users}/${content.user_id}`;
  await t.test("an export has every table that names the user, and says who has read it", () =>
    exportsEverything(lectern, url),
  );
  await t.test("anonymous, a user's results stay and the person is nowhere", () => anonymizes(lectern));
  await t.test("deleted, nothing of a user is anywhere, and the receipt says what was", () =>
    deletes(lectern, url),
  );
});

async function exportsEverything(lectern: TestServer, url: string): Promise<void> {
  const { status, body } = await lectern.acme.get(`${url}/export`);
  assert.equal(status, 200);
  assert.deepEqual(body.user, (await lectern.acme.get(url)).body);
  const rows = new Map<string, object[]>(
    body.stored.map(({ table, rows: found }: { table: string; rows: object[] }) => [table, found]),
  );
  for (const table of [
    "sessions",
    "memberships",
    "assignments",
    "assignment_results",
    "attempts",
    "attempt_answers",
  ]) {
    assert.notEqual(rows.get(table)?.length, 0, table);
  }
  assert.doesNotMatch(JSON.stringify(body), /"hash"|company_id/);
  const known = new Set(parts.map(({ table }) => table));
  for (const table of await tablesOfUsers(lectern)) assert.ok(known.has(table), `${table} is exported`);
  const { body: log } = await lectern.acme.get("/api/v2/audit_log?filter[action]=export_user");
  assert.equal(log.data.length, 1);
}

/** Tables that refer to users, but for what every user has anyway and what names a user as one of many. */
async function tablesOfUsers({ ownerUrl }: TestServer): Promise<string[]> {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    const { rows } = await owner.query<{ name: string }>(
      `select distinct conrelid::regclass::text as name from pg_constraint
       where contype = 'f' and confrelid = 'users'::regclass and conrelid <> 'custom_user_field_values'::regclass`,
    );
    return rows.map(({ name }) => name);
  } finally {
    await owner.end();
  }
}

async function anonymizes(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const { body: found } = await acme.get(`${users}?filter[email]=amber.2@example.com`);
  const url = `${users}/${found.data[0].id}`;
  const { body: before } = await acme.get(`/api/v1/users/${found.data[0].id}/assignments`);
  const receipt = await acme.post(`${url}/anonymize`);
  assert.equal(receipt.status, 200);
  assert.deepEqual(receipt.body.removed, [{ what: "custom_user_field_values", rows: 1 }]);
  const { body } = await acme.get(url);
  const { name, email, role, job_title, ext_uid, hire_date, custom_user_fields } = body;
  assert.deepEqual(
    { name, email, role, job_title, ext_uid, hire_date, custom_user_fields },
    {
      ...{ name: "Former user", email: `user-${body.id}@anonymous.invalid`, role: "learner" },
      ...{ job_title: null, ext_uid: null, hire_date: null, custom_user_fields: [] },
    },
  );
  assert.equal(body.anonymized_at, body.archived_at);
  const assignments = before.assignments.map((row: object) => ({ ...row, ext_uid: null }));
  const after = await acme.get(`/api/v1/users/${body.id}/assignments`);
  assert.deepEqual(after.body, { ...before, assignments });
  await isNowhere(lectern, /Amber Person 2|amber\.2@|Amber-2/i);
  assert.equal((await acme.post(`${url}/anonymize`)).status, 409);
  assert.equal((await acme.post(`${url}/restore`)).status, 409);
  const inVersion1 = await acme.put(`/api/v1/users/${body.id}/restore`);
  assert.deepEqual([inVersion1.status, inVersion1.body.error], [400, "Malformed Request"]);
}

async function deletes(lectern: TestServer, url: string): Promise<void> {
  const { acme } = lectern;
  const receipt = await acme.delete(url);
  assert.equal(receipt.status, 200);
  const removed = new Map(
    receipt.body.removed.map(({ what, rows }: { what: string; rows: number }) => [what, rows]),
  );
  for (const what of [
    "attempts",
    "attempt_answers",
    "certificates",
    "sessions",
    "assignments",
    "memberships",
  ]) {
    assert.ok(Number(removed.get(what)) > 0, what);
  }
  assert.equal((await acme.get(url)).status, 404);
  await isNowhere(lectern, /Amber Person 1|amber\.1@|"Amber-1"/i);
}

async function isNowhere(lectern: TestServer, trace: RegExp): Promise<void> {
  for (const [table, rows] of await dump(lectern)) assert.doesNotMatch(rows, trace, table);
}
