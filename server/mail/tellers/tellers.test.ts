import assert from "node:assert/strict";
import { after, test } from "node:test";
import { countAssignments } from "../../assignments/counts.ts";
import { assignmentCounters } from "../../assignments/give.ts";
import { workBulkJobs } from "../../bulk/work.ts";
import { openRenewals } from "../../certificates/renewals.ts";
import { lockCounters } from "../../db/counters.ts";
import { advancePaths } from "../../learning/path-progress.ts";
import { commit, Delivering } from "../../test/delivering.ts";
import { startSession } from "../../sessions/start.ts";
import { assign } from "../../test/learning.ts";
import { type Mail, startMailed } from "../../test/mailer.ts";
import { type Person, signIn } from "../../test/person.ts";
import { startReceiver } from "../../test/receiver.ts";
import { PUBLIC_URL } from "../../test/server.ts";
import { begin, finish, save } from "../../test/taking.ts";
import { freeResponse, teach, trueFalse } from "../../test/taught.ts";

const mailed = await startMailed();
const { lectern, clock } = mailed;
const { acme, make } = lectern;
after(async () => {
  assert.deepEqual(mailed.logged, []);
  await mailed[Symbol.asyncDispose]();
});

/** Ada, whom the company was made with. */
const FIRST_ADMIN = 1;

async function learner(name: string): Promise<Person> {
  return signIn(lectern, acme, { name });
}

/** Lets a day pass, at whose end the last letter is long ago. */
async function nextDay(): Promise<Mail[]> {
  return mailed.after(24 * 60);
}

function subjects(mails: readonly Mail[]): string[] {
  return mails.map(({ subject }) => subject);
}

test("who is below the pass mark is told to take it again, and who is graded what they have", async () => {
  const lea = await learner("Lea");
  const quiz = await teach(lectern, acme, { title: "Quiz", retake_score: 80, pages: [[trueFalse("q1")]] });
  const essay = await teach(lectern, acme, { title: "Essay", pages: [[freeResponse("q1")]] });
  await assign(acme, `lessons/${essay}`, [{ assignee_id: lea.user_id, notify: false }]);
  // That it is there for her is said by what follows.
  await assign(acme, `lessons/${quiz}`, [{ assignee_id: lea.user_id }]);
  const failed = await begin(lea, quiz);
  await save(lea, failed, "q1", { value: false });
  await finish(lea, failed);
  const [retake, ...none] = await mailed.after(1);
  assert.deepEqual(none, []);
  assert.equal(retake?.subject, "Please try again: Quiz");
  assert.match(retake?.text ?? "", /0%[\s\S]*80%/);

  const written = await begin(lea, essay);
  await save(lea, written, "q1", { text: "An essay" });
  await finish(lea, written);
  assert.deepEqual(await nextDay(), [], "it waits for a grader");
  const grader = await signIn(lectern, acme, { user_id: FIRST_ADMIN });
  const graded = await grader.put(`/api/v2/grading/${written.id}/q1`, { percent: 90 });
  assert.equal(graded.status, 200, JSON.stringify(graded.body));
  const [result] = await mailed.after(1);
  assert.equal(result?.subject, "Your result: Essay");
  assert.match(result?.text ?? "", /90%/);
});

test("what becomes of a lesson within a path is told as of one that is assigned itself, each time", async () => {
  const lea = await learner("Lea of the path");
  const quiz = await teach(lectern, acme, { title: "Knots", retake_score: 80, pages: [[trueFalse("q1")]] });
  const essay = await teach(lectern, acme, {
    title: "Report",
    retake_score: 50,
    pages: [[freeResponse("q1")]],
  });
  const path_id = await make.path(acme, {
    title: "Ropes",
    published_version: 1,
    contents: [quiz, essay].map((lesson_id) => ({ resource_type: "lesson", lesson_id })),
  });
  const [{ id: assignment_id }] = await assign(acme, `paths/${path_id}`, [
    { assignee_id: lea.user_id, notify: false },
  ]);
  // A second failure with the same score is told as the first is.
  for (const time of ["first", "second"]) {
    const failed = await begin(lea, quiz, { assignment_id });
    await save(lea, failed, "q1", { value: false });
    await finish(lea, failed);
    const [again, ...none] = time === "first" ? await mailed.after(1) : await nextDay();
    assert.deepEqual([again?.subject, none], ["Please try again: Knots", []], time);
    assert.match(again?.text ?? "", /0%[\s\S]*80%/);
    assert.match(again?.text ?? "", new RegExp(`/assignments/${assignment_id}\\s`));
  }
  for (const [percent, subject] of [
    [40, "Please try again: Report"],
    [90, "Your result: Report"],
  ]) {
    // Days have passed: her sign-in has ended.
    const again = await signIn(lectern, acme, { user_id: lea.user_id });
    const written = await begin(again, essay, { assignment_id });
    await save(again, written, "q1", { text: "A report" });
    await finish(again, written);
    assert.deepEqual(await nextDay(), [], "it waits for a grader");
    const grader = await signIn(lectern, acme, { user_id: FIRST_ADMIN });
    const graded = await grader.put(`/api/v2/grading/${written.id}/q1`, { percent });
    assert.equal(graded.status, 200, JSON.stringify(graded.body));
    const [told, ...none] = await mailed.after(1);
    assert.deepEqual([told?.subject, none], [subject, []]);
    assert.match(told?.text ?? "", new RegExp(`${percent}%`));
    assert.match(told?.text ?? "", new RegExp(`/assignments/${assignment_id}\\s`));
  }
});

test("what is graded within a course is told, and once where the lesson is assigned itself as well", async () => {
  const essay = await teach(lectern, acme, { title: "Letter", pages: [[freeResponse("q1")]] });
  const course_id = await make.course(acme, { title: "Writing", lessons: [essay] });
  for (const things of [[`courses/${course_id}`], [`courses/${course_id}`, `lessons/${essay}`]]) {
    const lena = await learner("Lena");
    let last = 0;
    for (const thing of things) {
      [{ id: last }] = await assign(acme, thing, [{ assignee_id: lena.user_id, notify: false }]);
    }
    const written = await begin(lena, essay, { assignment_id: last });
    await save(lena, written, "q1", { text: "A letter" });
    await finish(lena, written);
    const grader = await signIn(lectern, acme, { user_id: FIRST_ADMIN });
    await grader.put(`/api/v2/grading/${written.id}/q1`, { percent: 70 });
    const [told, ...none] = await nextDay();
    assert.deepEqual([told?.subject, none], ["Your result: Letter", []], things.join());
    assert.match(told?.text ?? "", new RegExp(`70%[\\s\\S]*/assignments/${last}\\s`));
  }
});

test("a certificate is told when it is issued, and 30, 7 and 1 days before it ends, unless it was renewed", async () => {
  const lin = await learner("Lin");
  const lesson_id = await make.lesson(acme);
  const path_id = await make.path(acme, {
    title: "First aid",
    is_certification: true,
    published_version: 1,
    valid_months: 12,
    renewal_days: 8,
    contents: [{ resource_type: "lesson", lesson_id }],
  });
  const [{ id: assignment_id }] = await assign(acme, `paths/${path_id}`, [
    { assignee_id: lin.user_id, notify: false },
  ]);
  await make.write(acme, async (tx) => {
    const at = await lockCounters(tx, ...assignmentCounters);
    const done = { status: "Completed", score: 90, started_at: at, completed_at: at } as const;
    const outcome = { user_id: lin.user_id, lesson_id, assignment_id, ...done };
    await countAssignments(tx, { ...(await advancePaths(tx, outcome, at)), at });
  });
  assert.deepEqual(subjects(await nextDay()), ["Your certificate: First aid"]);
  const again = await signIn(lectern, acme, { user_id: lin.user_id });
  const { body } = await again.get("/api/v2/certificates");
  const last: string = body.data[0].valid_until;
  // What else arises with the renewal would stand beside it in a digest.
  await again.patch("/api/v2/me/mail_preferences", { assignments: false, reminders: false });
  const told: string[] = [];
  for (const before of [31, 30, 29, 8, 7, 2, 1, 0]) {
    clock.now = new Date(Date.parse(`${last}T09:00:00Z`) - before * 86_400_000);
    // The path can be taken again from the beginning of the eighth day before its end.
    await openRenewals(lectern.database, clock.now, PUBLIC_URL);
    for (const { subject, text } of await mailed.after(0))
      told.push(`${before}: ${subject}\n${doings(text)}`);
  }
  const view = `View certificate\n${PUBLIC_URL}/certificates/1`;
  const renew = [
    "To renew it, complete the content again before then.",
    `Renew certificate\n${PUBLIC_URL}/assignments/${assignment_id}`,
  ].join("\n");
  assert.deepEqual(told, [
    `30: Certificate expires: First aid\n${view}`,
    `7: Certificate expires: First aid\n${renew}`,
    `1: Certificate expires: First aid\n${renew}`,
  ]);
});

/** What a mail about a certificate asks for, and where its button leads. */
function doings(text: string): string {
  const doing = /^(?:To renew|View certificate|Renew certificate)|\/(?:certificates|assignments)\/\d/;
  return text
    .split(/\r?\n/)
    .filter((line) => doing.test(line))
    .join("\n");
}

test("who has a lesson open is told of its new version when its author asks for that, once", async () => {
  clock.now = new Date("2035-05-07T12:00:00Z");
  const [open, done] = [await learner("Open"), await learner("Done")];
  const lesson_id = await teach(lectern, acme, { title: "Ladders", pages: [[trueFalse("q1")]] });
  for (const { user_id } of [open, done]) {
    await assign(acme, `lessons/${lesson_id}`, [{ assignee_id: user_id, notify: false }]);
  }
  const attempt = await begin(done, lesson_id);
  await save(done, attempt, "q1", { value: true });
  await finish(done, attempt);
  await make.write(acme, (tx) =>
    tx.sql
      .updateTable("lesson_versions")
      .set({ learners: "tell" })
      .where("company_id", "=", tx.company.id)
      .where("lesson_id", "=", lesson_id)
      .execute(),
  );
  assert.deepEqual(subjects(await mailed.after(1)), ["New version: Ladders"]);
  assert.deepEqual(await nextDay(), []);
});

test("administrators are told once of a webhook that its receiver has disabled, not of one that a person has", async () => {
  await using receiver = await startReceiver({ answer: (response) => response.writeHead(410).end() });
  await using worker = new Delivering(lectern, { clock: () => clock.now });
  const { body: made } = await acme.post("/api/v2/webhooks", { url: receiver.url, types: ["lesson.*"] });
  const url = `/api/v2/webhooks/${made.id}`;
  await acme.request({ method: "PATCH", url, payload: { enabled: false } });
  assert.deepEqual(await nextDay(), []);
  await acme.request({ method: "PATCH", url, payload: { enabled: true } });
  await commit(lectern, acme, [{ type: "lesson.completed", data: {} }]);
  await worker.sweep(acme);
  const [disabled, ...others] = await nextDay();
  assert.deepEqual([disabled?.to, others], ["ada@example.com", []]);
  assert.equal(disabled?.subject, `Webhook disabled: ${receiver.url}`);
  assert.match(disabled?.text ?? "", /The receiver answered 410: it wants no more of this/);
  assert.match(
    disabled?.text.replaceAll(/\s+/g, " ") ?? "",
    /will be sent as soon as you enable the endpoint/,
  );
  assert.doesNotMatch(disabled?.text ?? "", /fail/);
  assert.deepEqual(await nextDay(), []);
  // Once more, and somebody has seen to it before the letter goes out.
  await acme.request({ method: "PATCH", url, payload: { enabled: true } });
  await worker.sweep(acme);
  assert.equal(receiver.received.length, 2);
  await acme.request({ method: "PATCH", url, payload: { enabled: true } });
  await acme.request({ method: "PATCH", url, payload: { enabled: false } });
  assert.deepEqual(await nextDay(), []);
  assert.equal((await acme.delete(url)).status, 200);
});

test("administrators are told of a webhook that fails, and whoever began a bulk job how it ended", async () => {
  const since = { failing_since: "2031-05-20T08:00:00Z", unheard_since: "2031-05-17T08:00:00Z" };
  await failEndpoints([{ id: 7_001, url: "https://hooks.example.com/in?key=secret", ...since }]);
  const failing = await mailed.after(1);
  assert.deepEqual(
    failing.map(({ to }) => to),
    ["ada@example.com"],
  );
  assert.match(failing[0]?.subject ?? "", /^Webhook failing: https:\/\/hooks\.example\.com\/in$/);
  assert.match(failing[0]?.text.replaceAll(/\s+/g, " ") ?? "", /failing since May 17, 2031/);
  assert.doesNotMatch(failing[0]?.text ?? "", /secret/);

  const ada = await signIn(lectern, acme, { user_id: FIRST_ADMIN });
  const job = await ada.post("/api/v2/users/bulk", {
    rows: [
      { name: "New One", email: "new.one@example.com", role: "learner" },
      { name: "", email: "no" },
    ],
  });
  assert.equal(job.status, 202, JSON.stringify(job.body));
  await workBulkJobs(lectern.database);
  const [ended, ...others] = await nextDay();
  assert.deepEqual(others, []);
  assert.match(ended?.subject ?? "", /2 rows/);
  assert.match(
    ended?.text ?? "",
    /1 row was applied\.\s+1 row was refused\. The job shows the reason\.\s+View/,
  );
});

test("who is an administrator no more when the letter is written is not told of webhooks", async () => {
  await nextDay();
  const bea = { name: "Bea", email: "bea@example.com", role: "admin", notify: false };
  const { body: made } = await acme.post("/api/v1/users", bea);
  const since = { failing_since: clock.now.toISOString(), unheard_since: clock.now.toISOString() };
  await failEndpoints([{ id: 7_004, url: "https://hooks.example.com/demoted", ...since }]);
  await mailed.run();
  await acme.put(`/api/v1/users/${made.id}`, { role: "learner" });
  const told = await mailed.after(1);
  assert.deepEqual(
    told.map(({ to }) => to),
    ["ada@example.com"],
  );
});

/** Endpoints that have been failing since a while, told of as deliverers would. */
async function failEndpoints(
  endpoints: readonly { id: number; url: string; description?: string; failing_since: string }[],
): Promise<void> {
  await make.write(acme, async (tx) => {
    const at = tx.now.toISOString();
    const shared = { company_id: tx.company.id, kind: "events" as const, types: ["*"], is_enabled: true };
    for (const endpoint of endpoints) {
      await tx.sql
        .insertInto("webhook_endpoints")
        .values({ description: "", position: 0, created_at: at, updated_at: at, ...shared, ...endpoint })
        .execute();
      const { id } = endpoint;
      tx.changes.add({ type: "webhook.failing", resource_id: id, user_id: null, data: { id } });
    }
  });
}

test("a digest of webhooks alone says which of them fail, and nothing of learning", async () => {
  const url = "https://hooks.example.com/in";
  const failing_since = clock.now.toISOString();
  const named = ["", "Orders", "Payroll"].map((description, index) => ({ description, id: 7_101 + index }));
  await mailed.after(24 * 60);
  await failEndpoints(named.map((endpoint) => ({ url, failing_since, ...endpoint })));
  const [digest, ...none] = await nextDay();
  assert.deepEqual([digest?.subject, none], ["3 things for you", []]);
  const text = digest?.text.replaceAll(/\s+/g, " ") ?? "";
  assert.match(text, /Here is what needs your attention as an administrator, in one email/);
  assert.match(
    text,
    /Webhook https:\S+: failing .* Webhook Orders \(https:\S+\): .* Webhook Payroll \(https:\S+\): /,
  );
  assert.doesNotMatch(text, /learning\b(?! platform)/);
});

test("a bulk job that was given up says so", async () => {
  const ada = await signIn(lectern, acme, { user_id: FIRST_ADMIN });
  const rows = ["First", "Second"].map((name) => ({
    name,
    email: `${name}@people.example.com`,
    role: "learner",
  }));
  const { body: job } = await ada.post("/api/v2/users/bulk", { rows });
  // As if it had killed whoever began it, time and again.
  await make.write(acme, (tx) =>
    tx.sql
      .updateTable("bulk_jobs")
      .set({ status: "running", tries: 10 })
      .where("company_id", "=", tx.company.id)
      .where("id", "=", job.id)
      .execute(),
  );
  await workBulkJobs(lectern.database);
  const [ended, ...others] = await nextDay();
  assert.deepEqual(others, []);
  assert.match(
    ended?.text ?? "",
    /The job had 2 rows\.\s+0 rows were applied\.\s+No row was refused\.\s+2 rows were not processed\. The job shows why\./,
  );
});

test("who has no password is not asked to change it after a sign-in from a new device", async () => {
  const lars = await learner("Lars");
  const signInWith = (user_id: number, user_agent: string) =>
    make.write(acme, (tx) => startSession(tx, { user_id, method: "single_sign_on", user_agent }));
  const told = async () => {
    const [mail, ...none] = await mailed.after(0);
    assert.deepEqual([mail?.subject, none], ["Sign-in from a new device", []]);
    const [, advice, page] =
      /to do\. If not, ([^.]+)\.[\s\S]*?(\/preferences\/\w+)/.exec(
        mail?.text.replaceAll(/\s+/g, " ") ?? "",
      ) ?? [];
    return [advice, page];
  };
  const ended = ["end this session at once and tell your administrators", "/preferences/sessions"];
  await mailed.after(0);
  await signInWith(lars.user_id, "One");
  assert.deepEqual(await told(), ended);
  // Ada was made with a password.
  await signInWith(FIRST_ADMIN, "One");
  const changed = ["change your password at once and tell your administrators", "/preferences/password"];
  assert.deepEqual(await told(), changed);
  await make.write(acme, (tx) =>
    tx.sql
      .insertInto("identity_providers")
      .values({
        ...{ company_id: tx.company.id, issuer: "https://id.example.com", client_id: "us" },
        ...{ makes_users: false, new_user_role_id: 32 },
        ...{ allows_passwords: false, updated_at: tx.now.toISOString() },
      })
      .execute(),
  );
  await signInWith(FIRST_ADMIN, "Two");
  assert.deepEqual(await told(), ended);
});
