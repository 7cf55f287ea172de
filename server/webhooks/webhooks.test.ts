import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { commit, Delivering, idsOf } from "../test/delivering.ts";
import { type Received, startReceiver } from "../test/receiver.ts";
import { type Answer, type Client, startServer } from "../test/server.ts";
import { fanOut } from "./fan-out.ts";

const list = "/api/v2/webhooks";

/** What the receiver's library makes of a request. @throws where the signature is wrong. */
function verify(secret: string, { headers, body }: Received): unknown {
  const read = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return new Webhook(secret).verify(body, read);
}

async function makeWebhook(client: Client, body: object): Promise<Answer["body"]> {
  const made = await client.post(list, { types: ["user.*"], ...body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
}

test("an endpoint hears of what it asked for, signed, from the moment that it is there", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern);
  const { acme } = lectern;
  await commit(lectern, acme, [{ type: "user.created", data: { id: 1 } }]);
  const { secret, ...made } = await makeWebhook(acme, {
    url: `${receiver.url}/in?from=lectern`,
    description: "Directory",
    headers: { "X-Tenant": "acme" },
  });
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(made, {
    ...{ id: 1, kind: "events", url: `${receiver.url}/in?from=lectern`, description: "Directory" },
    ...{ types: ["user.*"], headers: { "x-tenant": "***" }, enabled: true, disabled_reason: null },
    ...{ disabled_at: null, failing_since: null, previous_secret_until: null },
    ...{ created_at: made.created_at, updated_at: made.updated_at },
  });
  assert.deepEqual((await acme.get(`${list}/1`)).body, made);
  assert.deepEqual((await acme.get(list)).body, { data: [made], next: null });
  const { body: before } = await acme.get("/api/v2/events/position");
  await acme.post("/api/v1/users", { name: "Uma", email: "uma@example.com", role_id: 32 });
  await commit(lectern, acme, [{ type: "group.created", data: { id: 7 } }]);
  await worker.sweep(acme);
  const { body: feed } = await acme.get(`/api/v2/events?after=${before.position}&types=user.*`);
  assert.equal(feed.data.length, 1);
  assert.equal(receiver.received.length, 1);
  for (const request of receiver.received) {
    assert.deepEqual(verify(secret, request), feed.data[0]);
    assert.equal(request.path, "/in?from=lectern");
    assert.equal(request.headers["webhook-id"], `evt_${acme.company.id}_${feed.data[0].id}`);
    assert.equal(request.headers["x-tenant"], "acme");
    assert.equal(request.headers["user-agent"], "Lectern-Webhooks/1");
    assert.equal(request.headers["content-type"], "application/json; charset=utf-8");
  }
  const event_id: number = feed.data[0].id;
  const { body: shown } = await acme.get(`${list}/1/deliveries/${event_id}`);
  const { body: deliveries } = await acme.get(`${list}/1/deliveries`);
  const delivery = {
    ...{ event_id, type: "user.created", occurred_at: feed.data[0].occurred_at, status: "delivered" },
    ...{ attempts: 1, next_try_at: null, delivered_at: shown.delivered_at },
  };
  assert.deepEqual(deliveries, { data: [delivery], next: null });
  const [{ attempted_at, duration_ms }] = shown.log;
  const attempt = { number: 1, attempted_at, status: 200, duration_ms, answer: "ok", reason: null };
  assert.deepEqual(shown, { ...delivery, log: [{ ...attempt, next_try_at: null }] });
  await worker.sweep(acme);
  assert.equal(receiver.received.length, 1);
  assert.deepEqual(worker.log, []);
});

test("a secret is replaced without losing a delivery: for a day both sign", async () => {
  let now = new Date();
  await using lectern = await startServer({ clock: () => now });
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern, { clock: () => now });
  const { acme } = lectern;
  const { secret: first, id } = await makeWebhook(acme, { url: receiver.url });
  const one = [{ type: "user.updated", data: { id: 1 } }];
  await commit(lectern, acme, one);
  await worker.sweep(acme);
  const { body: rotated } = await acme.post(`${list}/${id}/rotate_secret`);
  const { secret: second, ...shown } = rotated;
  assert.deepEqual((await acme.get(`${list}/${id}`)).body, shown);
  assert.notEqual(second, first);
  await commit(lectern, acme, one);
  await worker.sweep(acme);
  const [before, during] = receiver.received;
  assert.ok(before !== undefined && during !== undefined);
  assert.throws(() => verify(second, before));
  assert.deepEqual(verify(first, before), { ...Object(verify(first, before)), previous: null });
  assert.deepEqual(verify(first, during), verify(second, during));
  now = new Date(now.getTime() + 86_400_001);
  await commit(lectern, acme, one);
  await worker.sweep(acme);
  assert.deepEqual(
    receiver.received.map(({ headers }) => String(headers["webhook-signature"]).split(" ").length),
    [1, 2, 1],
  );
  const { body: log } = await acme.get("/api/v2/audit_log");
  assert.ok(!JSON.stringify(log).includes("whsec_"));
});

test("what is disabled waits, and goes on where it stopped or where one says", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern);
  const { acme } = lectern;
  const { id } = await makeWebhook(acme, { url: receiver.url });
  const url = `${list}/${id}`;
  const { body: disabled } = await acme.request({ method: "PATCH", url, payload: { enabled: false } });
  assert.equal(disabled.disabled_reason, "It was disabled by hand");
  const events = [1, 2, 3].map((n) => ({ type: "user.updated", data: { id: n } }));
  await commit(lectern, acme, events);
  await worker.sweep(acme);
  assert.deepEqual(receiver.received, []);
  await acme.request({ method: "PATCH", url, payload: { enabled: true } });
  await worker.sweep(acme);
  const ids = [1, 2, 3].map((n) => `evt_${acme.company.id}_${n}`);
  assert.deepEqual(idsOf(receiver.received).toSorted(), ids);
  await acme.request({ method: "PATCH", url, payload: { enabled: false } });
  await commit(lectern, acme, events);
  await acme.request({ method: "PATCH", url, payload: { enabled: true, go_on_after: 5 } });
  await worker.sweep(acme);
  assert.deepEqual(idsOf(receiver.received).slice(3), [`evt_${acme.company.id}_6`]);
  await lectern.make.write(acme, (tx) =>
    tx.sql.deleteFrom("events").where("company_id", "=", tx.company.id).where("id", "<", 4).execute(),
  );
  const refused = await acme.request({ method: "PATCH", url, payload: { go_on_after: 2 } });
  const detail =
    "go_on_after is followed by events that are no longer kept: the oldest that is kept is 4, so give 3 or more";
  assert.deepEqual([refused.status, refused.body.detail], [422, detail]);
  assert.equal((await acme.request({ method: "PATCH", url, payload: { go_on_after: 3 } })).status, 200);
});

test("an endpoint that is far behind holds up no other: each gets a page in turn, and what is due is sent", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver();
  const { acme, database, secrets } = lectern;
  const events = Array.from({ length: 2_500 }, (_, n) => ({ type: "user.updated", data: { id: n } }));
  await commit(lectern, acme, events);
  for (const go_on_after of [0, 200, 2_400, 2_500]) {
    const { id } = await makeWebhook(acme, { url: receiver.url });
    await acme.request({ method: "PATCH", url: `${list}/${id}`, payload: { go_on_after } });
  }
  const rounds: number[][] = [];
  const note = async (): Promise<void> => {
    const waiting = await database.read(acme.company, (tx) =>
      tx.sql
        .selectFrom("webhook_deliveries")
        .select((eb) => eb.fn.countAll<number>().as("total"))
        .where("company_id", "=", acme.company.id)
        .groupBy("endpoint_id")
        .orderBy("endpoint_id")
        .execute(),
    );
    rounds.push(waiting.map(({ total }) => total));
    // The last endpoint was up to date until then: what happens meanwhile comes to it in the next round.
    if (rounds.length === 1) await commit(lectern, acme, [{ type: "user.updated", data: {} }]);
  };
  await fanOut({ database, secrets }, acme.company, note);
  assert.deepEqual(rounds, [
    [1_000, 1_000, 100],
    [2_000, 2_000, 101, 1],
    [2_501, 2_301, 101, 1],
  ]);
  await fanOut({ database, secrets }, acme.company, note);
  assert.equal(rounds.length, 4);
});

test("events are sent again: one, a range, or what was given up", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern);
  const { acme, globex } = lectern;
  const types = ["user.updated", "user.updated", "group.created", "user.updated"];
  await commit(
    lectern,
    acme,
    types.map((type) => ({ type, data: {} })),
  );
  const { id } = await makeWebhook(acme, { url: receiver.url });
  const resend = (body: object) => acme.post(`${list}/${id}/resend`, body);
  assert.deepEqual((await resend({ from_event_id: 1, to_event_id: 4 })).body, { queued: 3 });
  assert.deepEqual((await resend({ from_event_id: 1, to_event_id: 4 })).body, { queued: 0 });
  await worker.sweep(acme);
  assert.equal(receiver.received.length, 3);
  assert.deepEqual((await resend({ event_id: 2 })).body, { queued: 1 });
  await worker.sweep(acme);
  assert.equal(receiver.received.at(-1)?.headers["webhook-id"], `evt_${acme.company.id}_2`);
  const { body: shown } = await acme.get(`${list}/${id}/deliveries/2`);
  assert.deepEqual(
    shown.log.map(({ number }: { number: number }) => number),
    [2, 1],
  );
  assert.deepEqual((await resend({ failed: true })).body, { queued: 0 });
  const url = `${list}/${id}`;
  await acme.request({ method: "PATCH", url, payload: { enabled: false } });
  await commit(lectern, acme, [{ type: "user.updated", data: {} }]);
  const oneOf = "Give one of: event_id; from_event_id with to_event_id; failed";
  const notOurs = "event_id is no event of this webhook's types that the feed keeps";
  const notYet =
    "event_id is one that this webhook has not come to yet: where it is of its types, it is sent";
  const refused: [object, string][] = [
    [{}, oneOf],
    [{ event_id: 1, failed: true }, oneOf],
    [{ from_event_id: 1 }, "Give both from_event_id and to_event_id"],
    [{ from_event_id: 3, to_event_id: 2 }, "to_event_id must not be less than from_event_id"],
    [{ event_id: 3 }, notOurs],
    [{ event_id: 9 }, notOurs],
    [{ event_id: 5 }, `${notYet} once it is enabled again`],
  ];
  for (const [body, detail] of refused) {
    const answer = await resend(body);
    assert.deepEqual([answer.status, answer.body.detail], [422, detail], JSON.stringify(body));
  }
  await acme.request({ method: "PATCH", url, payload: { enabled: true } });
  assert.equal((await resend({ event_id: 5 })).body.detail, `${notYet} soon`);
  assert.equal((await globex.post(`${list}/${id}/resend`, { failed: true })).status, 404);
});

test("a ping says what the receiver answers", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver({
    answer: (response) => response.writeHead(500).end("no database"),
  });
  const { acme } = lectern;
  const { id, secret } = await makeWebhook(acme, { url: receiver.url });
  const { status, body } = await acme.post(`${list}/${id}/test`);
  const { attempted_at, duration_ms } = body;
  assert.deepEqual(
    [status, body],
    [
      200,
      {
        ...{ delivered: false, attempted_at, status: 500, duration_ms, answer: "no database" },
        reason: "The receiver answered 500",
      },
    ],
  );
  const [request] = receiver.received;
  assert.ok(request !== undefined);
  assert.deepEqual(verify(secret, request), { type: "ping", occurred_at: attempted_at, data: {} });
});

test("an address or a header that can't be is refused, with the reason", async () => {
  await using lectern = await startServer({ policy: { allowsHttp: false, allowedNetworks: [] } });
  const { acme } = lectern;
  const good = { url: "https://hooks.example.com", types: ["*"] };
  const wrong: [object, string][] = [
    [{ url: "http://hooks.example.com" }, "url must begin with https://"],
    [{ url: "https://127.0.0.1/x" }, "url must not lead to 127.0.0.1, a loopback address"],
    [{ headers: { Host: "x" } }, "headers.Host is set by the service: leave it out"],
    [{ headers: { "webhook-id": "x" } }, "headers.webhook-id is set by the service: leave it out"],
    [{ headers: { "a b": "x" } }, "headers.a b is no name that a header can have"],
    [{ headers: { a: "x\r\nb: y" } }, "headers.a must be one line of characters that a header can carry"],
    [{ headers: { a: "x", A: "y" } }, "headers.A is there twice"],
    [
      { headers: { a: "***" } },
      "headers.a is ***, which stands for a value that is not known: give the value",
    ],
    [
      { types: ["*", "lesson.completed", "lesson.complete", "planet.*"] },
      "types[2] lesson.complete is no type of event: /openapi.json lists them under webhooks; types[3] planet.* is no type of event: /openapi.json lists them under webhooks",
    ],
  ];
  for (const [change, detail] of wrong) {
    const { status, body } = await acme.post(list, { ...good, ...change });
    assert.deepEqual([status, body.detail], [422, detail]);
  }
  assert.equal((await acme.post(list, { ...good, types: ["user"] })).status, 422);
  assert.deepEqual((await acme.get(list)).body.data, []);
});
