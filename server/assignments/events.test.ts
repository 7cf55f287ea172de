import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { StoredEvent } from "../test/feed.ts";
import { followFeed } from "../test/follow-feed.ts";
import { assign as assignAll } from "../test/learning.ts";
import { addGroup } from "../test/people.ts";
import { signIn } from "../test/person.ts";
import { type Answer, startServer } from "../test/server.ts";
import { assign, begin, finish, save } from "../test/taking.ts";
import { freeResponse, teach, trueFalse } from "../test/taught.ts";

const lectern = await startServer();
const { acme } = lectern;
after(() => lectern[Symbol.asyncDispose]());

function ofAssignments(events: readonly StoredEvent[]): StoredEvent[] {
  return events.filter(({ type }) => type.startsWith("assignment."));
}

/** What has happened to which assignment, in order. */
function happenings(events: readonly StoredEvent[]): string[] {
  return ofAssignments(events).map(
    ({ type, resource_id }) => `${type.slice("assignment.".length)} ${resource_id}`,
  );
}

/** What an event says was before, but for the time of the change, which moves with each. */
function formerly(event: StoredEvent | undefined): object {
  const { updated_at: _updated, ...previous } = event?.previous ?? {};
  return previous;
}

async function plain(id: number): Promise<Answer["body"]> {
  const { user: _user, content: _content, ...shown } = (await acme.get(`/api/v2/assignments/${id}`)).body;
  return shown;
}

test("an assignment is told from when it is given to when it is taken away", async () => {
  const lesson_id = await teach(lectern, acme, {
    retake_score: 80,
    pages: [[trueFalse("tf"), freeResponse("essay")]],
  });
  const lea = await signIn(lectern, acme);
  const admin = await signIn(lectern, acme, { role: "admin" });
  const feed = await followFeed(lectern, acme);

  const id = await assign(lectern, lesson_id, lea);
  await assignAll(acme, `lessons/${lesson_id}`, [{ assignee_id: lea.user_id }]);
  const [created, ...again] = ofAssignments(await feed.next());
  assert.deepEqual(
    [created?.type, created?.resource_id, created?.user_id, created?.data, created?.previous, again],
    ["assignment.created", id, lea.user_id, await plain(id), null, []],
  );

  const attempt = await begin(lea, lesson_id);
  assert.equal((await lea.post("/api/v2/attempts", { lesson_id })).body.resumed, true);
  const [started] = await feed.next();
  assert.deepEqual([started?.type, formerly(started)], ["assignment.started", { started_at: null }]);
  assert.deepEqual(started?.data, await plain(id));

  await save(lea, attempt, "tf", { value: true });
  await save(lea, attempt, "essay", { text: "Because." });
  assert.deepEqual(await feed.next(), [], "an answer changes no assignment");
  await finish(lea, attempt);
  const [submitted] = await feed.next();
  assert.deepEqual(
    [submitted?.type, formerly(submitted)],
    ["assignment.submitted", { completed_at: null, status: "Incomplete" }],
  );
  const grade = `/api/v2/grading/${attempt.id}/essay`;
  await admin.put(grade, { percent: 10 });
  const below = await feed.next();
  assert.deepEqual(
    happenings(below),
    [`graded ${id}`, `reassigned ${id}`],
    "below the pass mark it begins anew",
  );
  assert.equal(below[0]?.data["status"], "Incomplete");

  const second = await begin(lea, lesson_id);
  await save(lea, second, "tf", { value: true });
  await save(lea, second, "essay", { text: "Therefore." });
  await finish(lea, second);
  await admin.put(grade.replace(String(attempt.id), String(second.id)), { percent: 90 });
  assert.deepEqual(
    (await feed.next()).map(({ type }) => type),
    [
      "assignment.started",
      "assignment.submitted",
      "assignment.graded",
      "assignment.completed",
      "lesson.completed",
    ],
  );

  await acme.post(`/api/v2/assignments/${id}/reassign`, { due_by: "2098-01-01" });
  await acme.request({ method: "PATCH", url: `/api/v2/assignments/${id}`, payload: { due_by: null } });
  await acme.delete(`/api/v2/assignments/${id}`);
  const rest = await feed.next();
  assert.deepEqual(happenings(rest), [`reassigned ${id}`, `due_changed ${id}`, `deleted ${id}`]);
  assert.deepEqual(formerly(rest[1]), { due_by: "2098-01-01T00:00:00Z" });
  assert.deepEqual(rest[2]?.data, { id });
  await feed.check();
});

test("who joins a group is told of, whole paths move on, and silence is kept", async () => {
  const lessons = [];
  for (const title of ["A", "B"]) {
    lessons.push(await teach(lectern, acme, { title, pages: [[{ id: "d", type: "divider" }]] }));
  }
  const path_id = await lectern.make.path(acme, {
    published_version: 1,
    contents: lessons.map((lesson_id) => ({ resource_type: "lesson", lesson_id })),
  });
  const group = await addGroup(acme, "Newcomers");
  const [lea, leo] = [await signIn(lectern, acme), await signIn(lectern, acme)];
  await lectern.make.groupAssignment(acme, group.id, { type: "LearningPaths::Path", id: path_id });
  const feed = await followFeed(lectern, acme);

  await acme.put(`/api/v1/groups/${group.id}`, { members: [{ id: lea.user_id }] });
  const [given] = ofAssignments(await feed.next());
  assert.deepEqual(
    [given?.type, given?.user_id, given?.data["group_id"], given?.notify],
    ["assignment.created", lea.user_id, group.id, true],
  );
  for (const lesson_id of lessons) await finish(lea, await begin(lea, lesson_id));
  const id = Number(given?.resource_id);
  const moves = await feed.next();
  // In between updated_at alone moves, which shows where a second has passed.
  const named = happenings(moves).filter((happening) => happening !== `updated ${id}`);
  assert.deepEqual(named, [`started ${id}`, `completed ${id}`]);
  assert.equal(moves.filter(({ type }) => type === "lesson.completed").length, lessons.length);

  const [first, second] = await assignAll(acme, `lessons/${lessons[0]}`, [
    { assignee_id: lea.user_id, notify: false },
    { assignee_id: leo.user_id },
  ]);
  assert.deepEqual(
    ofAssignments(await feed.next()).map(({ resource_id, notify }) => [resource_id, notify]),
    [
      [first.id, false],
      [second.id, true],
    ],
  );
  const refused = await acme.put(`/api/v1/lessons/${lessons[1]}/assignments`, {
    assignments: [{ assignee_id: leo.user_id }, { assignee_id: 999_999 }],
  });
  assert.equal(refused.status, 400);
  assert.deepEqual(await feed.next(), []);
  assert.equal((await acme.delete(`/api/v2/users/${lea.user_id}`)).status, 200);
  const gone = await feed.next();
  assert.deepEqual(happenings(gone).toSorted(), [`deleted ${first.id}`, `deleted ${id}`].toSorted());
  await feed.check();
});
