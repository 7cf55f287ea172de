import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCountsHold } from "../test/counts.ts";
import { takeTime } from "../test/learning.ts";
import { type Person, signIn } from "../test/person.ts";
import { type Answer, startServer, type TestServer } from "../test/server.ts";
import { assign, begin, finish, save } from "../test/taking.ts";
import { choice, keyOf, questionOf, teach, trueFalse } from "../test/taught.ts";

/** When the clock stands still, and where it does. */
let stopped: Date | undefined;

test("people take lessons", async (t) => {
  await using lectern = await startServer({ clock: () => stopped ?? new Date() });
  await t.test("an assigned lesson is begun, left, gone on with elsewhere and finished", () =>
    takes(lectern),
  );
  await t.test("below the pass mark the lesson is to be taken again, and nothing is forgotten", () =>
    retakes(lectern),
  );
  await t.test("of two windows the last writer wins, and is told what it replaced", () =>
    twoWindows(lectern),
  );
  await t.test("what is checked is told, and final", () => checks(lectern));
  await t.test("time counts while somebody is active, and never twice", () => spends(lectern));
  await t.test("thirty people finish in the same second, each twice", () => thirty(lectern));
  await t.test("the library needs no assignment, and counts as another way", () => library(lectern));
  await t.test("what may not be begun is refused, and what was begun may be finished", () =>
    refuses(lectern),
  );
  await t.test("an assignment is taken away while its learner takes it", () => takenAway(lectern));
  await assertCountsHold(lectern);
});

/** The user's assignments as version 1 shows them. */
async function inVersion1(
  lectern: TestServer,
  { user_id }: Person,
  since = "2020-01-01",
): Promise<Answer["body"][]> {
  const { body } = await lectern.acme.get(`/api/v1.1/assignments?per_page=1000&gt[updated_at]=${since}`);
  return body.assignments.filter(({ assignee_id }: Answer["body"]) => assignee_id === user_id);
}

async function breakdown(lectern: TestServer, lesson_id: number): Promise<readonly number[]> {
  const { body } = await lectern.acme.get(`/api/v1/lessons/${lesson_id}/completion_breakdown`);
  return [body.total, body.via_assignment, body.via_other];
}

async function takes(lectern: TestServer): Promise<void> {
  const pages = [[trueFalse("tf")], [choice("mc", { weight: 2 })]];
  const lesson_id = await teach(lectern, lectern.acme, { pages });
  const learner = await signIn(lectern, lectern.acme);
  const assignment_id = await assign(lectern, lesson_id, learner);
  const [before] = (await learner.get("/api/v2/my/assignments")).body.data;
  assert.deepEqual(
    [before.state, before.progress, before.next_step],
    ["assigned", 0, { lesson_id, title: "Fire safety" }],
  );
  const attempt = await begin(learner, lesson_id);
  assert.deepEqual(
    [attempt.assignment_id, attempt.version, attempt.status, attempt.resumed],
    [assignment_id, 1, "open", false],
  );
  assert.doesNotMatch(JSON.stringify(attempt.document), /correct|"a"|feedback/);
  const [begun] = await inVersion1(lectern, learner);
  assert.deepEqual([begun.status, begun.started_at], ["Incomplete", attempt.started_at]);
  const saved = await save(learner, attempt, "tf", { value: true });
  assert.deepEqual(saved, { question_id: "tf", revision: 1, saved_at: takeTime(saved.saved_at) });
  await learner.put(`/api/v2/attempts/${attempt.id}/place`, { page_id: "p2", active_seconds: 5 });
  const resumed = await learner.post("/api/v2/attempts", { lesson_id });
  assert.deepEqual([resumed.status, resumed.body.id, resumed.body.page_id], [200, attempt.id, "p2"]);
  assert.deepEqual(resumed.body.document, attempt.document);
  assert.equal(
    (await learner.get("/api/v2/my/assignments?filter[state]=in_progress")).body.data[0].progress,
    50,
  );
  await save(learner, attempt, "mc", { choices: [keyOf(attempt, "mc", "Wrong")] });
  const finished = await finish(learner, attempt);
  assert.deepEqual([finished.status, finished.score], ["completed", 33]);
  assert.deepEqual(await finish(learner, attempt), finished);
  const [done] = await inVersion1(lectern, learner, begun.updated_at);
  assert.deepEqual(
    [done.status, done.score, done.started_at, done.completed_at],
    ["Completed", 33, attempt.started_at, finished.finished_at],
  );
  assert.deepEqual(await breakdown(lectern, lesson_id), [1, 1, 0]);
  const card = (await learner.get(`/api/v2/report_cards/${attempt.id}`)).body;
  assert.deepEqual(
    card.answers.map(({ question_id, correct, points }: Answer["body"]) => [question_id, correct, points]),
    [
      ["mc", false, { earned: 0, possible: 1 }],
      ["tf", true, { earned: 1, possible: 1 }],
    ],
  );
  assert.deepEqual(questionOf(card, "tf").solution.answer, { value: true });
  assert.equal((await learner.post("/api/v2/attempts", { lesson_id })).status, 409);
  await takesAnew(lectern, learner, attempt);
}

async function takesAnew(lectern: TestServer, learner: Person, attempt: Answer["body"]): Promise<void> {
  const { assignment_id, lesson_id } = attempt;
  const again = await lectern.acme.post(`/api/v2/assignments/${assignment_id}/reassign`, {
    due_by: "2098-01-01",
  });
  assert.deepEqual(
    [again.body.status, again.body.score, again.body.due_by, again.body.completed_at],
    ["Incomplete", 33, "2098-01-01T00:00:00Z", null],
  );
  assert.deepEqual(await breakdown(lectern, lesson_id), [0, 0, 0]);
  const second = await begin(learner, lesson_id);
  const history = (await lectern.acme.get(`/api/v2/assignments/${assignment_id}/history`)).body;
  assert.deepEqual(
    history.rounds.map(({ round, status, attempts }: Answer["body"]) => [
      round,
      status,
      attempts.map(({ id }: { id: number }) => id),
    ]),
    [
      [1, "Completed", [attempt.id]],
      [2, "Incomplete", [second.id]],
    ],
  );
}

async function retakes(lectern: TestServer): Promise<void> {
  const lesson_id = await teach(lectern, lectern.acme, { retake_score: 80, pages: [[trueFalse("tf")]] });
  const learner = await signIn(lectern, lectern.acme);
  const assignment_id = await assign(lectern, lesson_id, learner);
  const first = await begin(learner, lesson_id);
  await save(learner, first, "tf", { value: false });
  const failed = await finish(learner, first);
  assert.deepEqual([failed.status, failed.score], ["failed", 0]);
  const [row] = await inVersion1(lectern, learner);
  assert.deepEqual(
    [row.status, row.score, row.started_at, row.completed_at, row.reassigned_at, row.due_by],
    ["Incomplete", 0, null, null, failed.finished_at, "2099-12-31T00:00:00Z"],
  );
  const card = (await learner.get(`/api/v2/report_cards/${first.id}`)).body;
  assert.equal(card.answers[0].correct, false);
  assert.equal(questionOf(card, "tf").solution, undefined);
  const second = await begin(learner, lesson_id);
  assert.deepEqual([second.answers, second.assignment_id], [[], assignment_id]);
  await save(learner, second, "tf", { value: true });
  assert.equal((await finish(learner, second)).status, "completed");
  const [done] = await inVersion1(lectern, learner);
  assert.deepEqual([done.status, done.score], ["Completed", 100]);
  const cards = (await learner.get("/api/v2/my/report_cards")).body.data;
  assert.deepEqual(
    cards.map(({ id, status, score }: Answer["body"]) => [id, status, score]),
    [
      [second.id, "completed", 100],
      [first.id, "failed", 0],
    ],
  );
}

async function twoWindows(lectern: TestServer): Promise<void> {
  const lesson_id = await teach(lectern, lectern.acme, {
    pages: [[trueFalse("tf"), choice("mc")]],
    public: true,
  });
  const learner = await signIn(lectern, lectern.acme);
  const attempt = await begin(learner, lesson_id);
  const url = `/api/v2/attempts/${attempt.id}/answers/tf`;
  await learner.put(url, { answer: { value: false }, revision: 0 });
  const other = await learner.put(url, { answer: { value: true }, revision: 0 });
  assert.equal(other.body.revision, 2);
  assert.deepEqual([other.body.replaced.answer, other.body.replaced.revision], [{ value: false }, 1]);
  const place = await learner.put(`/api/v2/attempts/${attempt.id}/place`, {
    page_id: "p1",
    active_seconds: 0,
  });
  assert.deepEqual(place.body.answers, [{ question_id: "tf", revision: 2 }]);
  const known = await learner.put(url, { answer: { value: false }, revision: 2 });
  assert.deepEqual([known.body.revision, known.body.replaced], [3, undefined]);
  const both = await Promise.all(
    [1, 2].map(() => learner.put(url, { answer: { value: true }, revision: 3 })),
  );
  assert.deepEqual(both.map(({ body }) => body.revision).toSorted(), [4, 5]);
  assert.equal(both.filter(({ body }) => body.replaced?.revision === 4).length, 1);
  const begun = await Promise.all([1, 2, 3].map(() => learner.post("/api/v2/attempts", { lesson_id })));
  assert.deepEqual(
    begun.map(({ body }) => body.id),
    [attempt.id, attempt.id, attempt.id],
  );
}

async function checks(lectern: TestServer): Promise<void> {
  const lesson_id = await teach(lectern, lectern.acme, {
    pages: [[trueFalse("tf"), choice("mc")]],
    public: true,
  });
  const learner = await signIn(lectern, lectern.acme);
  const attempt = await begin(learner, lesson_id);
  const url = `/api/v2/attempts/${attempt.id}/answers/tf`;
  assert.equal((await learner.post(`${url}/check`)).status, 422);
  await learner.put(url, { answer: { value: false } });
  const checked = (await learner.post(`${url}/check`)).body;
  assert.deepEqual([checked.correct, checked.question.solution.answer], [false, { value: true }]);
  assert.deepEqual((await learner.post(`${url}/check`)).body, checked);
  assert.equal((await learner.put(url, { answer: { value: true } })).status, 409);
  const shown = (await learner.get(`/api/v2/attempts/${attempt.id}`)).body;
  assert.deepEqual([shown.answers[0].is_final, shown.answers[0].correct], [true, false]);
  assert.equal(questionOf(shown, "mc").solution, undefined);
}

async function spends(lectern: TestServer): Promise<void> {
  const lesson_id = await teach(lectern, lectern.acme, { pages: [[trueFalse("tf")]], public: true });
  const learner = await signIn(lectern, lectern.acme);
  const attempt = await begin(learner, lesson_id);
  const url = `/api/v2/attempts/${attempt.id}/place`;
  // Each second that passes between two reports would count.
  const now = new Date();
  stopped = now;
  const ago = (seconds: number) =>
    lectern.make.write(lectern.acme, (tx) =>
      tx.sql
        .updateTable("attempts")
        .set({ last_active_at: new Date(now.getTime() - seconds * 1000).toISOString() })
        .where("company_id", "=", tx.company.id)
        .where("id", "=", attempt.id)
        .execute(),
    );
  const spent = async (active_seconds: number) =>
    (await learner.put(url, { page_id: "p1", active_seconds })).body.seconds_spent;
  await ago(20);
  assert.equal(await spent(15), 15);
  assert.equal(await spent(15), 15, "another window tells of the same seconds");
  await ago(3600);
  assert.equal(await spent(3600), 75, "no report adds more than a minute");
  await ago(-3600);
  assert.equal(await spent(30), 75, "a clock that is set back adds nothing");
  assert.equal((await learner.put(url, { page_id: "p9", active_seconds: 0 })).status, 422);
  stopped = undefined;
}

async function thirty(lectern: TestServer): Promise<void> {
  const lesson_id = await teach(lectern, lectern.acme, { pages: [[trueFalse("tf")]] });
  const learners: Person[] = [];
  for (let count = 0; count < 30; count += 1) learners.push(await signIn(lectern, lectern.acme));
  await assign(lectern, lesson_id, ...learners);
  const attempts = await Promise.all(learners.map((learner) => begin(learner, lesson_id)));
  await Promise.all(learners.map((learner, index) => save(learner, attempts[index], "tf", { value: true })));
  const finished = await Promise.all(
    learners.flatMap((learner, index) => [
      finish(learner, attempts[index]),
      finish(learner, attempts[index]),
    ]),
  );
  assert.ok(finished.every(({ status, score }) => status === "completed" && score === 100));
  assert.deepEqual(await breakdown(lectern, lesson_id), [30, 30, 0]);
  const lesson = (await lectern.acme.get(`/api/v1/lessons/${lesson_id}`)).body;
  assert.equal(lesson.completed_count, 30);
}

async function library(lectern: TestServer): Promise<void> {
  const lesson_id = await teach(lectern, lectern.acme, { public: true, pages: [[]] });
  const learner = await signIn(lectern, lectern.acme);
  const attempt = await begin(learner, lesson_id);
  const finished = await finish(learner, attempt);
  assert.deepEqual([finished.status, finished.score, finished.assignment_id], ["completed", null, null]);
  assert.deepEqual(await breakdown(lectern, lesson_id), [1, 0, 1]);
  const { body } = await lectern.acme.get(`/api/v1/users/${learner.user_id}/learning_library_statistics`);
  assert.deepEqual(body.learning_library_statistics, {
    total_completed: 1,
    total_views: 1,
    unique_lesson_and_path_views: 1,
  });
  // Begun in the library, assigned meanwhile: it counts for the assignment, once.
  const open = await begin(learner, lesson_id);
  const assignment_id = await assign(lectern, lesson_id, learner);
  assert.equal((await finish(learner, open)).assignment_id, assignment_id);
  assert.deepEqual(await breakdown(lectern, lesson_id), [1, 1, 0]);
  // What was begun before it was assigned anew does not count for that: it is begun again.
  const outdated = await begin(learner, lesson_id);
  await lectern.acme.post(`/api/v2/assignments/${assignment_id}/reassign`, {});
  assert.deepEqual(await breakdown(lectern, lesson_id), [1, 0, 1]);
  const anew = await begin(learner, lesson_id);
  assert.deepEqual([anew.assignment_id, anew.id > outdated.id], [assignment_id, true]);
  assert.equal((await learner.post(`/api/v2/attempts/${outdated.id}/finish`)).status, 409);
  assert.equal((await learner.get(`/api/v2/attempts/${outdated.id}`)).body.status, "ended");
}

async function refuses(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const lesson_id = await teach(lectern, acme, { pages: [[trueFalse("tf")]] });
  const [learner, stranger] = [await signIn(lectern, acme), await signIn(lectern, acme)];
  assert.equal((await learner.post("/api/v2/attempts", { lesson_id })).status, 404);
  assert.equal((await acme.post("/api/v2/attempts", { lesson_id })).status, 403);
  await assign(lectern, lesson_id, learner);
  const attempt = await begin(learner, lesson_id);
  const url = `/api/v2/attempts/${attempt.id}`;
  assert.equal((await stranger.get(url)).status, 404);
  assert.equal((await stranger.put(`${url}/answers/tf`, { answer: { value: true } })).status, 404);
  assert.equal((await stranger.post(`${url}/finish`)).status, 404);
  assert.equal((await learner.put(`${url}/answers/other`, { answer: { value: true } })).status, 404);
  assert.equal((await learner.put(`${url}/answers/tf`, { answer: { text: "x" } })).status, 422);
  assert.equal((await stranger.get(`/api/v2/report_cards/${attempt.id}`)).status, 404);
  await acme.put(`/api/v1/lessons/${lesson_id}/archive`);
  assert.equal((await learner.post("/api/v2/attempts", { lesson_id })).status, 200);
  assert.equal((await finish(learner, attempt)).status, "completed");
  assert.equal((await learner.put(`${url}/answers/tf`, { answer: { value: true } })).status, 409);
  assert.equal((await learner.post("/api/v2/attempts", { lesson_id })).status, 409);
}

async function takenAway(lectern: TestServer): Promise<void> {
  const lesson_id = await teach(lectern, lectern.acme, { pages: [[trueFalse("tf")]] });
  const learner = await signIn(lectern, lectern.acme);
  const assignment_id = await assign(lectern, lesson_id, learner);
  const attempt = await begin(learner, lesson_id);
  assert.deepEqual((await lectern.acme.delete(`/api/v2/assignments/${assignment_id}`)).body, {
    id: assignment_id,
  });
  assert.deepEqual(await inVersion1(lectern, learner), []);
  const finished = await finish(learner, attempt);
  assert.deepEqual([finished.status, finished.assignment_id], ["completed", null]);
  assert.deepEqual(await breakdown(lectern, lesson_id), [1, 0, 1]);
}
