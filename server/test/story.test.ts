import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLink } from "../sessions/links.ts";
import { Person } from "./person.ts";
import { type Answer, type Client, startServer, type TestServer } from "./server.ts";
import { upload } from "./uploads.ts";
import { answerTo, storyLesson } from "./story-lesson.ts";

type Body = Answer["body"];
const DAY_MS = 24 * 60 * 60 * 1000;
const PASSWORD = "a boring Tuesday in Lisbon";

/** The time as the people of the story live it: it goes on when they wait. */
class Calendar {
  #aheadMs = 0;
  readonly now = (): Date => new Date(Date.now() + this.#aheadMs);
  wait(days: number): void {
    this.#aheadMs += days * DAY_MS;
  }
}

async function ok(answer: Promise<Answer>): Promise<Body> {
  const { status, body } = await answer;
  assert.ok(status === 200 || status === 201 || status === 202, `${status} ${JSON.stringify(body)}`);
  return body;
}

/** Signs somebody in with e-mail and password, as the app does. */
async function signIn({ app }: TestServer, client: Client, email: string, password: string): Promise<Person> {
  const answer = await app.inject({
    method: "POST",
    url: `/api/v2/companies/${client.company.subdomain}/sessions`,
    payload: { email, password },
  });
  assert.equal(answer.statusCode, 201, answer.body);
  const [cookie = ""] = String(answer.headers["set-cookie"]).split(";");
  return new Person(app, client.company, { user_id: answer.json().user.id, cookie });
}

/** The administrator makes a user; the operator prints the link (mails will); the user opens it and chooses a password. */
async function welcome(lectern: TestServer, admin: Person, client: Client, given: object): Promise<Person> {
  const user = await ok(admin.post("/api/v2/users", given));
  await ok(admin.post(`/api/v2/users/${user.id}/invitations`));
  const { url } = await lectern.make.write(client, (tx) => makeLink(tx, "invitation", user.id));
  const redeemed = await lectern.app.inject({
    method: "POST",
    url: `/api/v2/companies/${client.company.subdomain}/password_resets/redeem`,
    payload: { token: new URL(url).hash.replace("#token=", ""), password: PASSWORD },
  });
  assert.equal(redeemed.statusCode, 201, redeemed.body);
  return signIn(lectern, client, user.email, PASSWORD);
}

/** A second of silence. */
function silence(): Buffer {
  const samples = Buffer.alloc(8_000, 128);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** What some questions ask for. */
const filesToHandIn: ReadonlyMap<string, { readonly name: string; readonly bytes: Buffer }> = new Map([
  ["photo", { name: "note.txt", bytes: Buffer.from("At the old oak.") }],
  ["call", { name: "call.wav", bytes: silence() }],
]);

/** A lesson that only wants to be read. */
const aPage = {
  sections: [
    {
      id: "all",
      title: "The drill",
      pages: [{ id: "one", title: "Walk", blocks: [{ id: "line", type: "divider" }] }],
    },
  ],
};

/** Takes a lesson to its end. @returns the attempt as it is then. */
async function take(person: Person, lesson_id: number, isRight: boolean): Promise<Body> {
  const attempt = await ok(person.post("/api/v2/attempts", { lesson_id }));
  const text = JSON.stringify(attempt.document);
  assert.doesNotMatch(text, /"correct":|"solution":/, "nothing tells the right answers");
  const blocks = attempt.document.sections.flatMap(({ pages }: Body) =>
    pages.flatMap((page: Body) => page.blocks),
  );
  for (const question of blocks.filter(({ prompt }: Body) => prompt !== undefined)) {
    const file = filesToHandIn.get(question.id);
    const file_id = file === undefined ? 0 : (await upload(person, file)).id;
    const url = `/api/v2/attempts/${attempt.id}/answers/${question.id}`;
    await ok(person.put(url, { answer: answerTo(question, isRight, file_id) }));
  }
  await ok(person.post(`/api/v2/attempts/${attempt.id}/finish`));
  return ok(person.post(`/api/v2/attempts/${attempt.id}/finish`));
}

/** Grades everything that waits, with all points or none. */
async function gradeAll(grader: Person, isRight: boolean): Promise<void> {
  for (const pending of (await ok(grader.get("/api/v2/grading"))).data) {
    const url = `/api/v2/grading/${pending.attempt_id}/${pending.question_id}`;
    await ok(grader.post(`${url}/claim`));
    const rubric: Body[] = pending.question.rubric ?? [];
    const points = rubric.map((row) => ({ id: row.id, points: isRight ? row.points : 0 }));
    const grade = points.length > 0 ? { points } : { percent: isRight ? 100 : 0 };
    await ok(grader.put(url, { ...grade, comment: "Thank you." }));
  }
}

test("a company learns: written, published, assigned, taken, failed, retaken, graded, certified", async (t) => {
  const calendar = new Calendar();
  await using lectern = await startServer({ clock: calendar.now });
  const { acme } = lectern;
  const v1 = (url: string) => ok(acme.get(url));
  const poll = async (since: string) =>
    (await v1(`/api/v1/assignments?gt[updated_at]=${encodeURIComponent(since)}`)).assignments;
  let admin = await signIn(lectern, acme, "ada@example.com", "correct horse battery");
  const creator = await welcome(lectern, admin, acme, {
    name: "Cleo",
    email: "cleo@example.com",
    role_id: 34,
  });
  const manager = await welcome(lectern, admin, acme, {
    name: "Mona",
    email: "mona@example.com",
    role_id: 36,
  });
  const learners = [
    await welcome(lectern, admin, acme, { name: "Lea", email: "lea@example.com", role_id: 32 }),
    await welcome(lectern, admin, acme, { name: "Leo", email: "leo@example.com", role_id: 32 }),
  ];
  const [lea, leo] = learners;
  assert.ok(lea && leo);
  const ids = { lesson: 0, second: 0, path: 0, group: 0 };

  await t.test("a creator writes a lesson in Markdown, and publishes it", async () => {
    const made = await ok(
      creator.request({
        method: "POST",
        url: "/api/v2/lessons/markdown",
        headers: { "content-type": "text/markdown" },
        payload: storyLesson,
      }),
    );
    ids.lesson = made.id;
    assert.equal((await v1(`/api/v1/lessons/${ids.lesson}`)).last_updated_at, null);
    const version = await ok(creator.post(`/api/v2/lessons/${ids.lesson}/publish`, { note: "First" }));
    assert.equal(version.number, 1);
    const lesson = await v1(`/api/v1/lessons/${ids.lesson}`);
    assert.deepEqual([lesson.title, lesson.retake_score, lesson.public], ["Fire safety", 80, false]);
    assert.equal(lesson.tags[0].name, "Safety");
    assert.notEqual(lesson.last_updated_at, null);
    const second = await ok(creator.post("/api/v2/lessons", { title: "Evacuation drill", content: aPage }));
    ids.second = second.id;
    await ok(creator.post(`/api/v2/lessons/${ids.second}/publish`, {}));
  });

  await t.test("both go into a path with a wait step, which certifies for a year", async () => {
    const path = await ok(
      creator.post("/api/v2/paths", {
        title: "Fire warden",
        enforced_order: true,
        is_certification: true,
        valid_months: 12,
        contents: [
          { type: "lesson", lesson_id: ids.lesson },
          { type: "wait_step", effect: "locked", condition: "prev_step_finished", unit: "days", amount: 2 },
          { type: "lesson", lesson_id: ids.second },
        ],
      }),
    );
    ids.path = path.id;
    await ok(creator.post(`/api/v2/paths/${ids.path}/publish`, {}));
    const shown = await v1(`/api/v1/paths/${ids.path}`);
    assert.equal(shown.is_certification, true);
    assert.equal(shown.publisher_id, creator.user_id);
    assert.deepEqual(
      shown.contents.map(({ resource_type, unit, amount }: Body) => [resource_type, unit, amount]),
      [
        ["lesson", undefined, undefined],
        ["wait_step", "days", 2],
        ["lesson", undefined, undefined],
      ],
    );
  });

  await t.test("a group assigns it to its members, and to who joins", async () => {
    const group = await ok(admin.post("/api/v2/groups", { name: "Wardens" }));
    ids.group = group.id;
    await ok(admin.put(`/api/v2/groups/${ids.group}/managers/${manager.user_id}`));
    await ok(admin.put(`/api/v2/groups/${ids.group}/members/${lea.user_id}`));
    const url = `/api/v2/groups/${ids.group}/assignments`;
    await ok(
      admin.post(url, { assignable_type: "LearningPaths::Path", assignable_id: ids.path, due_days: 14 }),
    );
    await ok(admin.put(`/api/v2/groups/${ids.group}/members/${leo.user_id}`));
    const { assignments } = await v1(`/api/v1/paths/${ids.path}/assignments`);
    assert.deepEqual(
      assignments.map(({ assignee_id, status }: Body) => [assignee_id, status]),
      [
        [lea.user_id, "Incomplete"],
        [leo.user_id, "Incomplete"],
      ],
    );
    assert.notEqual(assignments[0].due_by, null);
  });

  await t.test("who may not see it is told that there is nothing", async () => {
    assert.equal((await lea.get(`/api/v2/lessons/${ids.lesson}`)).status, 403);
    const draft = await lectern.globex.get(`/api/v2/lessons/${ids.lesson}/draft`);
    assert.equal(draft.status, 404);
  });

  let seen = "2000-01-01";
  const newest = (rows: Body[]) =>
    rows
      .map(({ updated_at }) => String(updated_at))
      .toSorted()
      .at(-1) ?? seen;

  await t.test("one learner knows it: what a machine can't mark waits for a grader", async () => {
    const mine = await ok(lea.get("/api/v2/my/assignments"));
    assert.deepEqual(
      mine.data.map(({ title, state, next_step }: Body) => [title, state, next_step.lesson_id]),
      [["Fire warden", "assigned", ids.lesson]],
    );
    seen = newest(await poll(seen));
    const locked = await lea.post("/api/v2/attempts", { lesson_id: ids.second });
    assert.equal(locked.status, 409, JSON.stringify(locked.body));
    const attempt = await take(lea, ids.lesson, true);
    assert.deepEqual([attempt.status, attempt.score], ["grade_pending", null]);
    const [row] = await poll(seen);
    assert.equal(row.assignee_id, lea.user_id, "a poller sees that it was begun");
    assert.equal((await manager.get("/api/v2/grading")).body.data.length, 3);
    await gradeAll(manager, true);
    const card = await ok(lea.get(`/api/v2/report_cards/${attempt.id}`));
    assert.deepEqual([card.status, card.score, card.version], ["completed", 100, 1]);
    assert.deepEqual(await v1(`/api/v1/lessons/${ids.lesson}/completion_breakdown`), {
      type: "lesson_completion_breakdown",
      total: 1,
      via_assignment: 0,
      via_other: 1,
    });
  });

  await t.test("the other fails, takes it again with a clean sheet, and passes", async () => {
    await take(leo, ids.lesson, false);
    await gradeAll(manager, false);
    const failed = (await ok(leo.get("/api/v2/my/report_cards"))).data[0];
    // A third of one of twelve points: in the reversed order the middle step is right.
    assert.deepEqual([failed.status, failed.score], ["failed", 3]);
    assert.equal((await v1(`/api/v1/lessons/${ids.lesson}/total_completions`)).completion_count, 1);
    const again = await ok(leo.post("/api/v2/attempts", { lesson_id: ids.lesson }));
    assert.deepEqual([again.resumed, again.answers], [false, []]);
    await take(leo, ids.lesson, true);
    await gradeAll(manager, true);
    assert.equal((await v1(`/api/v1/lessons/${ids.lesson}/total_completions`)).completion_count, 2);
    assert.equal((await ok(leo.get("/api/v2/my/report_cards"))).data.length, 2, "the failed one stays");
  });

  await t.test("the wait step holds for two days; then the path is done and certifies", async () => {
    const early = await leo.post("/api/v2/attempts", { lesson_id: ids.second });
    assert.equal(early.status, 409, JSON.stringify(early.body));
    calendar.wait(3);
    const back = [
      await signIn(lectern, acme, "lea@example.com", PASSWORD),
      await signIn(lectern, acme, "leo@example.com", PASSWORD),
    ];
    for (const person of back) {
      const attempt = await ok(person.post("/api/v2/attempts", { lesson_id: ids.second }));
      const done = await ok(person.post(`/api/v2/attempts/${attempt.id}/finish`));
      assert.deepEqual([done.status, done.score], ["completed", null]);
      const { data } = await ok(person.get("/api/v2/certificates"));
      assert.equal(data.length, 1);
      const shown = await lectern.app.inject(`/api/v2/companies/acme/certificates/${data[0].number}`);
      assert.equal(shown.statusCode, 200, shown.body);
      assert.equal(shown.json().path_title ?? shown.json().title, "Fire warden");
      const pdf = await person.request({ method: "GET", url: `/api/v2/certificates/${data[0].id}/pdf` });
      assert.equal(pdf.headers["content-type"], "application/pdf");
    }
  });

  await t.test("version 1 shows it all", async () => {
    admin = await signIn(lectern, acme, "ada@example.com", "correct horse battery");
    const listed = await v1("/api/v1.1/assignments");
    assert.deepEqual(
      listed.assignments.map(({ status, score, is_certification, contents }: Body) => [
        status,
        score,
        is_certification,
        contents.map((item: Body) => [item.resource_type, item.id, item.status, item.score ?? null]),
      ]),
      [1, 2].map(() => [
        "Completed",
        100,
        true,
        [
          ["lesson", ids.lesson, "Completed", 100],
          ["lesson", ids.second, "Completed", null],
        ],
      ]),
    );
    assert.equal((await v1(`/api/v1/paths/${ids.path}/assignments/completed`)).completed_count, 2);
    assert.equal((await v1(`/api/v1/paths/${ids.path}/total_completions`)).completion_count, 2);
    assert.equal((await poll(seen)).length, 2, "a poller has missed nothing");
    const report = await ok(admin.get(`/api/v2/reports/paths/${ids.path}`));
    assert.deepEqual([report.summary.assigned, report.summary.completed], [2, 2]);
    const questions = await ok(admin.get(`/api/v2/reports/lessons/${ids.lesson}/questions`));
    assert.equal(questions.attempts, 3);
    const first = questions.questions.find(({ id }: Body) => id === "first");
    assert.deepEqual(
      first.answers.map(({ label, answers, correct }: Body) => [label, answers, correct]),
      [
        ["Raise the alarm", 2, true],
        ["Look for the fire", 0, false],
        ["Finish the mail", 1, false],
      ],
    );
  });
});
