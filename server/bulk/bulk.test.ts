import assert from "node:assert/strict";
import { test } from "node:test";
import { addGroup, addUser } from "../test/people.ts";
import { type Answer, type Client, startServer, type TestServer } from "../test/server.ts";
import { forgetBulkJobs } from "./forget.ts";
import { workBulkJobs } from "./work.ts";

test("users are made, changed, left alone and refused, each row with its outcome", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const grace = await addUser(acme, "Grace Hopper", { ext_uid: "E-1", department: "Sales" });
  const rows = [
    { ext_uid: "E-1", email: "grace.hopper@example.com", department: "Support" },
    { email: "grace.hopper@example.com", department: "Support" },
    {
      email: "alan@example.com",
      name: "Alan Turing",
      role: "learner",
      custom_user_fields: [{ name: "T", value: "M" }],
    },
    { email: "alan@example.com", job_title: "Analyst", custom_user_fields: [{ name: "t", value: "M" }] },
    { email: "mary@example.com", name: "Mary" },
    { email: "x@example.com", name: "X", role_id: 32, nickname: "x" },
    { ext_uid: "E-1", email: "alan@example.com" },
    { ext_uid: "E-1", email: "grace@example.com" },
    { email: "grace.hopper@example.com", name: "Another Grace", role: "learner" },
    { name: "Nobody" },
  ];
  const expected = [
    [1, "updated", grace.id, []],
    [2, "unchanged", grace.id, []],
    [3, "created", 3, []],
    [4, "updated", 3, []],
    [5, "refused", null, [{ field: "role_id", message: "is required, or role" }]],
    [6, "refused", null, [{ field: "nickname", message: "is not known here" }]],
    [7, "refused", null, [{ field: "email", message: "is taken by another user" }]],
    [8, "updated", grace.id, []],
    [9, "created", 4, []],
    [10, "refused", null, [{ field: "email", message: "is required, or ext_uid" }]],
  ];
  const dry = await work(lectern, acme, "users", { rows, dry_run: true });
  assert.deepEqual(dry.job.outcomes, { created: 2, updated: 3, removed: 0, unchanged: 1, refused: 4 });
  const without = expected.map(([row, outcome, id, errors]) => [
    row,
    outcome,
    id === 3 || id === 4 ? null : id,
    errors,
  ]);
  assert.deepEqual(dry.results, without);
  assert.equal((await acme.get("/api/v1/users")).body.total_users, 2);
  const real = await work(lectern, acme, "users", { rows });
  assert.deepEqual(real.results, expected);
  const { outcomes, created_at: _created, started_at: _started, finished_at: _finished, ...job } = real.job;
  assert.deepEqual(job, {
    ...{ id: 2, kind: "users", mode: "row_by_row", dry_run: false, status: "done" },
    ...{ total: 10, done: 10, message: null },
  });
  assert.deepEqual(outcomes, dry.job.outcomes);
  const { body: alan } = await acme.get("/api/v1/users/3");
  assert.equal(alan.job_title, "Analyst");
  assert.deepEqual(alan.custom_user_field_data, [{ id: 1, custom_user_field_id: 1, name: "T", value: "M" }]);
  assert.equal((await acme.get("/api/v1/users")).body.total_users, 4);
});

test("all or nothing: one refused row refuses all, and CSV says the same as JSON", async () => {
  await using lectern = await startServer();
  const { acme, app } = lectern;
  const csv = [
    "\uFEFFname,email,role_id,ext_uid,hire_date,custom_user_fields[Team]",
    'Ada L,ada.l@example.com,32,,2020-02-01,"A, or B"',
    "Bob,bob@example.com,32,'=1+1,2020-02-30,",
    "Short,row",
  ].join("\r\n");
  const send = (payload: string, query: string) =>
    app.inject({
      method: "POST",
      url: `/api/v2/users/bulk${query}`,
      headers: { authorization: acme.authorization, "content-type": "text/csv" },
      payload,
    });
  const made = await send(csv, "?mode=all_or_nothing");
  assert.equal(made.statusCode, 202, made.body);
  await workBulkJobs(lectern.database);
  const { body: job } = await acme.get("/api/v2/jobs/1");
  assert.equal(job.status, "refused");
  assert.equal(job.message, "2 of 3 rows are refused, so nothing was done: correct them, and send all again");
  const results = await app.inject({
    url: "/api/v2/jobs/1/results?format=csv",
    headers: { authorization: acme.authorization },
  });
  assert.equal(
    results.body,
    "row,outcome,id,errors\r\n1,,,\r\n" +
      '2,refused,,"hire_date must be a date that exists, written YYYY-MM-DD"\r\n' +
      '3,refused,,"row has 2 cells, where the header has 6"\r\n',
  );
  await send(csv.split("\r\n").slice(0, 2).join("\n"), "?mode=all_or_nothing");
  await workBulkJobs(lectern.database);
  const { body: ada } = await acme.get("/api/v1/users/2");
  assert.deepEqual([ada.hire_date, ada.custom_user_field_data[0].value], ["2020-02-01", "A, or B"]);
  const wrong = await send("name,emial\r\nA,b@c", "");
  assert.equal(wrong.statusCode, 422);
  assert.match(wrong.body, /header\[1\]/);
});

test("memberships and assignments come and go by rows", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const [grace, alan] = [
    await addUser(acme, "Grace Hopper"),
    await addUser(acme, "Alan Turing", { ext_uid: "A" }),
  ];
  const group = await addGroup(acme, "Sales");
  const lesson = await lectern.make.lesson(acme);
  const members = await work(lectern, acme, "memberships", {
    rows: [
      { group_name: "Sales", email: "Grace.Hopper@example.com" },
      { group_id: group.id, user_id: grace.id },
      { group_id: group.id, ext_uid: "A", role: "manager" },
      { group_id: group.id, user_id: grace.id, remove: true },
      { group_id: 99, ext_uid: "B" },
    ],
  });
  assert.deepEqual(members.results, [
    [1, "created", grace.id, []],
    [2, "unchanged", grace.id, []],
    [3, "created", alan.id, []],
    [4, "removed", grace.id, []],
    [
      ...[5, "refused", null],
      [
        { field: "ext_uid", message: "names no user of this company" },
        { field: "group_id", message: "names no group of this company" },
      ],
    ],
  ]);
  const thing = { assignable_type: "Lesson", assignable_id: lesson };
  const assigned = await work(lectern, acme, "assignments", {
    rows: [
      { user_id: grace.id, ...thing, due_by: "2099-01-01" },
      { user_id: grace.id, ...thing },
      { ext_uid: "A", ...thing },
      { user_id: grace.id, ...thing, remove: true },
      { user_id: grace.id, ...thing, remove: true },
      { user_id: grace.id, ...thing, assignable_id: 77 },
    ],
  });
  assert.deepEqual(assigned.results, [
    [1, "created", 1, []],
    [2, "unchanged", 1, []],
    [3, "created", 2, []],
    [4, "removed", 1, []],
    [5, "unchanged", null, []],
    [6, "refused", null, [{ field: "assignable_id", message: "names no lesson of this company" }]],
  ]);
  const { body } = await acme.get(`/api/v1/lessons/${lesson}/assignments`);
  assert.equal(body.total_assignments, 1);
});

test("rows of any make are refused one by one, and a body that can't be read as a whole", async () => {
  await using lectern = await startServer();
  const { acme, app } = lectern;
  const send = (type: string, payload: string) =>
    app.inject({
      method: "POST",
      url: "/api/v2/users/bulk",
      headers: { authorization: acme.authorization, "content-type": type },
      payload,
    });
  const deep = `{"email":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
  const lines = ["null", '{"\\u0000":1}', '{"email":"a@b","name":"\\ud800"}', "{bad", deep];
  assert.equal((await send("application/x-ndjson", lines.join("\n"))).statusCode, 202);
  await workBulkJobs(lectern.database);
  const { body } = await acme.get("/api/v2/jobs/1/results?filter[outcome]=refused");
  assert.deepEqual(
    body.data.map(({ errors }: { errors: object[] }) => errors[0]),
    [
      { field: "row", message: "must be an object" },
      { field: "row", message: "is not known here" },
      { field: "row", message: "holds a character that no text has (NUL or half of a pair)" },
      { field: "row", message: "is not JSON" },
      { field: "email", message: "must be a string" },
    ],
  );
  for (const [type, payload] of [
    ["text/csv", ""],
    ["text/csv", 'email\na"b'],
    ["application/json", '{"rows":[]}'],
    ["application/json", '{"rows":[1]}'],
    ["application/json", ""],
  ] as const) {
    assert.equal((await send(type, payload)).statusCode, 422, payload);
  }
});

test("a job is cancelled, and no step of it is done afterwards", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const made = await acme.post("/api/v2/users/bulk", {
    rows: [{ email: "a@b", name: "A", role: "learner" }],
  });
  assert.equal(made.status, 202, JSON.stringify(made.body));
  const cancelled = await acme.post("/api/v2/jobs/1/cancel");
  assert.equal(cancelled.body.status, "cancelled");
  await workBulkJobs(lectern.database);
  assert.equal((await acme.get("/api/v2/jobs/1")).body.done, 0);
  assert.equal((await acme.post("/api/v2/jobs/1/cancel")).status, 409);
  assert.equal((await lectern.globex.get("/api/v2/jobs/1")).status, 404);
  const { body } = await acme.get("/api/v2/jobs?filter[status]=cancelled");
  assert.deepEqual([body.data.length, body.next], [1, null]);
  const given = () =>
    lectern.make.write(acme, async (tx) => {
      const rows = await tx.sql
        .selectFrom("bulk_rows")
        .select("given")
        .where("company_id", "=", tx.company.id)
        .execute();
      return rows.map((row) => row.given);
    });
  assert.deepEqual(await given(), [{ email: "a@b", name: "A", role: "learner" }]);
  await forgetBulkJobs(lectern.database);
  assert.deepEqual(await given(), [{}]);
  await lectern.make.write(acme, async (tx) => {
    const finished_at = new Date(Date.now() - 31 * 86_400_000).toISOString();
    await tx.sql
      .updateTable("bulk_jobs")
      .set({ finished_at })
      .where("company_id", "=", tx.company.id)
      .execute();
  });
  await forgetBulkJobs(lectern.database);
  assert.equal((await acme.get("/api/v2/jobs/1")).status, 404);
});

async function work(
  { database }: TestServer,
  client: Client,
  kind: string,
  body: object,
): Promise<{ job: Answer["body"]; results: unknown[][] }> {
  const made = await client.post(`/api/v2/${kind}/bulk`, body);
  assert.equal(made.status, 202, JSON.stringify(made.body));
  assert.equal(made.body.status, "waiting");
  await workBulkJobs(database);
  const { body: job } = await client.get(`/api/v2/jobs/${made.body.id}`);
  const { body: results } = await client.get(`/api/v2/jobs/${made.body.id}/results`);
  const rows: { row: number; outcome: string; id: number; errors: object[] }[] = results.data;
  return { job, results: rows.map(({ row, outcome, id, errors }) => [row, outcome, id, errors]) };
}
