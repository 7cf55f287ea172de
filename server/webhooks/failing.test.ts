import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { commit, idsOf, makeWebhook, startInTime } from "../test/delivering.ts";
import { startReceiver } from "../test/receiver.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const list = "/api/v2/webhooks";
const anEvent = { type: "user.updated", data: { id: 1 } };

// What becomes of an endpoint that does not hear, or wants no more.

test("the administrators hear once that an endpoint fails; when it hears again, all that failed is sent", async () => {
  await using service = await startInTime();
  const { acme, worker, time, lectern } = service;
  await using receiver = await startReceiver({ answer: (response) => response.writeHead(500).end() });
  const id = await makeWebhook(acme, receiver.url);
  await commit(lectern, acme, [anEvent, anEvent, anEvent]);
  for (let tries = 0; tries < 10; tries += 1) {
    await worker.sweep(acme);
    time.ms += 27 * HOUR_MS;
  }
  const { body: failing } = await acme.get(`${list}/${id}`);
  const { body: feed } = await acme.get("/api/v2/events?types=webhook.*");
  const [{ id: _id, occurred_at: _at, ...told }, ...more] = feed.data;
  assert.deepEqual(told, { type: "webhook.failing", data: failing, previous: { failing_since: null } });
  assert.deepEqual(more, []);
  assert.ok(failing.failing_since);
  receiver.behave((response) => response.end());
  const before = receiver.received.length;
  assert.deepEqual((await acme.post(`${list}/${id}/resend`, { failed: true })).body, { queued: 3 });
  await worker.sweep(acme);
  const again = new Set(idsOf(receiver.received.slice(before)));
  for (const event of [1, 2, 3]) assert.ok(again.has(`evt_${acme.company.id}_${event}`));
  assert.equal((await acme.get(`${list}/${id}`)).body.failing_since, null);
  assert.deepEqual((await acme.get(`${list}/${id}/deliveries?filter[status]=failed`)).body.data, []);
});

test("a receiver that hangs while much waits is told of after three days, and once it hears all is well", async () => {
  await using service = await startInTime();
  const { acme, worker, time, lectern } = service;
  // Each try takes an hour, so none of the events comes to its second one before the failure is told.
  await using receiver = await startReceiver({
    answer: (response) => {
      time.ms += HOUR_MS;
      response.writeHead(receiver.received.length <= 90 ? 503 : 200).end();
    },
  });
  const { body: made } = await acme.post(list, {
    url: `${receiver.url}/?key=secret#part`,
    types: ["user.*"],
  });
  const begun = time.ms;
  await commit(
    lectern,
    acme,
    Array.from({ length: 100 }, () => anEvent),
  );
  for (let round = 0; receiver.received.length < 90 && round < 10; round += 1) await worker.sweep(acme);
  const { body: feed } = await acme.get("/api/v2/events?types=webhook.*");
  const [{ occurred_at, type, data }, ...more] = feed.data;
  assert.deepEqual([type, data.url, more], ["webhook.failing", `${receiver.url}/`, []]);
  const hours = (Date.parse(occurred_at) - begun) / HOUR_MS;
  assert.ok(hours > 75 && hours < 90, `told after ${hours} hours`);
  for (let round = 0; round < 10; round += 1) {
    time.ms += HOUR_MS;
    await worker.sweep(acme);
  }
  assert.deepEqual((await acme.get(`${list}/${made.id}/deliveries?filter[status]=failed`)).body.data, []);
  const { rows } = await lectern.make.write(acme, (tx) =>
    sql`select failing_since, unheard_since from webhook_endpoints where company_id = ${tx.company.id}`.execute(
      tx.sql,
    ),
  );
  assert.deepEqual(rows, [{ failing_since: null, unheard_since: null }]);
});

test("410 disables an endpoint; what waits is sent once somebody enables it again", async () => {
  await using service = await startInTime();
  const { acme, worker, time, lectern } = service;
  await using receiver = await startReceiver({ answer: (response) => response.writeHead(410).end("gone") });
  const id = await makeWebhook(acme, receiver.url);
  await commit(lectern, acme, [anEvent]);
  await worker.sweep(acme);
  const { body: disabled } = await acme.get(`${list}/${id}`);
  const reason = "The receiver answered 410: it wants no more of this";
  assert.deepEqual([disabled.enabled, disabled.disabled_reason], [false, reason]);
  const { body: delivery } = await acme.get(`${list}/${id}/deliveries/1`);
  assert.deepEqual(
    [delivery.status, delivery.next_try_at, delivery.log[0].next_try_at],
    ["waiting", null, null],
    "nothing is sent before somebody enables it",
  );
  time.ms += 100 * HOUR_MS;
  await commit(lectern, acme, [anEvent]);
  await worker.sweep(acme);
  assert.equal(receiver.received.length, 1);
  const { body: feed } = await acme.get("/api/v2/events?types=webhook.*");
  assert.deepEqual(
    feed.data.map(({ type }: { type: string }) => type),
    ["webhook.disabled"],
  );
  receiver.behave((response) => response.end());
  await acme.request({ method: "PATCH", url: `${list}/${id}`, payload: { enabled: true } });
  await worker.sweep(acme);
  const arrived = new Set(idsOf(receiver.received.slice(1)));
  assert.deepEqual(arrived, new Set([1, 2, 3].map((event) => `evt_${acme.company.id}_${event}`)));
});

test("an endpoint that was disabled for longer than events are kept does not count as failing for it", async () => {
  await using service = await startInTime();
  const { acme, worker, lectern } = service;
  await using receiver = await startReceiver({ answer: (response) => response.writeHead(410).end() });
  const id = await makeWebhook(acme, receiver.url);
  await commit(lectern, acme, [anEvent]);
  await worker.sweep(acme);
  await lectern.make.write(acme, (tx) =>
    tx.sql.deleteFrom("events").where("company_id", "=", tx.company.id).where("id", "=", 1).execute(),
  );
  receiver.behave((response) => response.end());
  await acme.request({ method: "PATCH", url: `${list}/${id}`, payload: { enabled: true } });
  service.time.ms += MINUTE_MS;
  await worker.sweep(acme);
  const { body: shown } = await acme.get(`${list}/${id}/deliveries/1`);
  assert.deepEqual([shown.status, shown.log[0].reason], ["failed", "The event is no longer kept"]);
  assert.equal((await acme.get(`${list}/${id}`)).body.failing_since, null);
  assert.deepEqual((await acme.get("/api/v2/events?types=webhook.failing")).body.data, []);
  // It can't be sent again either, so who asks until nothing is queued comes to an end.
  assert.deepEqual((await acme.post(`${list}/${id}/resend`, { failed: true })).body, { queued: 0 });
});

test("410 from an address that is the endpoint's no more disables nothing", async () => {
  await using service = await startInTime();
  const { acme, worker, time, lectern } = service;
  await using receiver = await startReceiver();
  await using former = await startReceiver({
    answer: async (response) => {
      await acme.request({ method: "PATCH", url: `${list}/1`, payload: { url: receiver.url } });
      response.writeHead(410).end();
    },
  });
  const id = await makeWebhook(acme, former.url);
  await commit(lectern, acme, [anEvent]);
  await worker.sweep(acme);
  assert.equal((await acme.get(`${list}/${id}`)).body.enabled, true);
  time.ms += MINUTE_MS;
  await worker.sweep(acme);
  assert.deepEqual(idsOf(receiver.received), [`evt_${acme.company.id}_1`]);
});
