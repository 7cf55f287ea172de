import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { deleteCompany } from "../companies/delete.ts";
import { updateCompany } from "../companies/operate.ts";
import { Database } from "../db/db.ts";
import { commit } from "../test/delivering.ts";
import { assign } from "../test/learning.ts";
import { type Client, startServer } from "../test/server.ts";
import { forgetStrayEvents, keepPartitions, noteForgotten } from "./retention.ts";

let now = new Date();
const lectern = await startServer({ clock: () => now });
const { acme, globex } = lectern;
after(() => lectern[Symbol.asyncDispose]());

test("the feed tells what happened, in order, to whoever goes on from where they are", async () => {
  const user_id = await addUser(acme);
  const lesson_id = await lectern.make.lesson(acme);
  const start = await acme.get("/api/v2/events/position");
  assert.deepEqual([start.status, Object.keys(start.body)], [200, ["position", "oldest"]]);
  const { position } = start.body;

  const [given] = await assign(acme, `lessons/${lesson_id}`, [
    { assignee_id: user_id, due_by: "2099-12-31" },
  ]);
  await acme.request({
    method: "PATCH",
    url: `/api/v2/assignments/${given.id}`,
    payload: { due_by: "2099-06-30" },
  });
  await acme.request({ method: "DELETE", url: `/api/v2/assignments/${given.id}` });

  const { status, body } = await acme.get(`/api/v2/events?after=${position}`);
  assert.equal(status, 200);
  assert.deepEqual(
    body.data.map(({ id, type, previous }: EventBody) => ({ id, type, due_by: previous?.due_by })),
    [
      { id: position + 1, type: "assignment.created", due_by: undefined },
      { id: position + 2, type: "assignment.due_changed", due_by: "2099-12-31T00:00:00Z" },
      { id: position + 3, type: "assignment.deleted", due_by: undefined },
    ],
  );
  assert.equal(body.next, position + 3);
  const [created, , deleted] = body.data;
  const { assigned_at, updated_at, ...data } = created.data;
  assert.deepEqual(data, {
    id: given.id,
    resource_type: "assignment",
    user_id,
    group_id: null,
    assignable_type: "Lesson",
    assignable_id: lesson_id,
    due_by: "2099-12-31T00:00:00Z",
    reassigned_at: null,
    started_at: null,
    completed_at: null,
    status: "Incomplete",
    score: null,
  });
  assert.equal(assigned_at, updated_at);
  assert.deepEqual(deleted.data, { id: given.id });

  const rest = await acme.get(`/api/v2/events?after=${position + 1}&limit=1`);
  assert.deepEqual([rest.body.data[0].id, rest.body.next], [position + 2, position + 2]);
  const some = await acme.get(`/api/v2/events?after=${position}&types=assignment.deleted,group.*`);
  assert.deepEqual(some.body, { data: [deleted], next: position + 3 });
  const all = await acme.get(`/api/v2/events?after=${position}&types=assignment.*`);
  assert.equal(all.body.data.length, 3);
});

test("what is rolled back is in no feed, and takes no id", async () => {
  const { body: before } = await acme.get("/api/v2/events/position");
  const lesson_id = await lectern.make.lesson(acme);
  const user_id = await addUser(acme);
  const { body: made } = await acme.get("/api/v2/events/position");
  const refused = await acme.put(`/api/v1/lessons/${lesson_id}/assignments`, {
    assignments: [{ assignee_id: user_id }, { assignee_id: 999_999 }],
  });
  assert.equal(refused.status, 400);
  const { body: now } = await acme.get("/api/v2/events/position");
  assert.deepEqual(now, made);
  assert.ok(now.position >= before.position);
});

test(
  "who has all of it can wait for the next event, also for one of a type",
  { timeout: 120_000 },
  async () => {
    const { body } = await acme.get("/api/v2/events/position");
    const user_id = await addUser(acme);
    const lesson_id = await lectern.make.lesson(acme);
    const { body: start } = await acme.get("/api/v2/events/position");
    const waits = [
      acme.get(`/api/v2/events?after=${start.position}&wait=30`),
      acme.get(`/api/v2/events?after=${start.position}&wait=30&types=assignment.deleted`),
    ];
    const began = performance.now();
    const [given] = await assign(acme, `lessons/${lesson_id}`, [{ assignee_id: user_id }]);
    const first = await waits[0];
    assert.deepEqual(
      first?.body.data.map(({ type }: EventBody) => type),
      ["assignment.created"],
    );
    await acme.request({ method: "DELETE", url: `/api/v2/assignments/${given.id}` });
    const second = await waits[1];
    assert.deepEqual(
      second?.body.data.map(({ type }: EventBody) => type),
      ["assignment.deleted"],
    );
    assert.ok(performance.now() - began < 25_000, "nobody has waited for the end of the time");
    const nothing = await acme.get(`/api/v2/events?after=${second?.body.next}&wait=1`);
    assert.deepEqual(nothing.body, { data: [], next: second?.body.next });
    assert.ok(body.position <= start.position);
  },
);

test(
  "who may no longer read events hears none, though they wait for them already",
  { timeout: 120_000 },
  async () => {
    const { body: robot } = await acme.post("/api/v2/api_keys", {
      name: "Robot",
      privileges: ["events.read"],
    });
    const { body } = await acme.get("/api/v2/events/position");
    const url = `/api/v2/events?after=${body.position}&wait=30`;
    const waiting = acme.request({ url, headers: { authorization: `Bearer ${robot.key}` } });
    await sleep(300);
    await acme.request({ method: "DELETE", url: `/api/v2/api_keys/${robot.id}` });
    // A server believes what it has found of a key for half a second.
    await sleep(600);
    await addUser(acme);
    assert.equal((await waiting).status, 401);
  },
);

test(
  "who waits for the events of a company that is deleted is told that it is gone",
  { timeout: 120_000 },
  async () => {
    const client = await lectern.addCompany({ subdomain: "short-lived" });
    const { body } = await client.get("/api/v2/events/position");
    const waiting = client.get(`/api/v2/events?after=${body.position}&wait=30`);
    await sleep(600);
    await using owner = new Database({
      ...{
        url: lectern.ownerUrl,
        pooling: "session",
        statementTimeoutMs: 30_000,
        connections: 1,
        clock: () => now,
      },
    });
    await deleteCompany(owner, client.company);
    assert.equal((await waiting).status, 401);
  },
);

test("who waits while the API is taken out of their plan is told so", { timeout: 120_000 }, async () => {
  const client = await lectern.addCompany({ subdomain: "without-api" });
  const { body } = await client.get("/api/v2/events/position");
  const waiting = client.get(`/api/v2/events?after=${body.position}&wait=30`);
  await sleep(600);
  const unchanged = { name: undefined, time_zone: undefined, requests_per_minute: undefined };
  const changes = { ...unchanged, has_api: false, has_learning_library: undefined };
  await updateCompany(lectern.database, client.company, changes);
  // A server believes what it has found of a company for half a second.
  await sleep(600);
  await commit(lectern, client, [{ type: "user.updated", data: {} }]);
  assert.equal((await waiting).status, 403);
});

test("where an event can't be written, nothing is", async () => {
  const user_id = await addUser(acme);
  const { body: before } = await acme.get("/api/v2/events/position");
  const writing = lectern.make.write(acme, async (tx) => {
    const users = tx.sql.updateTable("users").where("company_id", "=", tx.company.id);
    await users.where("id", "=", user_id).set({ name: "Nobody" }).execute();
    tx.changes.add({ type: "user.updated", resource_id: 1.5, user_id, data: {} });
  });
  await assert.rejects(writing, /invalid input syntax for type bigint/);
  assert.equal((await acme.get(`/api/v1/users/${user_id}`)).body.name, "Learner");
  assert.deepEqual((await acme.get("/api/v2/events/position")).body, before);
});

test("each company has a feed of its own", async () => {
  const user_id = await addUser(globex);
  const lesson_id = await lectern.make.lesson(globex);
  const { body: start } = await globex.get("/api/v2/events/position");
  await assign(globex, `lessons/${lesson_id}`, [{ assignee_id: user_id }]);
  const { body } = await globex.get(`/api/v2/events?after=${start.position}`);
  assert.deepEqual(
    body.data.map(({ id }: EventBody) => id),
    [start.position + 1],
  );
});

test("what is wrong with a question is said", async () => {
  const wrong = await acme.get("/api/v2/events?after=-1&types=user&wait=31&limit=1001");
  assert.equal(wrong.status, 422);
  assert.deepEqual(wrong.body.errors.map(({ field }: { field: string }) => field).toSorted(), [
    "after",
    "limit",
    "types",
    "wait",
  ]);
  const unknown = await acme.get("/api/v2/events?types=user.*,lesson.complete");
  assert.deepEqual(
    [unknown.status, unknown.body.detail],
    [422, "types lesson.complete is no type of event: /openapi.json lists them under webhooks"],
  );
  const { body: start } = await acme.get("/api/v2/events/position");
  const ahead = await acme.get(`/api/v2/events?after=${start.position + 1}`);
  assert.equal(ahead.status, 410);
  assert.match(ahead.body.detail, /restored from a backup/);
});

test("a month that is no longer kept is dropped, and who needs it is told what to do", async () => {
  await using owner = openPool(lectern.ownerUrl);
  const { body: start } = await acme.get("/api/v2/events/position");
  assert.equal(start.oldest, 1);
  const today = now;
  const later = new Date(today.getTime() + 200 * 86_400_000);
  now = later;
  const user_id = await addUser(acme);
  const lesson_id = await lectern.make.lesson(acme);
  const { body: last } = await acme.get("/api/v2/events/position");
  await assign(acme, `lessons/${lesson_id}`, [{ assignee_id: user_id }]);
  await noteForgotten(lectern.database, { now: later, keptDays: 90 });
  const dropped = await keepPartitions(owner.pool, { now: later, keptDays: 90 });
  assert.ok(dropped.includes(`events_${today.toISOString().slice(0, 7).replace("-", "_")}`), dropped.join());
  await forgetStrayEvents(lectern.database, { now: later, keptDays: 90 });

  const tooLate = await acme.get(`/api/v2/events?after=${start.position - 1}`);
  assert.equal(tooLate.status, 410);
  assert.match(tooLate.body.detail, /is no longer kept.*position/);
  const fromOldest = await acme.get("/api/v2/events");
  assert.ok(fromOldest.body.data.length > 0);
  assert.equal(fromOldest.body.data.at(-1).id, last.position + 1);
  // The months that come have partitions of their own again.
  const { rows } = await owner.pool.query<{ name: string }>(
    "select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'events'::regclass",
  );
  const names = rows.map(({ name }) => name);
  const nextMonth = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 1));
  assert.ok(names.includes(`events_${nextMonth.toISOString().slice(0, 7).replace("-", "_")}`), names.join());
  now = today;
});

test("where a month is dropped with an event that is later than one that stays, its reader is told", async () => {
  const today = new Date();
  const border = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1);
  const day = 86_400_000;
  // The second one's transaction began in the month before, and ended after the first one's; or a clock was wrong.
  for (const late of [1, 20 * day]) {
    let ms = border;
    await using service = await startServer({ clock: () => new Date(ms) });
    await using owner = openPool(service.ownerUrl);
    const { acme: client, database } = service;
    for (const at of [border + 1, border - late, border + 2]) {
      ms = at;
      await commit(service, client, [{ type: "user.updated", data: {} }]);
    }
    const retention = { now: new Date(border + 100 * day), keptDays: 90 };
    await noteForgotten(database, retention);
    const month = new Date(border - 1).toISOString().slice(0, 7).replace("-", "_");
    assert.ok((await keepPartitions(owner.pool, retention)).includes(`events_${month}`));
    await forgetStrayEvents(database, retention);
    assert.deepEqual((await client.get("/api/v2/events/position")).body, { position: 3, oldest: 3 });
    assert.equal((await client.get("/api/v2/events?after=1")).status, 410);
    const idsAfter = async (query: string) =>
      (await client.get(`/api/v2/events${query}`)).body.data.map(({ id }: EventBody) => id);
    assert.deepEqual([await idsAfter("?after=2"), await idsAfter("")], [[3], [3]]);
  }
});

test("an event from under a clock that was far behind leaves the rest of the feed as it is", async () => {
  const today = new Date();
  let ms = today.getTime();
  await using service = await startServer({ clock: () => new Date(ms) });
  await using owner = openPool(service.ownerUrl);
  const { acme: client, database } = service;
  for (const at of [ms, 0, ms + 1]) {
    ms = at;
    await commit(service, client, [{ type: "user.updated", data: {} }]);
  }
  const idsNow = async () => (await client.get("/api/v2/events")).body.data.map(({ id }: EventBody) => id);
  const forget = async (now: Date) => {
    await noteForgotten(database, { now, keptDays: 90 });
    await keepPartitions(owner.pool, { now, keptDays: 90 });
    await forgetStrayEvents(database, { now, keptDays: 90 });
  };
  await forget(today);
  assert.deepEqual(await idsNow(), [1, 2, 3]);
  await forget(new Date(ms + 200 * 86_400_000));
  assert.deepEqual(await idsNow(), []);
  assert.equal((await client.get("/api/v2/events?after=2")).status, 410);
});

let users = 0;

async function addUser(client: Client): Promise<number> {
  users += 1;
  const user = { name: "Learner", email: `learner-${users}@example.com`, role: "learner" };
  return (await client.post("/api/v1/users", user)).body.id;
}

function openPool(connectionString: string): { pool: pg.Pool } & AsyncDisposable {
  const pool = new pg.Pool({ connectionString, max: 1 });
  // What is said of a connection that ends with its database is no test's.
  pool.on("error", () => undefined);
  return { pool, [Symbol.asyncDispose]: () => pool.end() };
}

interface EventBody {
  readonly id: number;
  readonly type: string;
  readonly previous: { readonly due_by?: string } | null;
}
