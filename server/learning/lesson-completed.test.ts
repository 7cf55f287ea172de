import assert from "node:assert/strict";
import { after, test } from "node:test";
import { importInto, least } from "../test/bundles.ts";
import { type FeedReader, followFeed } from "../test/follow-feed.ts";
import { addUser } from "../test/people.ts";
import { type Person, signIn } from "../test/person.ts";
import { type Answer, startServer } from "../test/server.ts";
import { assign, begin, finish, save } from "../test/taking.ts";
import { choice, freeResponse, keyOf, teach, trueFalse } from "../test/taught.ts";

const lectern = await startServer();
const { acme } = lectern;
after(() => lectern[Symbol.asyncDispose]());

/** What is told of completed lessons, of whom and of which lesson. */
async function completions(feed: FeedReader): Promise<object[]> {
  const events = await feed.next();
  return events.flatMap(({ type, resource_id, user_id, data }) =>
    type === "lesson.completed" ? [{ resource_id, user_id, data }] : [],
  );
}

async function rowOf(id: number): Promise<Answer["body"]> {
  return (await acme.get(`/api/v2/assignments/${id}`)).body;
}

test("a completed lesson is told once, with all that the webhook says", async () => {
  const lesson_id = await teach(lectern, acme, {
    retake_score: 50,
    pages: [[trueFalse("tf"), choice("mc"), choice("m2")]],
  });
  const lea = await addUser(acme, "Lea Lind", {
    ext_uid: "L-1",
    custom_user_fields: [
      { name: "Size", value: "L" },
      { name: "__proto__", value: "odd" },
    ],
  });
  const person = await signIn(lectern, acme, { user_id: lea.id });
  const assignment_id = await assign(lectern, lesson_id, person);
  const feed = await followFeed(lectern, acme);
  const attempt = await begin(person, lesson_id);
  await save(person, attempt, "tf", { value: true });
  await save(person, attempt, "mc", { choices: [keyOf(attempt, "mc", "Right")] });
  assert.deepEqual(await completions(feed), []);
  const finished = await finish(person, attempt);
  await finish(person, attempt);
  const { assigned_at } = await rowOf(assignment_id);
  const [told, ...more] = await completions(feed);
  assert.deepEqual(more, []);
  assert.deepEqual(
    JSON.stringify(told),
    JSON.stringify({
      resource_id: lesson_id,
      user_id: lea.id,
      data: {
        event: "lesson.completed",
        user: {
          ext_uid: "L-1",
          id: lea.id,
          name: "Lea Lind",
          email: "lea.lind@example.com",
          custom_fields: Object.fromEntries([
            ["Size", "L"],
            ["__proto__", "odd"],
          ]),
        },
        lesson: { id: lesson_id, title: "Fire safety", retake_score: 50 },
        score: 0.67,
        score_percent: 67,
        started_at: attempt.started_at,
        completed_at: finished.finished_at,
        assigned_at,
        assignment_id,
        report_card_url: `https://lectern.test/assignments/${assignment_id}`,
      },
    }),
  );
});

test("below the pass mark nothing is completed; the retake is", async () => {
  const lesson_id = await teach(lectern, acme, { retake_score: 80, pages: [[trueFalse("tf")]] });
  const person = await signIn(lectern, acme);
  const assignment_id = await assign(lectern, lesson_id, person);
  const feed = await followFeed(lectern, acme);
  const first = await begin(person, lesson_id);
  assert.equal((await finish(person, first)).status, "failed");
  assert.deepEqual(await completions(feed), []);
  const second = await begin(person, lesson_id);
  await save(person, second, "tf", { value: true });
  await finish(person, second);
  assert.deepEqual(await placesOf(feed), [[assignment_id, 100, second.started_at]]);
});

/** In which assignment each completion counts, with its score and its beginning. */
async function placesOf(feed: FeedReader): Promise<unknown[]> {
  return (await feed.next()).flatMap(({ type, data }) =>
    type === "lesson.completed" ? [[data["assignment_id"], data["score_percent"], data["started_at"]]] : [],
  );
}

test("what waits for a grader is completed when it is graded", async () => {
  const lesson_id = await teach(lectern, acme, { pages: [[freeResponse("essay")]] });
  const person = await signIn(lectern, acme);
  const admin = await signIn(lectern, acme, { role: "admin" });
  const assignment_id = await assign(lectern, lesson_id, person);
  const feed = await followFeed(lectern, acme);
  const attempt = await begin(person, lesson_id);
  await save(person, attempt, "essay", { text: "Because." });
  assert.equal((await finish(person, attempt)).status, "grade_pending");
  assert.deepEqual(await placesOf(feed), []);
  await admin.put(`/api/v2/grading/${attempt.id}/essay`, { percent: 90 });
  assert.deepEqual(await placesOf(feed), [[assignment_id, 90, attempt.started_at]]);
});

async function take(person: Person, lesson_id: number): Promise<Answer["body"]> {
  const attempt = await begin(person, lesson_id);
  await finish(person, attempt);
  return attempt;
}

test("a lesson counts in the path that it was begun in, or in none where it is from the library", async () => {
  const text = { id: "t", type: "divider" };
  const lesson_id = await teach(lectern, acme, { public: true, pages: [[text]] });
  const path_id = await lectern.make.path(acme, {
    published_version: 1,
    contents: [{ resource_type: "lesson", lesson_id }],
  });
  const [inPath, inLibrary, later] = [
    await signIn(lectern, acme),
    await signIn(lectern, acme),
    await signIn(lectern, acme),
  ];
  const given = await acme.put(`/api/v1/paths/${path_id}/assignments`, {
    assignments: [{ assignee_id: inPath.user_id }],
  });
  const [{ id }] = given.body.assignments;
  const feed = await followFeed(lectern, acme);
  const first = await take(inPath, lesson_id);
  assert.deepEqual(await placesOf(feed), [[id, null, first.started_at]]);

  const second = await take(inLibrary, lesson_id);
  const [told] = await completions(feed);
  const { body: user } = await acme.get(`/api/v1/users/${inLibrary.user_id}`);
  assert.deepEqual(told, {
    resource_id: lesson_id,
    user_id: inLibrary.user_id,
    data: {
      event: "lesson.completed",
      user: { ext_uid: null, id: user.id, name: user.name, email: user.email, custom_fields: {} },
      lesson: { id: lesson_id, title: "Fire safety", retake_score: 0 },
      score: null,
      score_percent: null,
      started_at: second.started_at,
      completed_at: (await inLibrary.get(`/api/v2/report_cards/${second.id}`)).body.finished_at,
      assigned_at: null,
      assignment_id: null,
      report_card_url: null,
    },
  });

  // Begun from the library, and assigned before it was finished.
  const third = await begin(later, lesson_id);
  const assignment_id = await assign(lectern, lesson_id, later);
  await finish(later, third);
  assert.deepEqual(await placesOf(feed), [[assignment_id, null, third.started_at]]);
});

test("imported history is told to nobody", async () => {
  const client = await lectern.addCompany({ subdomain: "imported" });
  const feed = await followFeed(lectern, client);
  const completed = { status: "Completed", completed_at: "2024-03-01T00:00:00Z", score: 90 };
  const assignments = [least.assignment(1, 700, 300, completed)];
  await importInto(lectern, client, { users: [least.user(700)], lessons: [least.lesson(300)], assignments });
  assert.deepEqual(await feed.next(), []);
});
