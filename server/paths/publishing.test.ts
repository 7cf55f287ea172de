import assert from "node:assert/strict";
import { after, test } from "node:test";
import { assertCountsOf } from "../test/counts.ts";
import { assign, setProgress, setState, takeTime } from "../test/learning.ts";
import { signIn } from "../test/person.ts";
import { type Answer, type Client, startServer } from "../test/server.ts";

const lectern = await startServer();
after(() => lectern[Symbol.asyncDispose]());

/** A company with lessons A, B and C. */
async function openCompany(subdomain: string): Promise<Client> {
  const client = await lectern.addCompany({ subdomain });
  for (const title of ["A", "B", "C"]) await lectern.make.lesson(client, { title });
  return client;
}

function patch(client: Client, url: string, payload: object, headers: Record<string, string> = {}) {
  return client.request({ method: "PATCH", url, payload, headers });
}

function stepsOf({ body }: Answer): string[] {
  return body.contents.map(({ step_id }: { step_id: string }) => step_id);
}

test("a creator builds a path step by step, publishes it, and version 1 shows it", async () => {
  const client = await openCompany("building");
  const cleo = await signIn(lectern, client, { role: "creator", name: "Cleo" });
  const tag = await lectern.make.tag(client, "Newcomers");
  const made = await cleo.post("/api/v2/paths", { title: " Onboarding ", tag_ids: [tag], public: true });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = made.body;
  assert.deepEqual(made.body, {
    id,
    resource_type: "path",
    title: "Onboarding",
    description: "",
    language: "en",
    enforced_order: false,
    public: false,
    is_certification: false,
    valid_months: null,
    valid_until_day: null,
    renewal_days: 30,
    counts_elsewhere: true,
    owner_id: cleo.user_id,
    published_version: null,
    published_at: null,
    publisher_id: null,
    created_at: takeTime(made.body.created_at),
    last_updated_at: null,
    archived_at: null,
    archived_by_user_id: null,
    tags: [],
    links: {
      overview: `https://lectern.test/paths/${id}-onboarding`,
      shareable: `https://lectern.test/path/${id}-onboarding`,
    },
    contents: [],
  });
  const url = `/api/v2/paths/${id}`;
  assert.equal((await cleo.post(`${url}/publish`, {})).status, 409, "it is empty");
  await cleo.post(`${url}/draft/steps`, { type: "lesson", lesson_id: 1 });
  const waiting = await cleo.post(`${url}/draft/steps`, { type: "wait_step", amount: 2, unit: "days" });
  assert.equal(waiting.status, 201);
  const wait = stepsOf(waiting)[1] ?? "";
  await cleo.post(`${url}/draft/steps`, { type: "lesson", lesson_id: 2 });
  await cleo.post(`${url}/draft/steps`, { type: "lesson", lesson_id: 1, position: 0 });
  await cleo.post(`${url}/draft/steps`, { type: "placeholder", description: "Coffee" });
  const named = await cleo.get(`${url}/draft`);
  const coffee = stepsOf(named)[4] ?? "";
  assert.deepEqual(stepsOf(named), ["lesson-1", "lesson-1-2", wait, "lesson-2", coffee]);
  await cleo.delete(`${url}/draft/steps/lesson-1-2`);
  await cleo.patch(`${url}/draft/steps/${wait}`, { condition: "date", wait_until: "2099-01-31" });
  const moved = await cleo.post(`${url}/draft/steps/${coffee}/move`, { position: 0 });
  assert.deepEqual(stepsOf(moved), [coffee, "lesson-1", wait, "lesson-2"]);
  assert.equal(moved.headers["etag"], (await cleo.get(`${url}/draft`)).headers["etag"]);
  assert.deepEqual(moved.body.contents[2], {
    step_id: wait,
    type: "wait_step",
    id: Number(wait.split("-")[1]),
    effect: "locked",
    condition: "date",
    unit: "days",
    amount: 0,
    wait_until: "2099-01-31",
  });

  const published = await cleo.post(`${url}/publish`, { note: "The first" });
  assert.equal(published.status, 201, JSON.stringify(published.body));
  assert.deepEqual(published.body, {
    path_id: id,
    number: 1,
    note: "The first",
    learners: "nothing",
    due_by: null,
    resource_type: "path_version",
    title: "Onboarding",
    published_at: takeTime(published.body.published_at),
    published_by: cleo.user_id,
    changes: {
      settings: [],
      contents: [coffee, "lesson-1", wait, "lesson-2"].map((step_id) => ({ step_id, change: "added" })),
    },
    asked_again: 0,
    completed: 0,
  });
  const { body: v1 } = await client.get(`/api/v1/paths/${id}`);
  assert.deepEqual(
    [v1.public, v1.publisher_id, v1.tags, v1.last_updated_at],
    [true, cleo.user_id, [{ id: tag, resource_type: "tag", name: "Newcomers" }], published.body.published_at],
  );
  assert.deepEqual(
    v1.contents.map(({ resource_type }: { resource_type: string }) => resource_type),
    ["placeholder", "lesson", "wait_step", "lesson"],
  );
  assert.equal((await cleo.post(`${url}/publish`, {})).status, 409, "nothing has changed");
});

test("a draft is edited whole, versions are kept and come back, and a copy has steps of its own", async () => {
  const client = await openCompany("versions");
  const contents = [
    { type: "lesson", lesson_id: 1 },
    { type: "wait_step", amount: 1, unit: "weeks" },
    { type: "lesson", lesson_id: 2 },
    { type: "lesson", lesson_id: 3 },
  ];
  const { body: made } = await client.post("/api/v2/paths", { title: "Way", contents });
  const url = `/api/v2/paths/${made.id}`;
  await client.post(`${url}/publish`, {});
  const draft = await client.get(`${url}/draft`);
  const { id: _id, resource_type: _type, based_on, updated_at: _at, updated_by: _by, ...whole } = draft.body;
  assert.equal(based_on, 1);
  const [first, wait, second, third] = whole.contents;
  const put = await client.request({
    method: "PUT",
    url: `${url}/draft`,
    payload: {
      ...whole,
      title: "Longer way",
      contents: [third, first, { ...wait, amount: 3 }, { ...first }],
    },
    headers: { "if-match": String(draft.headers["etag"]) },
  });
  assert.equal(put.status, 200, JSON.stringify(put.body));
  const late = await patch(
    client,
    `${url}/draft`,
    { title: "Mine" },
    { "if-match": String(draft.headers["etag"]) },
  );
  assert.equal(late.status, 412);
  assert.deepEqual([late.body.yours, late.body.current.title], [{ title: "Mine" }, "Longer way"]);

  const { body: publication } = await client.post(`${url}/publish`, {});
  assert.deepEqual(publication.changes, {
    settings: ["title"],
    contents: [
      { step_id: second.step_id, change: "removed" },
      { step_id: third.step_id, change: "moved" },
      { step_id: wait.step_id, change: "changed" },
      { step_id: "lesson-1-2", change: "added" },
    ],
  });
  const listed = await client.get(`${url}/versions?limit=1`);
  assert.deepEqual(
    listed.body.data.map(({ number, title }: { number: number; title: string }) => [number, title]),
    [[2, "Longer way"]],
  );
  const { body: older } = await client.get(`${url}/versions?limit=1&cursor=${listed.body.next}`);
  assert.deepEqual([older.data[0].number, older.next], [1, null]);
  const { body: version } = await client.get(`${url}/versions/1`);
  assert.deepEqual(version.contents, whole.contents);
  const restored = await client.post(`${url}/versions/1/restore`);
  assert.deepEqual(
    [restored.body.title, restored.body.contents, restored.body.based_on],
    ["Way", whole.contents, 1],
  );
  const { body: copy } = await client.post(`${url}/copy`, { title: "Copy" });
  const { body: copied } = await client.get(`/api/v2/paths/${copy.id}/draft`);
  assert.notEqual(copied.contents[1].id, wait.id);
  assert.deepEqual(stepsOf({ ...restored, body: copied }).toSpliced(1, 1), [
    "lesson-1",
    "lesson-2",
    "lesson-3",
  ]);
});

test("what can't be in a path is refused, with a pointer to it", async () => {
  const client = await openCompany("refusals");
  const { body: outer } = await client.post("/api/v2/paths", {
    title: "Outer",
    contents: [{ type: "lesson", lesson_id: 1 }],
  });
  const { body: inner } = await client.post("/api/v2/paths", {
    title: "Inner",
    contents: [{ type: "path", path_id: outer.id }],
  });
  const pointers = async (url: string, body: object) => {
    const answer = await patch(client, url, body);
    assert.equal(answer.status, 422, JSON.stringify(answer.body));
    return answer.body.errors.map(
      ({ pointer, detail }: { pointer: string; detail: string }) => `${pointer} ${detail}`,
    );
  };
  const url = `/api/v2/paths/${outer.id}/draft`;
  await client.put("/api/v1/lessons/2/archive");
  assert.deepEqual(
    await pointers(url, {
      contents: [
        { type: "lesson", lesson_id: 77 },
        { type: "lesson", lesson_id: 2 },
        { type: "path", path_id: 88 },
      ],
    }),
    [
      "/contents/0/lesson_id names no lesson of this company",
      "/contents/1/lesson_id is archived: restore the lesson first",
      "/contents/2/path_id names no path of this company",
    ],
  );
  assert.deepEqual(
    await pointers(url, {
      contents: [
        { type: "wait_step", condition: "date" },
        { type: "wait_step", id: 5, lesson_id: 1, amount: 1, unit: "days" },
        { type: "placeholder", unit: "days" },
      ],
    }),
    [
      "/contents/0/wait_until must be a date, such as 2026-12-31",
      "/contents/1/lesson_id is no field of a wait_step",
      "/contents/1/id names no such step of this path: leave it out for a new one",
      "/contents/2/unit is no field of a placeholder",
    ],
  );
  assert.deepEqual(await pointers(url, { valid_months: 1, valid_until_day: "02-30", renewal_days: 40 }), [
    "/valid_until_day can't stand beside valid_months: make one of the two null",
    "/valid_until_day is no day of any year",
    "/renewal_days is as long as a certificate is valid: renewing would never end",
  ]);
  // Inner is a draft that nobody has published: it holds outer, but not for learners. Once it is out there is a circle.
  const step = { type: "path", path_id: inner.id };
  assert.equal((await client.post(`${url}/steps`, step)).status, 201);
  const early = await client.post(`/api/v2/paths/${outer.id}/publish`, {});
  assert.equal(early.body.errors[0].pointer, "/contents/1/path_id");
  await client.delete(`${url}/steps/path-${inner.id}`);
  await client.post(`/api/v2/paths/${outer.id}/publish`, {});
  assert.equal((await client.post(`/api/v2/paths/${inner.id}/publish`, {})).status, 201);
  const circle = await client.post(`${url}/steps`, step);
  assert.equal(circle.status, 422);
  assert.deepEqual(circle.body.errors, [
    {
      pointer: "/path_id",
      field: "path_id",
      detail: `can't stand here: path ${outer.id} contains itself: ${outer.id} → ${inner.id} → ${outer.id}`,
    },
  ]);
});

test("publishing completes whom nothing is left for, leaves what is completed, and asks again when told so", async () => {
  const client = await openCompany("learners");
  const contents = [1, 2].map((lesson_id) => ({ type: "lesson", lesson_id }));
  const { body: made } = await client.post("/api/v2/paths", { title: "Way", contents });
  const url = `/api/v2/paths/${made.id}`;
  await client.post(`${url}/publish`, {});
  const people = await Promise.all(
    ["a", "b"].map((name) =>
      client.post("/api/v1/users", { name, email: `${name}@example.com`, role_id: 32 }),
    ),
  );
  const [half, done] = await assign(
    client,
    `paths/${made.id}`,
    people.map(({ body }) => ({ assignee_id: body.id })),
  );
  const school = { lectern, client };
  const completed = { status: "Completed", score: 81, completed_at: "2026-01-01 00:00:00+00" } as const;
  await setProgress(school, { assignment_id: half.id, lesson_id: 1 }, completed);
  await setState(school, done.id, completed);
  const statuses = async () => {
    const { body } = await client.get(`/api/v1/paths/${made.id}/assignments`);
    return body.assignments.map(
      ({ status, score, due_by }: { status: string; score: number; due_by: string }) => [
        status,
        score,
        due_by,
      ],
    );
  };
  await patch(client, `${url}/draft`, { contents: contents.slice(0, 1) });
  assert.equal((await client.post(`${url}/publish`, {})).body.completed, 1);
  assert.deepEqual(await statuses(), [
    ["Completed", 81, null],
    ["Completed", 81, null],
  ]);
  await patch(client, `${url}/draft`, { contents: [...contents, { type: "lesson", lesson_id: 3 }] });
  await client.post(`${url}/publish`, { learners: "tell" });
  assert.deepEqual((await statuses())[0], ["Completed", 81, null]);
  await patch(client, `${url}/draft`, { contents });
  const again = await client.post(`${url}/publish`, { learners: "ask_again", due_by: "2099-12-31" });
  assert.equal(again.body.asked_again, 2);
  assert.deepEqual(await statuses(), [
    ["Incomplete", 81, "2099-12-31T00:00:00Z"],
    ["Incomplete", 81, "2099-12-31T00:00:00Z"],
  ]);
  await assertCountsOf(lectern.ownerUrl, [client.company]);
});

test("a path is its creator's until it is shared", async () => {
  const client = await openCompany("sharing");
  const cleo = await signIn(lectern, client, { role: "creator", name: "Cleo" });
  const carl = await signIn(lectern, client, { role: "creator", name: "Carl" });
  const { body: made } = await cleo.post("/api/v2/paths", { title: "Way" });
  const url = `/api/v2/paths/${made.id}`;
  const deeds = () =>
    Promise.all([
      carl.get(`${url}/draft`),
      carl.patch(`${url}/draft`, { description: "Long" }),
      carl.post(`${url}/draft/steps`, { type: "lesson", lesson_id: 1 }),
      carl.get(`${url}/versions`),
      carl.post(`${url}/archive`),
    ]);
  assert.deepEqual(
    (await deeds()).map(({ status }) => status),
    [404, 404, 404, 404, 404],
  );
  assert.equal((await cleo.put(`${url}/authors/${carl.user_id}`, { role: "author" })).status, 200);
  assert.deepEqual((await carl.get(`${url}/authors`)).body.data, [
    { user_id: cleo.user_id, name: "Cleo", role: "owner" },
    { user_id: carl.user_id, name: "Carl", role: "author" },
  ]);
  assert.deepEqual(
    (await carl.get("/api/v2/paths?filter[mine]=true")).body.data.map(({ id }: { id: number }) => id),
    [made.id],
  );
  assert.equal((await carl.post(`${url}/archive`)).status, 200);
  assert.equal((await cleo.patch(`${url}/draft`, { title: "X" })).status, 409);
  assert.equal((await cleo.post(`${url}/restore`)).body.archived_at, null);
  const learner = await signIn(lectern, client);
  assert.equal((await learner.get("/api/v2/paths")).status, 403);
});
