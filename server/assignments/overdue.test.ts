import assert from "node:assert/strict";
import { after, mock, test } from "node:test";
import pg from "pg";
import { importInto, least } from "../test/bundles.ts";
import type { StoredEvent } from "../test/feed.ts";
import { type FeedReader, followFeed } from "../test/follow-feed.ts";
import { assign, setState } from "../test/learning.ts";
import { addManyUsers } from "../test/people.ts";
import { type Client, PUBLIC_URL, startServer } from "../test/server.ts";
import { updateAssignment } from "./edit.ts";
import { tellOverdue } from "./overdue.ts";

let now = new Date("2026-06-10T12:00:00Z");
const lectern = await startServer({ clock: () => now });
after(() => lectern[Symbol.asyncDispose]());

/** Looks at a moment, as the worker does all the time. @returns the assignments that the company is told of. */
async function tellAt(moment: string, { feed }: Pick<School, "feed">): Promise<(number | null)[]> {
  now = new Date(moment);
  await tellOverdue(lectern.database, now, PUBLIC_URL);
  return overdue(await feed.next());
}

interface School {
  readonly client: Client;
  readonly feed: FeedReader;
  readonly lesson_id: number;
  readonly users: readonly number[];
}

/** A company that was looked at before, with learners. */
async function open(subdomain: string, people: number, time_zone = "UTC"): Promise<School> {
  now = new Date("2026-06-10T12:00:00Z");
  const client = await lectern.addCompany({ subdomain, time_zone });
  await tellOverdue(lectern.database, now, PUBLIC_URL);
  const lesson_id = await lectern.make.lesson(client);
  const users = await addManyUsers(lectern.make, client, people);
  return { client, lesson_id, users, feed: await followFeed(lectern, client) };
}

function assignDue({ client, lesson_id, users }: School, dues: readonly (string | null)[]) {
  const wanted = dues.map((due_by, index) => ({ assignee_id: users[index], due_by }));
  return assign(client, `lessons/${lesson_id}`, wanted);
}

function setDue({ client }: School, id: number, due_by: string | null) {
  return client.request({ method: "PATCH", url: `/api/v2/assignments/${id}`, payload: { due_by } });
}

function overdue(events: readonly StoredEvent[]): (number | null)[] {
  return events.flatMap(({ type, resource_id }) => (type === "assignment.overdue" ? [resource_id] : []));
}

test("an assignment is told to be overdue the day after its due date, in the company's time zone, once", async () => {
  // The day of the due date ends at midnight there: 16 June begins at 04:00 UTC in New York, at 15:00 the day before in Tokyo.
  for (const { time_zone, last, first } of [
    { time_zone: "America/New_York", last: "2026-06-16T03:59:59.999Z", first: "2026-06-16T04:00:00Z" },
    { time_zone: "Asia/Tokyo", last: "2026-06-15T14:59:59.999Z", first: "2026-06-15T15:00:00Z" },
  ]) {
    const school = await open(time_zone.toLowerCase().replaceAll(/[^a-z]/g, "-"), 5, time_zone);
    await assignDue(school, ["2026-06-15", "2026-06-15T23:59:59Z", "2026-06-16", null, "2026-06-15"]);
    await setState({ lectern, client: school.client }, 5, {
      status: "Completed",
      completed_at: "2026-06-12",
    });
    const before = (await school.client.get("/api/v2/assignments/1")).body;
    await school.feed.next();
    assert.deepEqual(await tellAt(last, school), []);
    // Two workers at once, and again: each is told once.
    now = new Date(first);
    const told = await Promise.all([1, 2].map(() => tellOverdue(lectern.database, now, PUBLIC_URL)));
    assert.deepEqual(told.toSorted(), [0, 2]);
    const events = await school.feed.next();
    assert.deepEqual(overdue(events), [1, 2]);
    assert.deepEqual(await tellAt("2026-06-16T04:05:00Z", school), []);
    const { user, content, ...shown } = before;
    assert.ok(user && content);
    const { id: _id, ...event } = events[0] ?? {};
    assert.deepEqual(event, {
      type: "assignment.overdue",
      resource_id: 1,
      user_id: school.users[0],
      data: { ...shown, status: "Overdue" },
      previous: { status: "Incomplete" },
      notify: true,
    });
    const later = (await school.client.get("/api/v2/assignments/1")).body;
    assert.deepEqual(later, { ...before, status: "Overdue" }, "updated_at stays");
    await school.feed.check();
  }
});

test("another due date is another one to miss; the same is told once, also after a retake", async () => {
  const school = await open("dates", 2);
  const [first, second] = await assignDue(school, ["2026-06-15", "2026-06-15"]);
  await setDue(school, second.id, "2026-06-17");
  assert.deepEqual(await tellAt("2026-06-16T00:00:00Z", school), [first.id]);
  await setDue(school, first.id, "2026-06-17");
  assert.deepEqual(await tellAt("2026-06-18T00:00:00Z", school), [first.id, second.id]);
  // Handed in after the date, and below the pass mark.
  const ofSchool = { lectern, client: school.client };
  await setState(ofSchool, first.id, { status: "Grade Pending" });
  await setState(ofSchool, first.id, { status: "Incomplete" });
  assert.deepEqual(await tellAt("2026-06-19T00:00:00Z", school), []);
});

test("who is made late by a change is told of with the change", async () => {
  const school = await open("late", 4);
  await tellAt("2026-06-20T09:00:00Z", school);
  const [past, , open_, waiting] = await assignDue(school, [
    "2026-06-19",
    "2026-06-20",
    null,
    "2026-06-19T08:00:00Z",
  ]);
  const created = await school.feed.next();
  assert.deepEqual(
    created.map(({ type, resource_id }) => `${type} ${resource_id}`),
    [...[1, 2, 3, 4].map((id) => `assignment.created ${id}`), "assignment.overdue 1", "assignment.overdue 4"],
  );
  assert.equal(created[0]?.data["status"], "Overdue");

  await setDue(school, past.id, "2026-06-19T12:00:00Z");
  await setDue(school, open_.id, "2026-06-01");
  assert.deepEqual(overdue(await school.feed.next()), [open_.id], "the same day is the same due date");

  const ofSchool = { lectern, client: school.client };
  await setDue(school, waiting.id, "2026-06-21");
  await setState(ofSchool, waiting.id, { status: "Grade Pending" });
  assert.deepEqual(await tellAt("2026-06-22T00:00:00Z", school), [2], "what waits for a grader is not late");
  await setState(ofSchool, waiting.id, { status: "Incomplete" });
  assert.deepEqual(overdue(await school.feed.next()), [waiting.id], "the grader sends it back too late");
  await setState(ofSchool, waiting.id, { status: "Completed", completed_at: "2026-06-22" });
  const url = `/api/v2/assignments/${waiting.id}/reassign`;
  assert.equal((await school.client.post(url, { due_by: "2026-06-05" })).status, 200);
  assert.deepEqual(overdue(await school.feed.next()), [waiting.id]);
  assert.deepEqual(await tellAt("2026-06-23T00:00:00Z", school), []);

  assert.equal((await school.client.delete(`/api/v2/users/${school.users[3]}`)).status, 200);
  assert.equal((await school.client.delete(`/api/v2/assignments/${past.id}`)).status, 200);
  assert.deepEqual(await noticesOf(school.client), [2, open_.id]);
  await school.feed.check();
});

test("a change that began before midnight and ends after the look tells what the look has not seen", async () => {
  const school = await open("midnight", 2);
  const [given] = await assignDue(school, ["2026-06-30"]);
  await school.feed.next();
  now = new Date("2026-06-15T23:59:59Z");
  await lectern.make.write(school.client, async (tx) => {
    assert.deepEqual(await tellAt("2026-06-16T00:00:01Z", school), []);
    await updateAssignment(tx, given.id, { due_by: "2026-06-15" });
  });
  const [changed, late] = await school.feed.next();
  assert.deepEqual([changed?.type, changed?.data["status"]], ["assignment.due_changed", "Incomplete"]);
  assert.deepEqual([late?.type, late?.data["status"]], ["assignment.overdue", "Overdue"]);
  assert.deepEqual(await tellAt("2026-06-16T00:05:00Z", school), []);
});

test("what an import brings is late without anybody being told", async () => {
  now = new Date("2026-06-10T12:00:00Z");
  const client = await lectern.addCompany({ subdomain: "imported" });
  await tellOverdue(lectern.database, now, PUBLIC_URL);
  const feed = await followFeed(lectern, client);
  const assignments = ["2021-01-01", "2026-06-11"].map((due_by, index) =>
    least.assignment(index + 1, 700 + index, 300, { due_by }),
  );
  const users = [least.user(700), least.user(701)];
  await importInto(lectern, client, { users, lessons: [least.lesson(300)], assignments });
  assert.deepEqual(await feed.next(), []);
  await setState({ lectern, client }, 1, { status: "Incomplete", started_at: "2026-06-10T12:00:00Z" });
  assert.deepEqual(overdue(await feed.next()), []);
  assert.deepEqual(
    await tellAt("2026-06-12T00:00:00Z", { feed }),
    [2],
    "but what it becomes late for is news",
  );
});

/** The assignments that notices are kept of. */
async function noticesOf({ company }: Client): Promise<number[]> {
  const rows = await lectern.database.read(company, (tx) =>
    tx.sql
      .selectFrom("overdue_notices")
      .select("assignment_id")
      .where("company_id", "=", company.id)
      .orderBy("assignment_id")
      .execute(),
  );
  return rows.map(({ assignment_id }) => assignment_id);
}

test("what was late before the first look is told to nobody; after days of silence all of it is told", async () => {
  now = new Date("2026-06-10T12:00:00Z");
  const client = await lectern.addCompany({ subdomain: "silent" });
  const lesson_id = await lectern.make.lesson(client);
  const people = 1_200;
  const users = await addManyUsers(lectern.make, client, people);
  const school = { client, lesson_id, users, feed: await followFeed(lectern, client) };
  await assignDue(school, [
    "2026-06-11",
    ...Array.from({ length: people - 1 }, (_, index) => `2026-06-1${3 + (index % 3)}`),
  ]);
  assert.deepEqual(await tellAt("2026-06-12T01:00:00Z", school), []);
  const query = mock.method(pg.Client.prototype, "query");
  const told = await tellAt("2026-06-19T01:00:00Z", school);
  const sweep = findSweep(query.mock.calls);
  query.mock.restore();
  assert.deepEqual([told.length, new Set(told).size, told.includes(1)], [people - 1, people - 1, false]);
  await assertFoundByIndex(sweep);
});

/** PostgreSQL finds what has become overdue in the index of due dates, however many assignments there are. */
async function assertFoundByIndex({ text, values }: Statement): Promise<void> {
  const owner = new pg.Client({ connectionString: lectern.ownerUrl });
  await owner.connect();
  try {
    await owner.query("analyze assignments");
    const { rows } = await owner.query(`explain ${text}`, [...values]);
    const plan = rows.map((row) => String(row["QUERY PLAN"])).join("\n");
    assert.match(plan, /Index Scan using assignments_due_by_idx on assignments/);
    assert.doesNotMatch(plan, /Sort/);
  } finally {
    await owner.end();
  }
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The statement among those that were sent by which the sweep finds what has become overdue. */
function findSweep(calls: readonly { readonly arguments: readonly unknown[] }[]): Statement {
  for (const {
    arguments: [given],
  } of calls) {
    if (typeof given !== "object" || given === null || !("text" in given) || !("values" in given)) continue;
    const { text, values } = given;
    if (String(text).includes("overdue_notices notice") && Array.isArray(values))
      return { text: String(text), values };
  }
  throw new Error("the sweep has asked for nothing");
}
