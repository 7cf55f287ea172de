import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, startServer, type TestServer } from "../test/server.ts";

test("a lesson's title, pass mark and visibility change, and its links follow the title at once", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.lesson(acme, { title: "Fire Safety", created_at: "2016-04-03 14:55:00+00" });
  const changed = await acme.put("/api/v1/lessons/1", {
    title: "Feuer & Flamme",
    retake_score: 95,
    public: true,
  });
  assert.equal(changed.status, 200);
  const { last_updated_at } = changed.body;
  assertNow(last_updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual(changed.body, {
    id: 1,
    type: "update_lesson",
    resource_type: "lesson",
    title: "Feuer & Flamme",
    description: null,
    assignees_count: 0,
    completed_count: 0,
    retake_score: 95,
    public: true,
    created_at: "2016-04-03T14:55:00Z",
    last_updated_at,
    archived_at: null,
    archived_by_user_id: null,
    tags: [],
    links: {
      overview: "https://lectern.test/lessons/1-feuer-flamme",
      shareable: "https://lectern.test/lesson/1-feuer-flamme",
    },
  });
  assert.deepEqual((await acme.get("/api/v1/lessons/1")).body, { ...changed.body, type: "lesson" });
  assert.deepEqual(await listDeeds(lectern, acme), [
    {
      action: "update_lesson",
      resource_id: 1,
      before: { title: "Fire Safety", retake_score: 80, public: false },
      after: { title: "Feuer & Flamme", retake_score: 95, public: true },
    },
  ]);
});

test("what the body leaves out stays, and what it repeats is no change", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.lesson(acme, { title: "Fire Safety", retake_score: 60 });
  const before = (await acme.get("/api/v1/lessons/1")).body;
  const { body } = await acme.put("/api/v1/lessons/1", { public: true, retake_score: 60 });
  const { last_updated_at } = body;
  assert.notEqual(last_updated_at, null);
  assert.deepEqual(body, { ...before, type: "update_lesson", public: true, last_updated_at });
  const [deed] = await listDeeds(lectern, acme);
  assert.deepEqual([deed?.before, deed?.after], [{ public: false }, { public: true }]);
});

test("a lesson that is sent back whole, as clients do, stays as it is", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.lesson(acme, { title: "No retakes", retake_score: 0, public: true });
  const shown = (await acme.get("/api/v1/lessons/1")).body;
  const same = { status: 200, body: { ...shown, type: "update_lesson" } };
  for (const body of [shown, {}, undefined, { title: "No retakes" }, { retake_score: "0" }]) {
    const answer = await acme.put("/api/v1/lessons/1", body);
    assert.deepEqual({ status: answer.status, body: answer.body }, same);
  }
  assert.deepEqual(await listDeeds(lectern, acme), []);
});

test("keys that can't be written are ignored", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.lesson(acme);
  const before = (await acme.get("/api/v1/lessons/1")).body;
  const { status } = await acme.put("/api/v1/lessons/1", {
    id: 7,
    company_id: 2,
    description: "Another",
    created_at: "2000-01-01T00:00:00Z",
    archived_at: "2020-01-01T00:00:00Z",
    assignees_count: 5,
    tags: [{ id: 3 }],
    links: {},
  });
  assert.equal(status, 200);
  assert.deepEqual((await acme.get("/api/v1/lessons/1")).body, before);
});

test("a value that can't be is refused with its field, and nothing is changed", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.lesson(acme);
  const before = (await acme.get("/api/v1/lessons/1")).body;
  const cases = [
    ["title", "", "can't be empty"],
    ["title", " \n\t", "can't be empty"],
    ["title", "x".repeat(1001), "can have at most 1000 characters"],
    ["title", null, "must be a string"],
    ["title", 5, "must be a string"],
    ["title", ["a"], "must be a string"],
    ["title", "a\0b", "holds a character that no text has (NUL or half of a pair)"],
    ["retake_score", 0, "must be a positive integer"],
    ["retake_score", "0", "must be a positive integer"],
    ["retake_score", -1, "must be at least 0"],
    ["retake_score", 101, "must be at most 100"],
    ["retake_score", 1e30, "must be at most 100"],
    ["retake_score", 79.5, "must be an integer"],
    ["retake_score", "eighty", "must be an integer"],
    ["retake_score", null, "must be an integer"],
    ["public", "yes", "must be a boolean"],
    ["public", 1, "must be a boolean"],
    ["public", null, "must be a boolean"],
  ] as const;
  for (const [field, value, message] of cases) {
    const answer = await acme.put("/api/v1/lessons/1", { title: "Changed", public: true, [field]: value });
    assert.equal(answer.status, 400, `${field}: ${JSON.stringify(value)}`);
    const { request_id: _id, ...error } = answer.body;
    assert.deepEqual(error, {
      type: "error",
      status: 400,
      error: "Malformed Request",
      message: `${field} ${message}`,
      errors: [{ field, message }],
    });
  }
  assert.deepEqual((await acme.get("/api/v1/lessons/1")).body, before);
  assert.deepEqual(await listDeeds(lectern, acme), []);
});

test("the limits themselves are taken, and so are numbers and booleans that arrive as text", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.lesson(acme);
  const title = "é".repeat(999) + "😀";
  const accepted = [
    { title },
    { title: "x" },
    { title: " <b>'; drop table lessons; --" },
    { retake_score: 1 },
    { retake_score: 100 },
  ];
  for (const body of accepted) {
    const answer = await acme.put("/api/v1/lessons/1", body);
    assert.equal(answer.status, 200);
    for (const [key, value] of Object.entries(body)) assert.equal(answer.body[key], value);
  }
  const form = await acme.request({
    method: "PUT",
    url: "/api/v1/lessons/1",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: "title=By+form&retake_score=70&public=true",
  });
  const { body } = form;
  assert.deepEqual([form.status, body.title, body.retake_score, body.public], [200, "By form", 70, true]);
});

test("a lesson is archived by the key's maker, in the company's time, and restored", async () => {
  await using lectern = await startServer();
  const york = await lectern.addCompany({ subdomain: "york", time_zone: "America/New_York" });
  await lectern.make.lesson(york, { title: "Fire Safety" });
  await lectern.make.write(york, (tx) =>
    tx.sql
      .updateTable("api_keys")
      .set({ made_by_user_id: 1 })
      .where("company_id", "=", tx.company.id)
      .execute(),
  );
  const active = (await york.get("/api/v1/lessons/1")).body;
  const archived = await york.put("/api/v1/lessons/1/archive");
  assert.equal(archived.status, 200);
  const { archived_at } = archived.body;
  assertNow(archived_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-0[45]:00$/);
  assert.deepEqual(archived.body, { ...active, archived_at, archived_by_user_id: 1 });
  assert.deepEqual((await york.get("/api/v1/lessons/1")).body, archived.body);
  const again = await york.put("/api/v1/lessons/1/archive");
  assert.deepEqual([again.status, again.body], [200, archived.body]);
  assert.deepEqual((await york.get("/api/v1/lessons")).body, {
    type: "lessons",
    lessons: [{ id: 1, title: "Fire Safety", archived_at, archived_by_user_id: 1 }],
  });
  for (let time = 1; time <= 2; time += 1) {
    const restored = await york.put("/api/v1/lessons/1/restore");
    assert.deepEqual([restored.status, restored.body], [200, active]);
  }
  const deeds = await listDeeds(lectern, york);
  assert.deepEqual(
    deeds.map(({ action }) => action),
    ["archive_lesson", "restore_lesson"],
  );
});

test("a key that was made on the command line archives in nobody's name", async () => {
  await using lectern = await startServer();
  await lectern.make.lesson(lectern.acme);
  const { body } = await lectern.acme.put("/api/v1/lessons/1/archive");
  assert.match(body.archived_at, /\+00:00$/);
  assert.equal(body.archived_by_user_id, null);
});

test("an archived lesson can be changed, and stays archived", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.lesson(acme, { archived_at: "2021-06-30 22:00:00.5+00" });
  const { status, body } = await acme.put("/api/v1/lessons/1", { title: "Changed" });
  assert.equal(status, 200);
  assert.deepEqual([body.title, body.archived_at], ["Changed", "2021-06-30T22:00:00.500+00:00"]);
});

test("of two that archive at the same moment one does, and both get the same answer", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  await make.lesson(acme);
  const answers = await Promise.all([1, 2, 3, 4].map(() => acme.put("/api/v1/lessons/1/archive")));
  for (const answer of answers) assert.deepEqual([answer.status, answer.body], [200, answers[0]?.body]);
  assert.equal((await listDeeds(lectern, acme)).length, 1);
});

interface Deed {
  readonly action: string;
  readonly resource_id: number | null;
  readonly before: unknown;
  readonly after: unknown;
}

/** What the audit tells of lessons, in the order of the deeds. */
async function listDeeds({ database }: TestServer, client: Client): Promise<Deed[]> {
  return database.read(client.company, (tx) =>
    tx.sql
      .selectFrom("audit_log")
      .select(["action", "resource_id", "before", "after"])
      .where("company_id", "=", tx.company.id)
      .where("resource_type", "=", "lesson")
      .orderBy("at")
      .execute(),
  );
}

function assertNow(text: string, format: RegExp): void {
  assert.match(text, format);
  assert.ok(Math.abs(Date.parse(text) - Date.now()) < 60_000, `${text} is now`);
}
