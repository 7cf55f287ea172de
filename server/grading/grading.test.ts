import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCountsHold } from "../test/counts.ts";
import { takeTime } from "../test/learning.ts";
import { addGroup } from "../test/people.ts";
import { type Person, signIn } from "../test/person.ts";
import { type Answer, startServer, type TestServer } from "../test/server.ts";
import { assign, begin, finish, save } from "../test/taking.ts";
import { upload } from "../test/uploads.ts";
import { freeResponse, teach, trueFalse } from "../test/taught.ts";

const rubric = [
  { id: "idea", title: "Idea", points: 3 },
  { id: "style", title: "Style", points: 1 },
];

test("what a machine can't mark waits for a person", async (t) => {
  let now = Date.now();
  await using lectern = await startServer({ clock: () => new Date(now) });
  await t.test("an answer waits, is graded, and the lesson is completed", () => completes(lectern));
  await t.test("below the pass mark the learner takes it again", () => fails(lectern));
  await t.test("two graders never grade the same answer", () =>
    claims(lectern, (minutes) => {
      now += minutes * 60_000;
    }),
  );
  await t.test("a grader sees what their privilege reaches, and never themselves", () => reaches(lectern));
  await t.test("a text that was taken back waits for nobody", () => takesBack(lectern));
  await t.test("a file that answers is one's own, and is kept", () => answersWithFile(lectern));
  await assertCountsHold(lectern);
});

async function waiting(lectern: TestServer, given: { retake_score?: number; learner?: Person } = {}) {
  const { retake_score = 0, learner = await signIn(lectern, lectern.acme) } = given;
  const pages = [[trueFalse("tf"), freeResponse("essay", { rubric }), freeResponse("more")]];
  const lesson_id = await teach(lectern, lectern.acme, { retake_score, pages });
  const assignment_id = await assign(lectern, lesson_id, learner);
  const attempt = await begin(learner, lesson_id);
  await save(learner, attempt, "tf", { value: true });
  await save(learner, attempt, "essay", { text: "Because." });
  await save(learner, attempt, "more", { text: "More." });
  const finished = await finish(learner, attempt);
  assert.deepEqual([finished.status, finished.score], ["grade_pending", null]);
  return { learner, lesson_id, assignment_id, attempt: finished, url: `/api/v2/grading/${attempt.id}` };
}

function points(idea: number, style: number): object {
  return {
    points: [
      { id: "idea", points: idea },
      { id: "style", points: style },
    ],
  };
}

async function queueOf(person: Person, query = ""): Promise<Answer["body"][]> {
  const { status, body } = await person.get(`/api/v2/grading?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

async function rowOf(lectern: TestServer, id: number): Promise<Answer["body"]> {
  return (await lectern.acme.get(`/api/v2/assignments/${id}`)).body;
}

async function completes(lectern: TestServer): Promise<void> {
  const { attempt, assignment_id, lesson_id, learner, url } = await waiting(lectern);
  const admin = await signIn(lectern, lectern.acme, { role: "admin" });
  const pending = await rowOf(lectern, assignment_id);
  assert.deepEqual([pending.status, pending.completed_at], ["Grade Pending", attempt.finished_at]);
  assert.equal((await learner.post("/api/v2/attempts", { lesson_id })).status, 409);
  assert.equal((await learner.get(`/api/v2/report_cards/${attempt.id}`)).body.answers[1].points, null);
  const [first, second] = await queueOf(admin, `filter[lesson_id]=${lesson_id}&blind=true`);
  assert.deepEqual(
    [first.question_id, first.answer, first.user, first.question.rubric, second.question_id],
    ["essay", { text: "Because." }, null, rubric, "more"],
  );
  const page = (await admin.get("/api/v2/grading?limit=1")).body;
  const next = (await admin.get(`/api/v2/grading?limit=1&cursor=${page.next}`)).body;
  assert.deepEqual([page.data[0].question_id, next.data[0].question_id, next.next], ["essay", "more", null]);
  assert.equal((await admin.put(`${url}/essay`, { percent: 90 })).status, 422);
  assert.equal((await admin.put(`${url}/tf`, { percent: 90 })).status, 409);
  const graded = await admin.put(`${url}/essay`, { ...points(1, 1), comment: "Why?" });
  assert.deepEqual(graded.body, {
    attempt_id: attempt.id,
    question_id: "essay",
    points: { earned: 2, possible: 4 },
    comment: "Why?",
    graded_by: admin.user_id,
    graded_at: takeTime(graded.body.graded_at),
    attempt_status: "grade_pending",
    score: null,
  });
  assert.equal((await admin.put(`${url}/essay`, points(3, 0))).body.points.earned, 3);
  // (1 + 3/4 + 1/2) of 3 questions.
  const last = (await admin.put(`${url}/more`, { percent: 50 })).body;
  assert.deepEqual([last.attempt_status, last.score], ["completed", 75]);
  const done = await rowOf(lectern, assignment_id);
  assert.deepEqual([done.status, done.score, done.completed_at], ["Completed", 75, attempt.finished_at]);
  assert.equal((await admin.put(`${url}/more`, { percent: 60 })).status, 409);
  const card = (await learner.get(`/api/v2/report_cards/${attempt.id}`)).body;
  assert.deepEqual([card.graded_at, card.answers[0].graded_by], [last.graded_at, admin.user_id]);
}

async function fails(lectern: TestServer): Promise<void> {
  const { attempt, assignment_id, lesson_id, learner, url } = await waiting(lectern, { retake_score: 90 });
  const key = lectern.acme;
  await key.put(`${url}/essay`, points(0, 0));
  assert.equal((await key.put(`${url}/more`, { percent: 100 })).body.attempt_status, "failed");
  const row = await rowOf(lectern, assignment_id);
  assert.deepEqual([row.status, row.score, row.completed_at, row.started_at], ["Incomplete", 67, null, null]);
  const again = await begin(learner, lesson_id);
  assert.notEqual(again.id, attempt.id);
}

async function claims(lectern: TestServer, wait: (minutes: number) => void): Promise<void> {
  const { url, attempt } = await waiting(lectern);
  const [one, two] = [
    await signIn(lectern, lectern.acme, { role: "admin" }),
    await signIn(lectern, lectern.acme, { role: "admin" }),
  ];
  const claimed = await one.post(`${url}/more/claim`);
  assert.deepEqual([claimed.status, claimed.body.claimed_by], [200, one.user_id]);
  const refused = await two.post(`${url}/more/claim`);
  assert.deepEqual(
    [refused.status, refused.body.claimed_by, refused.body.claimed_until],
    [409, one.user_id, claimed.body.claimed_until],
  );
  assert.equal((await two.put(`${url}/more`, { percent: 1 })).status, 409);
  assert.equal(
    (await queueOf(two)).find(
      ({ attempt_id, question_id }) => attempt_id === attempt.id && question_id === "more",
    )?.claimed_by,
    one.user_id,
  );
  wait(16);
  assert.equal((await two.post(`${url}/more/claim`)).status, 200);
  wait(16);
  const both = await Promise.all([one, two].map((grader) => grader.put(`${url}/more`, { percent: 80 })));
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409]);
  assert.equal((await one.post(`${url}/more/claim`)).status, 409);
  assert.equal((await one.post(`${url}/none/claim`)).status, 404);
}

async function reaches(lectern: TestServer): Promise<void> {
  const { acme } = lectern;
  const manager = await signIn(lectern, acme, { role: "manager" });
  const creator = await signIn(lectern, acme, { role: "creator" });
  const own = await waiting(lectern);
  const [foreign, themselves] = [await waiting(lectern), await waiting(lectern, { learner: manager })];
  const group = await addGroup(acme, "Team", {
    members: [{ id: own.learner.user_id }, { id: manager.user_id }],
    managers: [{ id: manager.user_id }],
  });
  assert.deepEqual(
    new Set((await queueOf(manager)).map(({ attempt_id }) => attempt_id)),
    new Set([own.attempt.id]),
  );
  assert.equal((await queueOf(manager, `filter[group_id]=${group.id}`)).length, 2);
  assert.equal((await manager.put(`${foreign.url}/more`, { percent: 1 })).status, 404);
  assert.equal((await manager.put(`${themselves.url}/more`, { percent: 100 })).status, 404);
  assert.equal((await manager.get(`/api/v2/report_cards/${own.attempt.id}`)).status, 200);
  assert.equal((await manager.get(`/api/v2/report_cards/${foreign.attempt.id}`)).status, 404);
  assert.equal((await manager.get(`/api/v2/users/${foreign.learner.user_id}/report_cards`)).status, 404);
  assert.equal((await manager.get(`/api/v2/users/${own.learner.user_id}/report_cards`)).body.data.length, 1);
  assert.deepEqual(await queueOf(creator), []);
  await lectern.make.write(acme, (tx) =>
    tx.sql
      .updateTable("lessons")
      .set({ owner_id: creator.user_id })
      .where("company_id", "=", tx.company.id)
      .where("id", "=", foreign.lesson_id)
      .execute(),
  );
  assert.equal((await queueOf(creator)).length, 2);
  assert.equal((await creator.get(`/api/v2/report_cards/${foreign.attempt.id}`)).status, 200);
  assert.equal((await own.learner.get("/api/v2/grading")).status, 403);
}

async function takesBack(lectern: TestServer): Promise<void> {
  const pages = [[freeResponse("essay"), trueFalse("tf")]];
  const lesson_id = await teach(lectern, lectern.acme, { public: true, pages });
  const learner = await signIn(lectern, lectern.acme);
  const attempt = await begin(learner, lesson_id);
  await save(learner, attempt, "tf", { value: true });
  await save(learner, attempt, "essay", { text: "Because" });
  await save(learner, attempt, "essay", { text: " " });
  const finished = await finish(learner, attempt);
  assert.deepEqual([finished.status, finished.score], ["completed", 50]);
}

async function answersWithFile(lectern: TestServer): Promise<void> {
  const lesson_id = await teach(lectern, lectern.acme, {
    public: true,
    pages: [[freeResponse("essay", { answer_type: "file" })]],
  });
  const [learner, other] = [await signIn(lectern, lectern.acme), await signIn(lectern, lectern.acme)];
  const file = await upload(learner, { name: "essay.txt", bytes: Buffer.from("An essay.") });
  const foreign = await upload(other, { name: "other.txt", bytes: Buffer.from("Another essay.") });
  const attempt = await begin(learner, lesson_id);
  const url = `/api/v2/attempts/${attempt.id}/answers/essay`;
  assert.equal((await learner.put(url, { answer: { file_id: foreign.id } })).status, 422);
  await save(learner, attempt, "essay", { file_id: file.id });
  assert.equal((await learner.delete(`/api/v2/files/${file.id}`)).status, 409);
  const shown = (await learner.get(`/api/v2/attempts/${attempt.id}`)).body;
  assert.deepEqual(
    shown.files.map(({ id, name }: Answer["body"]) => [id, name]),
    [[file.id, "essay.txt"]],
  );
  assert.equal((await finish(learner, attempt)).status, "grade_pending");
}
