import assert from "node:assert/strict";
import { after, test } from "node:test";
import { lockCounters } from "../db/counters.ts";
import { countAssignments } from "../assignments/counts.ts";
import { assignmentCounters } from "../assignments/give.ts";
import { Problem } from "../http/problem.ts";
import { assertCountsOf } from "../test/counts.ts";
import { assign, setState } from "../test/learning.ts";
import { type Client, startServer } from "../test/server.ts";
import { advancePaths, describePath, type LessonOutcome, requireUnlocked } from "./path-progress.ts";

let now = "2026-03-01T12:00:00Z";
const lectern = await startServer({ clock: () => new Date(now) });
after(() => lectern[Symbol.asyncDispose]());

/** A company with one learner. */
class School implements AsyncDisposable {
  readonly client: Client;
  readonly user_id: number;

  constructor(client: Client, user_id: number) {
    this.client = client;
    this.user_id = user_id;
  }

  static async open(given: { subdomain: string; time_zone?: string }): Promise<School> {
    now = "2026-03-01T12:00:00Z";
    const client = await lectern.addCompany(given);
    const { body } = await client.post("/api/v1/users", {
      name: "Lea",
      email: "lea@example.com",
      role_id: 32,
    });
    return new School(client, body.id);
  }

  /** Makes lessons A, B, C and so on; their ids are 1, 2, 3. */
  async lessons(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      await lectern.make.lesson(this.client, { title: String.fromCharCode(65 + index) });
    }
  }

  async assign(thing: string): Promise<number> {
    const [assignment] = await assign(this.client, thing, [{ assignee_id: this.user_id }]);
    return assignment.id;
  }

  /** Ends a lesson as an attempt does, now. */
  async end(lesson_id: number, given: Partial<LessonOutcome> = {}): Promise<void> {
    const moment = now;
    const outcome = {
      user_id: this.user_id,
      lesson_id,
      assignment_id: null,
      status: "Completed" as const,
      score: null,
      started_at: moment,
      completed_at: given.status === "Incomplete" ? null : moment,
      ...given,
    };
    await lectern.make.write(this.client, async (tx) => {
      const at = await lockCounters(tx, ...assignmentCounters);
      await countAssignments(tx, { ...(await advancePaths(tx, outcome, at)), at });
    });
  }

  /** The steps in short: `A done`, `wait 3 locked until …`. */
  async steps(assignment_id: number): Promise<string[]> {
    const { steps } = await lectern.database.read(this.client.company, (tx) =>
      describePath(tx, assignment_id),
    );
    return shorten(steps);
  }

  async next(assignment_id: number) {
    const { next, next_opens_at } = await lectern.database.read(this.client.company, (tx) =>
      describePath(tx, assignment_id),
    );
    return next === null ? next_opens_at : next.title;
  }

  /** Why a lesson can't be taken; undefined when it can. */
  async refusal(assignment_id: number, lesson_id: number): Promise<string | undefined> {
    try {
      await lectern.database.read(this.client.company, (tx) =>
        requireUnlocked(tx, { assignment_id, lesson_id }),
      );
      return undefined;
    } catch (error) {
      assert.ok(error instanceof Problem && error.status === 409);
      return error.message;
    }
  }

  async assignment(id: number) {
    const { body } = await this.client.get("/api/v1.1/assignments");
    return body.assignments.find((assignment: { id: number }) => assignment.id === id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await assertCountsOf(lectern.ownerUrl, [this.client.company]);
  }
}

type Steps = Awaited<ReturnType<typeof describePath>>["steps"];

function shorten(steps: Steps): string[] {
  return steps.flatMap((step) => {
    const name = step.type === "lesson" || step.type === "path" ? step.title : step.type;
    const until = step.locked_until === null ? "" : ` until ${step.locked_until}`;
    const own = `${name} ${step.state}${until}`;
    return step.type === "path" ? [own, ...shorten(step.steps).map((inner) => `- ${inner}`)] : [own];
  });
}

const lesson = (lesson_id: number) => ({ resource_type: "lesson" as const, lesson_id });

let lastItem = 0;
function wait(amount: number, unit: string) {
  const item_id = (lastItem += 1);
  return {
    resource_type: "wait_step" as const,
    item_id,
    effect: "locked",
    condition: "prev_step_finished",
    unit,
    amount,
  };
}

test("in an enforced order a lesson opens when all before it are completed; one that awaits a grade opens nothing", async () => {
  await using school = await School.open({ subdomain: "order" });
  await school.lessons(3);
  const path = await lectern.make.path(school.client, {
    enforced_order: true,
    contents: [lesson(1), lesson(2), lesson(3)],
  });
  const id = await school.assign(`paths/${path}`);
  assert.deepEqual(await school.steps(id), ["A open", "B locked", "C locked"]);
  assert.equal(await school.refusal(id, 3), "“C” is locked: first finish “B”");

  await school.end(1, { assignment_id: id, status: "Incomplete" });
  assert.deepEqual(await school.steps(id), ["A in_progress", "B locked", "C locked"]);
  assert.equal((await school.assignment(id)).started_at, "2026-03-01T12:00:00Z");
  await school.end(1, { assignment_id: id, status: "Grade Pending" });
  assert.deepEqual(await school.steps(id), ["A grade_pending", "B locked", "C locked"]);
  await school.end(1, { assignment_id: id, status: "Incomplete" });
  assert.deepEqual(await school.steps(id), ["A in_progress", "B locked", "C locked"]);

  await school.end(1, { assignment_id: id, score: 80 });
  assert.equal(await school.refusal(id, 2), undefined);
  assert.equal(await school.next(id), "B");
  await school.end(2, { assignment_id: id });
  assert.equal((await school.assignment(id)).status, "Incomplete");
  await school.end(3, { assignment_id: id, score: 91 });
  const { status, score, started_at } = await school.assignment(id);
  assert.deepEqual(
    { status, score, started_at },
    { status: "Completed", score: 86, started_at: "2026-03-01T12:00:00Z" },
  );
  assert.equal(await school.next(id), null);
  // What is completed stays, whatever comes after.
  await school.end(3, { assignment_id: id, status: "Incomplete" });
  assert.deepEqual(await school.steps(id), ["A done", "B done", "C done"]);
});

test("a wait step locks what stands behind it for hours, days or weeks, by the clock", async () => {
  await using school = await School.open({ subdomain: "waits" });
  await school.lessons(4);
  const path = await lectern.make.path(school.client, {
    contents: [
      lesson(1),
      wait(5, "hours"),
      lesson(2),
      wait(2, "days"),
      lesson(3),
      wait(1, "weeks"),
      lesson(4),
    ],
  });
  const id = await school.assign(`paths/${path}`);
  const locked = [
    "A open",
    "wait_step locked",
    "B locked",
    "wait_step locked",
    "C locked",
    "wait_step locked",
    "D locked",
  ];
  assert.deepEqual(await school.steps(id), locked);
  await school.end(1);
  assert.deepEqual((await school.steps(id)).slice(0, 3), [
    "A done",
    "wait_step locked until 2026-03-01T17:00:00Z",
    "B locked until 2026-03-01T17:00:00Z",
  ]);
  assert.equal(await school.refusal(id, 2), "“B” is locked until 2026-03-01T17:00:00Z: take it then");
  assert.equal(await school.next(id), "2026-03-01T17:00:00Z");
  now = "2026-03-01T16:59:59.999Z";
  assert.notEqual(await school.refusal(id, 2), undefined);
  now = "2026-03-01T17:00:00Z";
  assert.equal(await school.refusal(id, 2), undefined);
  assert.equal(await school.next(id), "B");
  await school.end(2);
  assert.equal((await school.steps(id))[4], "C locked until 2026-03-03T17:00:00Z");
  now = "2026-03-03T17:00:00Z";
  await school.end(3);
  assert.equal((await school.steps(id))[6], "D locked until 2026-03-10T17:00:00Z");
});

test("a wait step until a date opens at that day's midnight in the company's time zone", async () => {
  await using school = await School.open({ subdomain: "dates", time_zone: "America/New_York" });
  await school.lessons(1);
  const step = { ...wait(0, "days"), condition: "date", wait_until: "2026-03-08" };
  const path = await lectern.make.path(school.client, { contents: [step, lesson(1)] });
  const id = await school.assign(`paths/${path}`);
  assert.equal(await school.next(id), "2026-03-08T05:00:00Z");
  now = "2026-03-08T05:00:00Z";
  assert.deepEqual(await school.steps(id), ["wait_step done", "A open"]);
});

test("a nested path is one step: it counts as finished with the last of its lessons, and what is archived is skipped", async () => {
  await using school = await School.open({ subdomain: "nested" });
  await school.lessons(4);
  const { make } = lectern;
  const inner = await make.path(school.client, {
    title: "Inner",
    enforced_order: true,
    contents: [lesson(2), lesson(3)],
  });
  const path = await make.path(school.client, {
    enforced_order: true,
    contents: [
      lesson(1),
      { resource_type: "path", nested_path_id: inner },
      wait(1, "days"),
      { resource_type: "placeholder", item_id: 99, description: "Coffee" },
      lesson(4),
    ],
  });
  const id = await school.assign(`paths/${path}`);
  await school.end(1);
  await school.end(2);
  assert.deepEqual(await school.steps(id), [
    "A done",
    "Inner in_progress",
    "- B done",
    "- C open",
    "wait_step locked",
    "placeholder locked",
    "D locked",
  ]);
  await school.client.put("/api/v1/lessons/3/archive");
  assert.deepEqual((await school.steps(id)).slice(1, 3), ["Inner done", "- B done"]);
  assert.equal((await school.steps(id)).at(-1), "D locked until 2026-03-02T12:00:00Z");
  await school.client.put("/api/v1/lessons/4/archive");
  assert.equal((await school.assignment(id)).status, "Completed", "nothing is left to do");
  await school.client.put("/api/v1/lessons/4/restore");
  assert.equal((await school.assignment(id)).status, "Completed", "and stays so");
});

test("a lesson that is completed elsewhere counts in a path that says so, and in a course", async () => {
  await using school = await School.open({ subdomain: "elsewhere" });
  await school.lessons(2);
  const { make } = lectern;
  const contents = [lesson(1), lesson(2)];
  const counting = await school.assign(
    `paths/${await make.path(school.client, { title: "Counts", contents })}`,
  );
  const own = await school.assign(
    `paths/${await make.path(school.client, { title: "Own", contents, counts_elsewhere: false })}`,
  );
  const course = await school.assign(`courses/${await make.course(school.client, { lessons: [1, 2] })}`);
  await school.end(1, { score: 70 });
  await school.end(2, { assignment_id: own, score: 85 });
  assert.deepEqual(await school.steps(counting), ["A done", "B done"]);
  assert.deepEqual(await school.steps(own), ["A open", "B done"]);
  const results = await Promise.all([counting, own, course].map((id) => school.assignment(id)));
  assert.deepEqual(
    results.map(({ status, score }) => [status, score]),
    [
      ["Completed", 78],
      ["Incomplete", null],
      ["Completed", 78],
    ],
  );
  assert.deepEqual(results[1].contents, [
    { id: 1, resource_type: "lesson", started_at: null, completed_at: null, status: "Incomplete" },
    {
      id: 2,
      resource_type: "lesson",
      started_at: "2026-03-01T12:00:00Z",
      completed_at: "2026-03-01T12:00:00Z",
      score: 85,
      status: "Completed",
    },
  ]);
});

test("what was completed before a path was assigned counts in one that was published here, but not when it begins anew", async () => {
  await using school = await School.open({ subdomain: "before" });
  await school.lessons(3);
  const { make } = lectern;
  const own = await school.assign("lessons/1");
  const times = { started_at: "2026-02-01 08:00:00+00", completed_at: "2026-02-01 09:00:00+00" };
  await setState({ lectern, client: school.client }, own, { status: "Completed", score: 95, ...times });
  const published = { enforced_order: true, published_version: 1 };
  const some = await make.path(school.client, { ...published, contents: [lesson(1), lesson(2)] });
  const all = await make.path(school.client, { ...published, contents: [lesson(1)] });
  const none = await make.path(school.client, {
    ...published,
    counts_elsewhere: false,
    contents: [lesson(1), lesson(2)],
  });
  const begun = await school.assign(`paths/${some}`);
  assert.deepEqual(await school.steps(begun), ["A done", "B open"]);
  assert.equal((await school.assignment(begun)).started_at, "2026-02-01T08:00:00Z");
  assert.deepEqual(await school.steps(await school.assign(`paths/${none}`)), ["A open", "B locked"]);
  const whole = await school.assign(`paths/${all}`);
  const { status, score } = await school.assignment(whole);
  assert.deepEqual([status, score], ["Completed", 95]);
  // Assigned again it begins anew: then it is to be taken again.
  await school.assign(`paths/${all}`);
  assert.equal((await school.assignment(whole)).status, "Incomplete");
  assert.deepEqual(await school.steps(whole), ["A open"]);
  await school.end(1, { score: 88 });
  assert.deepEqual((await school.assignment(whole)).score, 88);
});
