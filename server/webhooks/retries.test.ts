import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { Secrets } from "../secrets.ts";
import { commit, Delivering, idsOf, makeWebhook, startInTime } from "../test/delivering.ts";
import { until } from "../test/patience.ts";
import { findClosedPort, startReceiver } from "../test/receiver.ts";
import { TEST_POLICY } from "../test/server.ts";
import { rotateSecret, updateWebhook } from "./endpoints.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** So that what hangs hangs to the end of its test. */
const HANGING = { limitMs: 300_000 };
const list = "/api/v2/webhooks";
const anEvent = { type: "user.updated", data: { id: 1 } };

test("a try that fails is made again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, under the same id", async () => {
  await using service = await startInTime();
  const { acme, worker, time } = service;
  await using receiver = await startReceiver({ answer: (response) => response.writeHead(503).end("later") });
  const id = await makeWebhook(acme, receiver.url);
  await commit(service.lectern, acme, [anEvent]);
  await worker.sweep(acme);
  const waits = [
    5_000,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
  ];
  for (const [index, waitMs] of waits.entries()) {
    // No try comes sooner than planned; each comes within a tenth more.
    time.ms += waitMs - 1;
    await worker.sweep(acme);
    assert.equal(receiver.received.length, index + 1, `too soon: ${waitMs}`);
    time.ms += 1 + waitMs / 10;
    await worker.sweep(acme);
    assert.equal(receiver.received.length, index + 2, `too late: ${waitMs}`);
  }
  assert.deepEqual(new Set(idsOf(receiver.received)), new Set([`evt_${acme.company.id}_1`]));
  const { body: shown } = await acme.get(`${list}/${id}/deliveries/1`);
  assert.deepEqual([shown.status, shown.attempts, shown.next_try_at], ["failed", 10, null]);
  assert.deepEqual(shown.log.length, 10);
  const [{ attempted_at: _at, duration_ms: _ms, ...last }] = shown.log;
  const reason = "The receiver answered 503";
  assert.deepEqual(last, { number: 10, status: 503, answer: "later", reason, next_try_at: null });
});

test("once a receiver is mended, what waits for its next try can be sent at once", async () => {
  await using service = await startInTime();
  const { acme, worker, time, lectern } = service;
  await using receiver = await startReceiver({ answer: (response) => response.writeHead(503).end() });
  const id = await makeWebhook(acme, receiver.url);
  await commit(lectern, acme, [anEvent, anEvent, anEvent]);
  for (const waitMs of [0, 6_000, 6 * MINUTE_MS]) {
    time.ms += waitMs;
    await worker.sweep(acme);
  }
  const resend = (body: object) => acme.post(`${list}/${id}/resend`, body);
  const before = receiver.received.length;
  receiver.behave((response) => response.end());
  // They would come in half an hour.
  await worker.sweep(acme);
  assert.equal(receiver.received.length, before);
  assert.deepEqual((await resend({ event_id: 2 })).body, { queued: 1 });
  assert.deepEqual((await resend({ event_id: 2 })).body, { queued: 0 });
  assert.deepEqual((await resend({ from_event_id: 1, to_event_id: 2 })).body, { queued: 1 });
  await worker.sweep(acme);
  const first = [1, 2].map((event) => `evt_${acme.company.id}_${event}`);
  assert.deepEqual(idsOf(receiver.received.slice(before)).toSorted(), first);
  for (const enabled of [false, true]) {
    await acme.request({ method: "PATCH", url: `${list}/${id}`, payload: { enabled } });
  }
  await worker.sweep(acme);
  assert.deepEqual(idsOf(receiver.received.slice(before + 2)), [`evt_${acme.company.id}_3`]);
});

for (const [when, untilMs] of [
  ["is due within a minute", -30_000],
  ["fell due meanwhile", 72 * HOUR_MS],
] as const) {
  test(`what ${when} when an endpoint is enabled again begins anew: one more failure is not its last`, async () => {
    await using service = await startInTime();
    const { acme, worker, time, lectern } = service;
    await using receiver = await startReceiver({ answer: (response) => response.writeHead(500).end() });
    const url = `${list}/${await makeWebhook(acme, receiver.url)}`;
    await commit(lectern, acme, [anEvent]);
    const show = async () => (await acme.get(`${url}/deliveries/1`)).body;
    for (let tries = 0; tries < 9; tries += 1) {
      await worker.sweep(acme);
      time.ms = Date.parse((await show()).next_try_at) + 1_000;
    }
    await acme.request({ method: "PATCH", url, payload: { enabled: false } });
    time.ms += untilMs - 1_000;
    await acme.request({ method: "PATCH", url, payload: { enabled: true } });
    const waits = [];
    for (let tries = 0; tries < 3; tries += 1) {
      time.ms += MINUTE_MS;
      await worker.sweep(acme);
      const { status, next_try_at } = await show();
      assert.equal(status, "waiting");
      waits.push(Math.floor((Date.parse(next_try_at) - time.ms) / MINUTE_MS));
      time.ms = Date.parse(next_try_at);
    }
    assert.deepEqual(waits, [0, 5, 31]);
    assert.equal(receiver.received.length, 12);
    assert.equal((await acme.get(url)).body.failing_since, null);
    assert.deepEqual((await acme.get("/api/v2/events?types=webhook.failing")).body.data, []);
  });
}

test("what is being sent is not sent twice, whoever asks for it again meanwhile", async () => {
  await using service = await startInTime();
  const { acme, worker, lectern } = service;
  const queued: number[] = [];
  await using receiver = await startReceiver({
    answer: async (response) => {
      queued.push((await acme.post(`${list}/1/resend`, { event_id: 1 })).body.queued);
      await worker.deliverer.follow(acme.company);
      response.end();
    },
  });
  await makeWebhook(acme, receiver.url);
  await commit(lectern, acme, [anEvent]);
  await worker.sweep(acme);
  assert.deepEqual([queued, receiver.received.length], [[0], 1]);
});

for (const hours of [24, 74]) {
  test(`a receiver that is down for ${hours} hours misses nothing`, async () => {
    await using service = await startInTime();
    const { acme, worker, time, lectern } = service;
    await using receiver = await startReceiver({ answer: (response) => response.destroy() });
    const id = await makeWebhook(acme, receiver.url);
    const total = 40;
    await commit(
      lectern,
      acme,
      Array.from({ length: total }, () => anEvent),
    );
    for (const end = time.ms + hours * HOUR_MS; time.ms < end; time.ms += HOUR_MS) await worker.sweep(acme);
    receiver.behave((response) => response.end());
    const before = receiver.received.length;
    for (let hour = 0; hour < 30; hour += 1) {
      await worker.sweep(acme);
      time.ms += HOUR_MS;
    }
    assert.equal(new Set(idsOf(receiver.received.slice(before))).size, total);
    const { body } = await acme.get(`${list}/${id}/deliveries?filter[status]=delivered&limit=200`);
    assert.equal(body.data.length, total);
  });
}

test("a receiver that fails every other time gets everything, each under one id", async () => {
  await using service = await startInTime();
  const { acme, worker, time, lectern } = service;
  let requests = 0;
  const arrived: (string | undefined)[] = [];
  await using receiver = await startReceiver({
    answer: (response, { headers }) => {
      requests += 1;
      if (requests % 2 === 0) return void response.destroy();
      arrived.push(String(headers["webhook-id"]));
      response.end();
    },
  });
  await makeWebhook(acme, receiver.url);
  await commit(
    lectern,
    acme,
    Array.from({ length: 300 }, () => anEvent),
  );
  for (let round = 0; round < 10; round += 1) {
    await worker.sweep(acme);
    time.ms += 30 * HOUR_MS;
  }
  const all = Array.from({ length: 300 }, (_, index) => `evt_${acme.company.id}_${index + 1}`);
  assert.deepEqual(arrived.toSorted(), all.toSorted());
});

test("what was sealed under another key is told, until it is given anew", async () => {
  await using service = await startInTime();
  const { acme, time, lectern } = service;
  await using receiver = await startReceiver();
  const settings = {
    lesson_completed_callback_url: receiver.url,
    lesson_completed_callback_authorization: "x",
  };
  await makeWebhook(acme, receiver.url);
  await acme.request({ method: "PATCH", url: `${list}/1`, payload: { headers: { "x-tenant": "acme" } } });
  await acme.put("/api/v1/company_settings", settings);
  await commit(lectern, acme, [anEvent, { ...anEvent, type: "lesson.completed" }]);
  const clock = () => new Date(time.ms);
  const secrets = new Secrets("a key that nobody knew before, of enough characters");
  await using worker = new Delivering({ database: lectern.database, secrets }, { clock });
  await worker.sweep(acme);
  const reasonsOf = async (id: number, event_id: number) => {
    const { body } = await acme.get(`${list}/${id}/deliveries/${event_id}`);
    return body.log.map(({ reason }: { reason: string }) => reason);
  };
  const secret = "Its secret can't be opened, as SECRET_KEY has changed: rotate it";
  assert.deepEqual(await reasonsOf(1, 1), [secret]);
  assert.deepEqual(await reasonsOf(2, 2), [secret]);
  for (const id of [1, 2]) await lectern.make.write(acme, (tx) => rotateSecret(tx, id, secrets));
  time.ms += HOUR_MS;
  await worker.sweep(acme);
  const headers = "Its headers can't be opened, as SECRET_KEY has changed: give them anew";
  assert.deepEqual(await reasonsOf(1, 1), [headers, secret]);
  assert.match((await reasonsOf(2, 2))[0], /Authorization value can't be opened.*in the company's settings$/);
  await lectern.make.write(acme, (tx) =>
    updateWebhook(tx, { id: 1, body: { headers: {} } }, { secrets, policy: TEST_POLICY }),
  );
  time.ms += HOUR_MS;
  await worker.sweep(acme);
  assert.deepEqual(
    new Set(idsOf(receiver.received)),
    new Set([1, 2].map((id) => `evt_${acme.company.id}_${id}`)),
  );
});

test("Retry-After is obeyed where it is later than what is planned", async () => {
  await using service = await startInTime();
  const { acme, worker, time, lectern } = service;
  await using receiver = await startReceiver({
    answer: (response) => response.writeHead(429, { "retry-after": "3600" }).end(),
  });
  await makeWebhook(acme, receiver.url);
  await commit(lectern, acme, [anEvent]);
  await worker.sweep(acme);
  time.ms += HOUR_MS - 1_000;
  await worker.sweep(acme);
  assert.equal(receiver.received.length, 1);
  time.ms += 2_000;
  await worker.sweep(acme);
  assert.equal(receiver.received.length, 2);
});

test("what a killed process had taken up is taken up by another", async () => {
  await using service = await startInTime();
  const { acme, time, lectern } = service;
  const held: ServerResponse[] = [];
  await using receiver = await startReceiver({ answer: (response) => void held.push(response) });
  await makeWebhook(acme, receiver.url);
  await commit(lectern, acme, [anEvent]);
  const killed = new Delivering(lectern, { clock: () => new Date(time.ms), ...HANGING });
  await killed.deliverer.follow(acme.company);
  await until("the request", () => held.length > 0);
  // The one who has taken it up says nothing more: after its lease somebody else tries.
  await service.worker.deliverer.follow(acme.company);
  await service.worker.deliverer.idle();
  assert.equal(receiver.received.length, 1);
  receiver.behave((response) => response.end());
  time.ms += 61_000;
  await service.worker.sweep(acme);
  assert.deepEqual(idsOf(receiver.received), Array(2).fill(`evt_${acme.company.id}_1`));
  for (const response of held) response.destroy();
  await killed[Symbol.asyncDispose]();
  const { body } = await acme.get(`${list}/1/deliveries/1`);
  assert.deepEqual([body.status, body.attempts], ["delivered", 1]);
});

test("a dead receiver of one company holds up no other", async () => {
  await using service = await startInTime(HANGING);
  const { acme, worker, lectern } = service;
  const { globex } = lectern;
  const open: ServerResponse[] = [];
  await using hanging = await startReceiver({ answer: (response) => void open.push(response) });
  await using receiver = await startReceiver();
  await makeWebhook(acme, hanging.url);
  await makeWebhook(acme, `http://127.0.0.1:${await findClosedPort()}`);
  await makeWebhook(globex, receiver.url);
  const many = Array.from({ length: 500 }, () => anEvent);
  await commit(lectern, acme, many);
  await worker.deliverer.follow(acme.company);
  await until("the request that hangs", () => open.length > 0);
  await commit(lectern, globex, many);
  await worker.deliverer.follow(globex.company);
  await until("all of the other company's", () => receiver.received.length >= many.length);
  assert.ok(
    open.every((response) => !response.closed),
    "those that hang are still waited for",
  );
  assert.equal(new Set(idsOf(receiver.received)).size, many.length);
  assert.ok(hanging.received.length <= 8, `${hanging.received.length} at once`);
  receiver.behave((response) => response.end());
  hanging.behave((response) => response.end());
  for (const response of open) response.end();
});

test("slow receivers of one company, however many, hold up no other", async () => {
  await using service = await startInTime(HANGING);
  const { acme, worker, lectern } = service;
  const { globex } = lectern;
  const held: (() => void)[] = [];
  await using slow = await startReceiver({ answer: (response) => held.push(() => response.end()) });
  await using receiver = await startReceiver();
  // More than there are slots, at eight requests for each.
  for (let left = 26; left > 0; left -= 1) await makeWebhook(acme, slow.url);
  await makeWebhook(globex, receiver.url);
  await commit(
    lectern,
    acme,
    Array.from({ length: 8 }, () => anEvent),
  );
  await worker.deliverer.follow(acme.company);
  await until("ninety at once", () => held.length >= 90);
  await commit(lectern, globex, [anEvent]);
  await worker.deliverer.follow(globex.company);
  await until("the other company's", () => receiver.received.length > 0);
  assert.deepEqual(idsOf(receiver.received), [`evt_${globex.company.id}_1`]);
  slow.behave((response) => response.end());
  for (const release of held) release();
  await worker.deliverer.idle();
  assert.equal(slow.received.length, 26 * 8);
});

test("whatever has arrived is noted, also by what is taken up last", async () => {
  await using service = await startInTime();
  const { acme, worker, lectern } = service;
  let requests = 0;
  await using receiver = await startReceiver({
    // The last ones of each eight are slow: while they are under way nothing more is found.
    answer: (response) => {
      requests += 1;
      setTimeout(() => response.end(), requests % 8 === 0 ? 30 : 0);
    },
  });
  await makeWebhook(acme, receiver.url);
  for (const events of [1, 8, 9, 250, 256]) {
    await commit(
      lectern,
      acme,
      Array.from({ length: events }, () => anEvent),
    );
    await worker.sweep(acme);
    const { body } = await acme.get(`${list}/1/deliveries?filter[status]=waiting`);
    assert.deepEqual(body.data, [], `of ${events}`);
  }
  assert.equal(requests, 524);
});
