import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import pg from "pg";
import { Webhook } from "standardwebhooks";
import { exportOf, importInto } from "../test/bundles.ts";
import { commit, Delivering, idsOf } from "../test/delivering.ts";
import { signIn } from "../test/person.ts";
import { startReceiver } from "../test/receiver.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { assign, begin, finish, save } from "../test/taking.ts";
import { teach, trueFalse } from "../test/taught.ts";

const settings = "/api/v1/company_settings";

test("a completed lesson is posted once, with the contract's payload and the authorization as typed", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern);
  const { acme } = lectern;
  const authorization = 'Token  as="typed", ü';
  const url = `${receiver.url}/lessons?key=1`;
  const set = await acme.put(settings, {
    lesson_completed_callback_url: url,
    lesson_completed_callback_authorization: authorization,
  });
  assert.deepEqual(set.body, {
    lesson_completed_callback_url: url,
    lesson_completed_callback_authorization: authorization,
  });
  const lesson_id = await teach(lectern, acme, { retake_score: 50, pages: [[trueFalse("tf")]] });
  const person = await signIn(lectern, acme, { name: "Lea Lind" });
  const assignment_id = await assign(lectern, lesson_id, person);
  const attempt = await begin(person, lesson_id);
  await save(person, attempt, "tf", { value: true });
  await worker.sweep(acme);
  assert.deepEqual(idsOf(receiver.received), []);
  const { finished_at } = await finish(person, attempt);
  await worker.sweep(acme);
  await worker.sweep(acme);
  assert.equal(receiver.received.length, 1);
  const [request] = receiver.received;
  assert.equal(request?.path, "/lessons?key=1");
  assert.equal(request.headers.authorization, authorization);
  const { body: user } = await acme.get(`/api/v1.1/users/${person.user_id}`);
  const payload: { assigned_at: string } = JSON.parse(request.body);
  assert.deepEqual(payload, {
    event: "lesson.completed",
    user: { ext_uid: null, id: person.user_id, name: "Lea Lind", email: user.email, custom_fields: {} },
    lesson: { id: lesson_id, title: "Fire safety", retake_score: 50 },
    score: 1,
    score_percent: 100,
    started_at: attempt.started_at,
    completed_at: finished_at,
    assigned_at: payload.assigned_at,
    assignment_id,
    report_card_url: `https://lectern.test/assignments/${assignment_id}`,
  });
  // The one of the settings is signed too, for who asks for its secret.
  const { body: rotated } = await acme.post("/api/v2/webhooks/1/rotate_secret");
  await acme.put(settings, { lesson_completed_callback_authorization: "" });
  const { body: feed } = await acme.get("/api/v2/events?types=lesson.completed");
  await acme.post("/api/v2/webhooks/1/resend", { event_id: feed.data[0].id });
  await worker.sweep(acme);
  const [, again] = receiver.received;
  assert.ok(again !== undefined && !("authorization" in again.headers));
  assert.deepEqual(idsOf(receiver.received), Array(2).fill(`evt_${acme.company.id}_${feed.data[0].id}`));
  const headers = Object.entries(again.headers).map(([name, value]) => [name, String(value)]);
  assert.deepEqual(new Webhook(rotated.secret).verify(again.body, Object.fromEntries(headers)), payload);
});

test("the payload of a person who was erased before it arrived has the contract's keys, in their order", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern);
  const { acme } = lectern;
  await acme.put(settings, { lesson_completed_callback_url: receiver.url });
  const lesson_id = await teach(lectern, acme, { pages: [[trueFalse("tf")]] });
  const person = await signIn(lectern, acme, { name: "Lea Lind" });
  const assignment_id = await assign(lectern, lesson_id, person);
  const attempt = await begin(person, lesson_id);
  await save(person, attempt, "tf", { value: true });
  const { finished_at } = await finish(person, attempt);
  assert.equal((await acme.delete(`/api/v1/users/${person.user_id}`)).status, 200);
  await worker.sweep(acme);
  const body = receiver.received[0]?.body ?? "";
  const payload: { assigned_at: string; user: { name: string; email: string } } = JSON.parse(body);
  const { name, email } = payload.user;
  assert.ok(!`${name} ${email}`.includes("Lind"));
  const expected = {
    event: "lesson.completed",
    user: { ext_uid: null, id: person.user_id, name, email, custom_fields: {} },
    lesson: { id: lesson_id, title: "Fire safety", retake_score: 0 },
    score: 1,
    score_percent: 100,
    started_at: attempt.started_at,
    completed_at: finished_at,
    assigned_at: payload.assigned_at,
    assignment_id,
    report_card_url: `https://lectern.test/assignments/${assignment_id}`,
  };
  assert.equal(body, JSON.stringify(expected));
});

test("the webhook of the settings is shown with the others, masked, and changed in the settings alone", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const url = "https://hooks.example.com/lectern";
  await acme.put(settings, {
    lesson_completed_callback_url: url,
    lesson_completed_callback_authorization: "Bearer secret",
  });
  const { body } = await acme.get("/api/v2/webhooks/1");
  assert.deepEqual(body, {
    ...{ id: 1, kind: "lesson_completed", url, description: "", types: ["lesson.completed"] },
    ...{ headers: { authorization: "***" }, enabled: true, disabled_reason: null, disabled_at: null },
    ...{ failing_since: null, previous_secret_until: null },
    ...{ created_at: body.created_at, updated_at: body.updated_at },
  });
  const patch = await acme.request({ method: "PATCH", url: "/api/v2/webhooks/1", payload: { types: ["*"] } });
  assert.equal(patch.status, 409);
  assert.equal((await acme.delete("/api/v2/webhooks/1")).status, 409);
  const { rows } = await query(lectern, "select * from webhook_endpoints");
  assert.ok(!JSON.stringify(rows).includes("Bearer secret"));
});

test("who sets the address again has the callback go on after a 410; what a person has disabled stays so", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver({ answer: (response) => response.writeHead(410).end() });
  await using worker = new Delivering(lectern);
  const { acme } = lectern;
  const url = { lesson_completed_callback_url: receiver.url };
  const complete = async () => {
    await commit(lectern, acme, [{ type: "lesson.completed", data: {} }]);
    await worker.sweep(acme);
  };
  await acme.put(settings, url);
  await complete();
  await acme.put(settings, { lesson_completed_callback_authorization: "Bearer new" });
  assert.equal((await acme.get("/api/v2/webhooks/1")).body.enabled, false);
  receiver.behave((response) => response.end());
  await complete();
  assert.equal(receiver.received.length, 1);
  await acme.put(settings, url);
  const { body } = await acme.get("/api/v2/webhooks/1");
  assert.deepEqual([body.enabled, body.disabled_reason, body.disabled_at], [true, null, null]);
  await complete();
  // What the receiver has refused comes at its own time.
  assert.equal(receiver.received.length, 3);
  await acme.request({ method: "PATCH", url: "/api/v2/webhooks/1", payload: { enabled: false } });
  await acme.put(settings, url);
  await acme.put(settings, { lesson_completed_callback_url: `${receiver.url}/new` });
  const { body: disabled } = await acme.get("/api/v2/webhooks/1");
  assert.deepEqual([disabled.enabled, disabled.disabled_reason], [false, "It was disabled by hand"]);
});

test("what waited for an address that was cleared does not go to the next one, and can be sent again", async () => {
  await using lectern = await startServer();
  await using former = await startReceiver({ answer: (response) => response.writeHead(503).end() });
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern);
  const { acme } = lectern;
  const deliveries = "/api/v2/webhooks/1/deliveries";
  await acme.put(settings, { lesson_completed_callback_url: former.url });
  await commit(lectern, acme, [{ type: "lesson.completed", data: {} }]);
  await worker.sweep(acme);
  await acme.put(settings, { lesson_completed_callback_url: null });
  const { body: kept } = await acme.get(`${deliveries}/1`);
  assert.deepEqual([kept.status, kept.next_try_at], ["waiting", null]);
  await acme.put(settings, { lesson_completed_callback_url: receiver.url });
  const { body: ended } = await acme.get(`${deliveries}/1`);
  const [{ attempted_at }, tried] = ended.log;
  const reason =
    "The address was cleared before this had arrived: send it again if the new one is to have it";
  const end = { number: 2, attempted_at, status: null, duration_ms: 0, answer: null, reason };
  assert.deepEqual(ended, {
    ...{ event_id: 1, type: "lesson.completed", occurred_at: ended.occurred_at, status: "failed" },
    ...{ attempts: 2, next_try_at: null, delivered_at: null, log: [{ ...end, next_try_at: null }, tried] },
  });
  await commit(lectern, acme, [{ type: "lesson.completed", data: {} }]);
  await worker.sweep(acme);
  assert.deepEqual(idsOf(receiver.received), [`evt_${acme.company.id}_2`]);
  assert.equal((await acme.get("/api/v2/webhooks/1")).body.failing_since, null);
  assert.deepEqual((await acme.post("/api/v2/webhooks/1/resend", { failed: true })).body, { queued: 1 });
  await worker.sweep(acme);
  assert.deepEqual(
    idsOf(receiver.received),
    [2, 1].map((id) => `evt_${acme.company.id}_${id}`),
  );
});

test("what the former version kept readable is sealed, and goes on being sent", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern);
  const { acme, globex } = lectern;
  const webhook = `lesson_completed_callback_url = '${receiver.url}', lesson_completed_callback_authorization = 'Bearer old'`;
  // A company that had one when the migration came, and one that a server of the former version sets afterwards.
  await query(lectern, `update companies set ${webhook} where company_id = ${acme.company.id}`);
  await query(lectern, await copyOfMigration());
  const { rows: copied } = await query(lectern, "select url, plain_authorization from webhook_endpoints");
  assert.deepEqual(copied, [{ url: receiver.url, plain_authorization: "Bearer old" }]);
  await query(lectern, `update companies set ${webhook} where company_id = ${globex.company.id}`);
  for (const client of [acme, globex]) {
    await worker.sweep(client);
    await commit(lectern, client, [{ type: "lesson.completed", data: {} }]);
    await worker.sweep(client);
    const { body } = await client.put(settings, {});
    assert.deepEqual(body, {
      lesson_completed_callback_url: receiver.url,
      lesson_completed_callback_authorization: "Bearer old",
    });
  }
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers.authorization),
    ["Bearer old", "Bearer old"],
  );
  const tables = await query(
    lectern,
    "select to_jsonb(e) as row from webhook_endpoints e union all select to_jsonb(c) from companies c",
  );
  assert.ok(!JSON.stringify(tables.rows).includes("Bearer old"));
});

test("a server of the former version that sets the address leaves the authorization, which it can't see", async () => {
  await using lectern = await startServer();
  await using worker = new Delivering(lectern);
  const { acme } = lectern;
  const before = {
    lesson_completed_callback_url: "https://old.example.com/",
    lesson_completed_callback_authorization: "Bearer kept",
  };
  await acme.put(settings, before);
  const set = (column: string, value: string) =>
    query(lectern, `update companies set ${column} = '${value}' where company_id = ${acme.company.id}`);
  await set("lesson_completed_callback_url", "https://new.example.com/");
  await worker.sweep(acme);
  const moved = { ...before, lesson_completed_callback_url: "https://new.example.com/" };
  assert.deepEqual((await acme.put(settings, {})).body, moved);
  await set("lesson_completed_callback_authorization", "Bearer new");
  await worker.sweep(acme);
  assert.deepEqual((await acme.put(settings, {})).body, {
    ...moved,
    lesson_completed_callback_authorization: "Bearer new",
  });
});

test("imported history is not posted, what is completed after the import is", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern);
  const { acme } = lectern;
  const company = {
    lesson_completed_callback_url: receiver.url,
    lesson_completed_callback_authorization: "Bearer moved",
  };
  await importInto(lectern, acme, { company });
  await worker.sweep(acme);
  assert.deepEqual(idsOf(receiver.received), []);
  await commit(lectern, acme, [{ type: "lesson.completed", data: {} }]);
  await worker.sweep(acme);
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers.authorization),
    ["Bearer moved"],
  );
  const { company: exported } = await exportOf(lectern, acme);
  assert.equal(exported.lesson_completed_callback_authorization, "Bearer moved");
});

/** The part of the migration that moves what companies had set. */
async function copyOfMigration(): Promise<string> {
  const text = await readFile(new URL("../db/migrations/0013-webhooks.sql", import.meta.url), "utf8");
  return text.slice(text.indexOf("-- The webhook that companies have set moves here."));
}

async function query({ ownerUrl }: TestServer, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  const result = await client.query(text);
  await client.end();
  return result;
}
