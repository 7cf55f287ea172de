import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCountsHold } from "../test/counts.ts";
import { addGroup } from "../test/people.ts";
import { type Person, signIn } from "../test/person.ts";
import { type Answer, startServer, type TestServer } from "../test/server.ts";
import { begin, finish, save } from "../test/taking.ts";
import { teach, trueFalse } from "../test/taught.ts";

test("assignments in version 2", async (t) => {
  await using lectern = await startServer();
  await t.test("they are made, changed, shown and taken away", () => edits(lectern));
  await t.test("lists are filtered, sorted and paged", () => lists(lectern));
  await t.test("a manager reaches the members of their groups alone", () => manages(lectern));
  await t.test("a path is taken step by step, to its end", () => takesPath(lectern));
  await t.test("a lesson that is published anew is asked again, in its new version", () =>
    asksAgain(lectern),
  );
  await t.test("a repeated request has one effect", () => repeats(lectern));
  await assertCountsHold(lectern);
});

async function addUsers(lectern: TestServer, count: number): Promise<Person[]> {
  const people: Person[] = [];
  for (let index = 0; index < count; index += 1) people.push(await signIn(lectern, lectern.acme));
  return people;
}

function wish(assignable_id: number, ...people: readonly Person[]) {
  return { user_ids: people.map(({ user_id }) => user_id), assignable_type: "Lesson", assignable_id };
}

function idsOf({ body }: Answer): number[] {
  return body.data.map(({ id }: { id: number }) => id);
}

async function edits(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const lesson_id = await teach(lectern, acme, { title: "Ladders", pages: [[trueFalse("tf")]] });
  const [ann] = await addUsers(lectern, 1);
  assert.ok(ann);
  const made = await acme.post("/api/v2/assignments", { ...wish(lesson_id, ann), due_by: "2099-01-31" });
  const [assignment] = made.body.data;
  assert.deepEqual(assignment, {
    ...{ id: assignment.id, resource_type: "assignment", user_id: ann.user_id, group_id: null },
    ...{ assignable_type: "Lesson", assignable_id: lesson_id, assigned_at: assignment.assigned_at },
    ...{ due_by: "2099-01-31T00:00:00Z", reassigned_at: null, started_at: null, completed_at: null },
    ...{ updated_at: assignment.assigned_at, status: "Incomplete", score: null },
  });
  const url = `/api/v2/assignments/${assignment.id}`;
  const shown = await acme.get(url);
  assert.deepEqual([shown.body.user.id, shown.body.content], [ann.user_id, { title: "Ladders" }]);
  const { etag } = (await acme.get(url)).headers;
  const patch = (due_by: string | null, match: unknown) =>
    acme.request({ method: "PATCH", url, payload: { due_by }, headers: { "if-match": String(match) } });
  const changed = await patch("2020-01-31", etag);
  assert.deepEqual(
    [changed.status, changed.body.due_by, changed.body.status],
    [200, "2020-01-31T00:00:00Z", "Overdue"],
  );
  const stale = await patch(null, etag);
  assert.deepEqual(
    [stale.status, stale.body.current, stale.body.yours],
    [412, changed.body, { due_by: null }],
  );
  assert.deepEqual(idsOf(await acme.get("/api/v2/assignments?filter[status]=Overdue")), [assignment.id]);
  assert.deepEqual(idsOf(await ann.get("/api/v2/my/assignments?filter[state]=overdue")), [assignment.id]);
  assert.equal((await acme.post(`${url}/reassign`, {})).status, 409);
  assert.deepEqual((await acme.delete(url)).body, { id: assignment.id });
  assert.equal((await acme.get(url)).status, 404);
  const refused = await acme.post("/api/v2/assignments", {
    ...wish(lesson_id, ann),
    user_ids: [ann.user_id, 9_999],
  });
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, "/user_ids/1"]);
  assert.equal((await acme.post("/api/v2/assignments", wish(9_999, ann))).status, 404);
  for (const id of [1e300, 2 ** 53]) {
    assert.ok((await acme.post("/api/v2/assignments", wish(id, ann))).status < 500);
    assert.ok((await ann.post("/api/v2/attempts", { lesson_id: id })).status < 500);
  }
}

async function lists(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const lesson_id = await teach(lectern, acme, { pages: [[]] });
  const people = await addUsers(lectern, 5);
  const made = idsOf(await acme.post("/api/v2/assignments", wish(lesson_id, ...people)));
  const ofLesson = `filter[assignable_type]=Lesson&filter[assignable_id]=${lesson_id}`;
  const first = await acme.get(`/api/v2/assignments?${ofLesson}&limit=3`);
  const second = await acme.get(`/api/v2/assignments?${ofLesson}&limit=3&cursor=${first.body.next}`);
  assert.deepEqual([...idsOf(first), ...idsOf(second)], made);
  assert.equal(second.body.next, null);
  const [ann, bob] = people;
  assert.ok(ann && bob);
  await begin(bob, lesson_id);
  await begin(ann, lesson_id);
  const byChange = `/api/v2/assignments?${ofLesson}&sort=-updated_at&limit=2`;
  const newest = await acme.get(byChange);
  assert.deepEqual(idsOf(newest), [made[0], made[1]]);
  const older = await acme.get(`${byChange}&cursor=${newest.body.next}`);
  assert.deepEqual(idsOf(older), [made[4], made[3]]);
  assert.deepEqual(idsOf(await acme.get(`/api/v2/assignments?filter[user_id]=${bob.user_id}`)), [made[1]]);
  assert.deepEqual(idsOf(await acme.get("/api/v2/assignments?filter[updated_since]=2099-01-01")), []);
  assert.equal((await acme.get(`/api/v2/assignments?filter[assignable_id]=1`)).status, 422);
  assert.equal(
    (await acme.get(`/api/v2/assignments?sort=-updated_at&cursor=${first.body.next}`)).status,
    422,
  );
}

async function manages(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const lesson_id = await teach(lectern, acme, { pages: [[]] });
  const manager = await signIn(lectern, acme, { role: "manager" });
  const [ann, bob] = await addUsers(lectern, 2);
  assert.ok(ann && bob);
  await addGroup(acme, "Managed", { members: [{ id: ann.user_id }], managers: [{ id: manager.user_id }] });
  const [, foreign] = idsOf(await acme.post("/api/v2/assignments", wish(lesson_id, ann, bob)));
  const seen = await manager.get("/api/v2/assignments");
  assert.deepEqual(
    seen.body.data.map(({ user_id }: { user_id: number }) => user_id),
    [ann.user_id],
  );
  assert.equal((await manager.get(`/api/v2/assignments/${foreign}`)).status, 404);
  assert.equal((await manager.delete(`/api/v2/assignments/${foreign}`)).status, 404);
  assert.equal((await manager.post("/api/v2/assignments", wish(lesson_id, ann))).status, 201);
  const refused = await manager.post("/api/v2/assignments", wish(lesson_id, ann, bob));
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, "/user_ids/1"]);
  assert.equal((await ann.get("/api/v2/assignments")).status, 403);
  assert.equal((await ann.get(`/api/v2/my/assignments/${foreign}`)).status, 404);
}

async function takesPath(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const first = await teach(lectern, acme, { title: "First", pages: [[trueFalse("tf")]] });
  const second = await teach(lectern, acme, { title: "Second", pages: [[]] });
  const path_id = await lectern.make.path(acme, {
    enforced_order: true,
    contents: [first, second].map((lesson_id) => ({ resource_type: "lesson" as const, lesson_id })),
  });
  const [ann] = await addUsers(lectern, 1);
  assert.ok(ann);
  const made = await acme.post("/api/v2/assignments", {
    user_ids: [ann.user_id],
    assignable_type: "LearningPaths::Path",
    assignable_id: path_id,
  });
  const url = `/api/v2/my/assignments/${made.body.data[0].id}`;
  assert.equal((await ann.post("/api/v2/attempts", { lesson_id: second })).status, 409);
  const attempt = await begin(ann, first);
  const begun = (await ann.get(url)).body;
  assert.deepEqual(
    [begun.state, begun.progress, begun.next_step, begun.attempts[0].id],
    ["in_progress", 0, { lesson_id: first, title: "First" }, attempt.id],
  );
  assert.deepEqual(
    begun.steps.map(({ state }: { state: string }) => state),
    ["in_progress", "locked"],
  );
  await save(ann, attempt, "tf", { value: true });
  await finish(ann, attempt);
  const half = (await ann.get(url)).body;
  assert.deepEqual([half.progress, half.next_step], [50, { lesson_id: second, title: "Second" }]);
  const last = await finish(ann, await begin(ann, second, { assignment_id: half.id }));
  const done = (await ann.get(url)).body;
  assert.deepEqual(
    [done.state, done.progress, done.next_step, done.completed_at],
    ["done", 100, null, last.finished_at],
  );
  const counted = (await acme.get(`/api/v1/lessons/${first}/completion_breakdown`)).body;
  assert.deepEqual([counted.total, counted.via_other], [1, 1]);
}

async function asksAgain(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const cleo = await signIn(lectern, acme, { role: "creator" });
  const [ann] = await addUsers(lectern, 1);
  assert.ok(ann);
  const lesson_id: number = (await cleo.post("/api/v2/lessons", { title: "Exits" })).body.id;
  assert.equal((await acme.post("/api/v2/assignments", wish(lesson_id, ann))).status, 409);
  const url = `/api/v2/lessons/${lesson_id}`;
  const settings = {
    title: "Exits",
    description: null,
    language: "en",
    retake_score: 0,
    public: false,
    tag_ids: [],
  };
  const publish = async (title: string, how: object) => {
    const content = {
      sections: [{ id: "s", title, pages: [{ id: "p", title, blocks: [trueFalse("tf")] }] }],
    };
    assert.equal((await cleo.put(`${url}/draft`, { ...settings, content })).status, 200);
    const published = await cleo.post(`${url}/publish`, how);
    assert.equal(published.status, 201, JSON.stringify(published.body));
  };
  await publish("Old", {});
  const [assignment] = (await acme.post("/api/v2/assignments", wish(lesson_id, ann))).body.data;
  const first = await begin(ann, lesson_id);
  await finish(ann, first);
  await publish("New", { learners: "ask_again", due_by: "2099-12-31" });
  const second = await begin(ann, lesson_id);
  assert.deepEqual([first.version, second.version, second.document.sections[0].title], [1, 2, "New"]);
  const [card] = (await ann.get("/api/v2/my/report_cards")).body.data;
  assert.deepEqual([card.id, card.version, card.status], [first.id, 1, "completed"]);
  const { body } = await acme.get(`/api/v2/assignments/${assignment.id}`);
  assert.deepEqual([body.status, body.due_by, body.score], ["Incomplete", "2099-12-31T00:00:00Z", 0]);
}

async function repeats(lectern: TestServer): Promise<void> {
  const lesson_id = await teach(lectern, lectern.acme, { public: true, pages: [[]] });
  const [ann] = await addUsers(lectern, 1);
  assert.ok(ann);
  const post = (url: string, payload: object) =>
    ann.request({ method: "POST", url, payload, headers: { "idempotency-key": `${url} 1` } });
  const begun = await post("/api/v2/attempts", { lesson_id });
  const again = await post("/api/v2/attempts", { lesson_id });
  assert.deepEqual([again.status, again.body], [begun.status, begun.body]);
}
