import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { addGroup, addManyUsers, addUser, summaryOf } from "../test/people.ts";
import { type Answer, type Client, startServer } from "../test/server.ts";

test("users are listed in pages, the newest first", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const { body: ada } = await acme.get("/api/v1/users/1");
  const grace = await addUser(acme, "Grace");
  const alan = await addUser(acme, "Alan", { custom_user_fields: [{ name: "T-shirt", value: "M" }] });
  await addUser(lectern.globex, "Otto");
  const first = await acme.get("/api/v1/users?per_page=2");
  assert.equal(first.status, 200);
  assert.deepEqual(first.body, {
    type: "users",
    total_users: 3,
    total_pages: 2,
    page: 1,
    per_page: 2,
    users: [summaryOf(alan), summaryOf(grace)],
  });
  const second = await acme.get("/api/v1/users?page=2&per_page=2");
  assert.deepEqual(second.body, { ...first.body, page: 2, users: [summaryOf(ada)] });
  assert.equal(second.headers["link"], undefined);
  const past = await acme.get("/api/v1/users?page=3&per_page=2");
  assert.equal(past.status, 200);
  assert.deepEqual(past.body, { ...first.body, page: 3, users: [] });
});

test("version 1.1 lists users with custom fields, mobile number and groups", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const grace = await addUser(acme, "Grace", { custom_user_fields: [{ name: "T-shirt", value: "M" }] });
  const { body: ada } = await acme.get("/api/v1/users/1");
  await addGroup(acme, "Sales", { members: [{ id: grace.id }], managers: [{ id: 1 }] });
  await addGroup(acme, "Support", { members: [{ id: grace.id }] });
  await acme.put("/api/v1/groups/2/archive");
  await make.write(acme, (tx) =>
    tx.sql
      .updateTable("users")
      .set({ mobile_phone_number: "+49 30 123" })
      .where("company_id", "=", tx.company.id)
      .where("id", "=", 1)
      .execute(),
  );
  const { status, body } = await acme.get("/api/v1.1/users");
  assert.equal(status, 200);
  const sales = { id: 1, name: "Sales" };
  assert.deepEqual(body, {
    type: "users",
    total_users: 2,
    total_pages: 1,
    page: 1,
    per_page: 50,
    users: [
      {
        ...summaryOf(grace),
        custom_user_field_data: grace.custom_user_field_data,
        mobile_phone_number: null,
        groups: { member: [{ id: 2, name: "Support" }, sales], manager: [] },
      },
      {
        ...summaryOf(ada),
        custom_user_field_data: [],
        mobile_phone_number: "+49 30 123",
        groups: { member: [], manager: [sales] },
      },
    ],
  });
});

test("page and per_page are positive integers; a page has at most 1000 items", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  for (const value of ["0", "-1", "1.5", "abc", "", "1e2", "%2B1", "0x1", "null"]) {
    for (const name of ["page", "per_page"]) {
      const refused = await acme.get(`/api/v1/users?${name}=${value}`);
      assert.equal(refused.status, 400, `${name}=${value}`);
      assert.deepEqual(
        refused.body.errors.map(({ field }: { field: string }) => field),
        [name],
      );
    }
  }
  assert.equal((await acme.get("/api/v1/users?page=1&page=2")).status, 400);
  for (const value of ["1000", "1001", "99999999999999999999"]) {
    assert.equal((await acme.get(`/api/v1/users?per_page=${value}`)).body.per_page, 1000);
  }
  const last = await acme.get("/api/v1.1/users?page=99999999999999999999&per_page=1000");
  assert.equal(last.status, 200);
  assert.deepEqual(last.body.users, []);
  const { body: none } = await acme.get("/api/v1/users?filter[ext_uid]=nobody");
  assert.deepEqual(none, { type: "users", total_users: 0, total_pages: 0, page: 1, per_page: 50, users: [] });
});

test("filters find users by e-mail, ext_uid, sign-on id and custom field, joined with AND", async () => {
  await using lectern = await startServer();
  const { acme, globex, make } = lectern;
  await addUser(acme, "Grace", { email: "Grace@example.com", ext_uid: "G-1", ...shirt("M") });
  await addUser(acme, "Alan", { ext_uid: "A 1&x", ...shirt("M") });
  await addUser(acme, "Mary", shirt("L"));
  await addUser(globex, "Grace", { email: "grace@example.com", ext_uid: "G-1", ...shirt("M") });
  await make.write(acme, (tx) =>
    tx.sql
      .updateTable("users")
      .set({ sso_id: "saml|4" })
      .where("company_id", "=", tx.company.id)
      .where("id", "=", 4)
      .execute(),
  );
  const cases = [
    ["filter[email]=gRACE@EXAMPLE.COM", [2]],
    ["filter%5Bemail%5D=grace%40example.com", [2]],
    ["filter[email]=grace", []],
    ["filter[email]=", []],
    ["filter[ext_uid]=G-1", [2]],
    ["filter[ext_uid]=g-1", []],
    ["filter[ext_uid]=A+1%26x", [3]],
    ["filter[sso_id]=saml|4", [4]],
    ["filter[sso_id]=saml", []],
    ["filter[custom_user_field][1]=M", [3, 2]],
    ["filter%5Bcustom_user_field%5D%5B1%5D=L", [4]],
    ["filter[custom_user_field][1]=m", []],
    ["filter[custom_user_field][2]=M", []],
    ["filter[custom_user_field][99999999999999999999]=M", []],
    ["filter[custom_user_field][1]=M&filter[ext_uid]=G-1", [2]],
    ["filter[custom_user_field][1]=M&filter[custom_user_field][2]=M", []],
    ["filter[email]=grace@example.com&filter[ext_uid]=A+1%26x", []],
    ["unknown=1&filter_by=x&sort=name", [4, 3, 2, 1]],
  ] as const;
  for (const version of ["v1", "v1.1"]) {
    for (const [query, ids] of cases) {
      const { status, body } = await acme.get(`/api/${version}/users?${query}`);
      assert.deepEqual([query, status, idsOf(body)], [query, 200, ids]);
      assert.equal(body.total_users, ids.length);
    }
  }
});

test("version 1.1 also filters by the day of creation and by who is active; version 1 ignores that", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await addUser(acme, "Grace");
  await addUser(acme, "Alan");
  const createdAt = ["2026-03-01T23:59:59.999999Z", "2026-03-02T00:00:00Z", "2026-03-03T12:00:00Z"];
  await make.write(acme, async (tx) => {
    for (const [index, created_at] of createdAt.entries()) {
      await tx.sql
        .updateTable("users")
        .set({ created_at })
        .where("company_id", "=", tx.company.id)
        .where("id", "=", index + 1)
        .execute();
    }
  });
  await acme.put("/api/v1/users/3/archive");
  const cases = [
    ["filter[created_since]=2026-03-02", [3, 2]],
    ["filter[created_since]=2026-03-01", [3, 2, 1]],
    ["filter[created_since]=2026-03-04", []],
    ["filter[created_since]=0001-01-01", [3, 2, 1]],
    ["filter[created_since]=9999-12-31", []],
    ["filter[active_only]=true", [2, 1]],
    ["filter[active_only]=True", [3, 2, 1]],
    ["filter[active_only]=false", [3, 2, 1]],
    ["filter[active_only]=1", [3, 2, 1]],
    ["filter[active_only]=", [3, 2, 1]],
    ["filter[active_only]=true&filter[created_since]=2026-03-02", [2]],
  ] as const;
  for (const [query, ids] of cases) {
    const { status, body } = await acme.get(`/api/v1.1/users?${query}`);
    assert.deepEqual([query, status, idsOf(body)], [query, 200, ids]);
    assert.deepEqual(idsOf((await acme.get(`/api/v1/users?${query}`)).body), [3, 2, 1]);
  }
  for (const day of ["2026-02-30", "0000-01-01", "2026-3-1", "yesterday", "2026-03-01T00:00:00Z", ""]) {
    const refused = await acme.get(`/api/v1.1/users?filter[created_since]=${day}`);
    assert.deepEqual([day, refused.status], [day, 400]);
    assert.equal((await acme.get(`/api/v1/users?filter[created_since]=${day}`)).status, 200);
  }
});

test("a mistyped filter never returns everyone", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const names = [
    "filter[mail]",
    "filter[]",
    "filter",
    "filter[email][]",
    "filter[email",
    "filter[custom_user_field]",
    "filter[custom_user_field][]",
    "filter[custom_user_field][0]",
    "filter[custom_user_field][-1]",
    "filter[custom_user_field][T-shirt]",
    "filter[__proto__]",
    "filter[group_id]",
    "gt[updated_at]",
  ];
  for (const name of names) {
    for (const version of ["v1", "v1.1"]) {
      const refused = await acme.get(`/api/${version}/users?${encodeURIComponent(name)}=1`);
      assert.deepEqual(refused.body.errors, [{ field: name, message: "is no filter of this list" }]);
    }
  }
  const twice = await acme.get("/api/v1/users?filter[email]=a&filter[email]=b");
  assert.deepEqual(twice.body.errors, [{ field: "filter[email]", message: "must be a string" }]);
});

test("who follows the Link header misses nobody, though users are deleted meanwhile", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await addManyUsers(make, acme, 30);
  const seen: number[] = [];
  let url: string | undefined = "/api/v1/users?per_page=5&unknown=x";
  while (url !== undefined && seen.length <= 31) {
    const answer: Answer = await acme.get(url);
    seen.push(...idsOf(answer.body));
    url = nextOf(answer);
    for (const id of idsOf(answer.body).slice(-3))
      assert.equal((await acme.delete(`/api/v1/users/${id}`)).status, 200);
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 31 }, (_, index) => 31 - index),
  );
  assert.equal((await acme.get("/api/v1/users")).body.total_users, 12);
});

test("a Link header leads on to the same filter, page by page", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await addManyUsers(make, acme, 5);
  await acme.put("/api/v1/users/4/archive");
  const first = await acme.get("/api/v1.1/users.json?filter%5Bactive_only%5D=true&per_page=2");
  assert.deepEqual([first.body.total_users, first.body.total_pages, idsOf(first.body)], [5, 3, [6, 5]]);
  assert.equal(
    first.headers["link"],
    '<http://localhost/api/v1.1/users.json?filter%5Bactive_only%5D=true&per_page=2&page=2&after=5>; rel="next"',
  );
  const second = await acme.get(nextOf(first) ?? "");
  assert.deepEqual([second.body.total_users, second.body.page, idsOf(second.body)], [5, 2, [3, 2]]);
  const third = await acme.get(nextOf(second) ?? "");
  assert.deepEqual([third.body.page, idsOf(third.body), third.headers["link"]], [3, [1], undefined]);
  for (const after of ["x", "0", "-1", "1.5", "", "99999999999999999"]) {
    assert.equal((await acme.get(`/api/v1/users?after=${after}`)).status, 400, after);
  }
});

test("the pages of a long list hold everybody once, whoever was deleted before", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const ids = [1, ...(await addManyUsers(make, acme, 7_000))];
  const gone = new Set(ids.filter((id) => id % 70 === 3 || (id > 2_000 && id < 2_100)));
  for (const id of gone) assert.equal((await acme.delete(`/api/v1/users/${id}`)).status, 200);
  const left = ids.filter((id) => !gone.has(id)).toReversed();
  const pages = fc.record({
    page: fc.integer({ min: 1, max: 40 }),
    per_page: fc.constantFrom(1, 7, 50, 199, 1000),
  });
  await fc.assert(
    fc.asyncProperty(pages, async ({ page, per_page }) => {
      const { body } = await acme.get(`/api/v1/users?page=${page}&per_page=${per_page}`);
      assert.deepEqual(idsOf(body), left.slice((page - 1) * per_page, page * per_page));
      assert.equal(body.total_users, left.length);
      assert.equal(body.total_pages, Math.ceil(left.length / per_page));
    }),
    { numRuns: 60, seed: 20_261_121 },
  );
});

test("no filter finds another company's users", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  await addUser(globex, "Otto", { ext_uid: "O-1", custom_user_fields: [{ name: "T-shirt", value: "M" }] });
  assert.deepEqual(await found(acme, "filter[email]=otto@example.com"), []);
  assert.deepEqual(await found(acme, "filter[ext_uid]=O-1"), []);
  assert.deepEqual(await found(acme, "filter[custom_user_field][1]=M"), []);
  assert.deepEqual(await found(globex, "filter[custom_user_field][1]=M"), [2]);
});

function shirt(value: string) {
  return { custom_user_fields: [{ name: "T-shirt", value }] };
}

async function found(client: Client, query: string): Promise<number[]> {
  return idsOf((await client.get(`/api/v1.1/users?${query}`)).body);
}

function idsOf({ users }: { users: readonly { id: number }[] }): number[] {
  return users.map(({ id }) => id);
}

/** The address that a Link header leads to, without its origin. */
function nextOf({ headers }: Answer): string | undefined {
  const [, next] = /^<http:\/\/localhost(.*)>; rel="next"$/.exec(String(headers["link"])) ?? [];
  return next;
}
