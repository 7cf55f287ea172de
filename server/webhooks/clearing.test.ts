import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { commit, Delivering, idsOf, makeWebhook } from "../test/delivering.ts";
import { startReceiver } from "../test/receiver.ts";
import { startServer, TEST_POLICY, type TestServer } from "../test/server.ts";
import { fillDue } from "../test/webhook-backlog.ts";
import { fanOut } from "./fan-out.ts";
import { Lane } from "./lane.ts";
import { Outgoing } from "./outgoing.ts";
import { Slots } from "./slots.ts";

const settings = "/api/v1/company_settings";
const list = "/api/v2/webhooks";
const aCompletion = { type: "lesson.completed", data: {} };
/** More than two pages of what a transaction clears. */
const MANY = 11_000;

test("of much that waited for an address that was cleared nothing goes to the next one, and the request gives up a page", async () => {
  await using lectern = await startServer();
  await using former = await startReceiver();
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern);
  const { acme } = lectern;
  await acme.put(settings, { lesson_completed_callback_url: former.url });
  await using owner = await connect(lectern);
  await fillDue(owner.client, { company_id: acme.company.id, endpoint_id: 1, count: MANY });
  for (const url of [null, receiver.url]) {
    assert.equal((await acme.put(settings, { lesson_completed_callback_url: url })).status, 200);
  }
  assert.deepEqual(await owner.count("webhook_deliveries", "status"), { failed: 5_000, waiting: 6_000 });
  // What is still to be given up can't be sent again yet; what follows it can.
  const detail = "What waited for the address before this one is still being given up: ask again in a minute";
  for (const body of [{ failed: true }, { event_id: 7 }, { from_event_id: 1, to_event_id: 20_000 }]) {
    const refused = await acme.post(`${list}/1/resend`, body);
    assert.deepEqual([refused.status, refused.body.detail], [409, detail]);
  }
  const payload = { go_on_after: 7 };
  assert.equal((await acme.request({ method: "PATCH", url: `${list}/1`, payload })).status, 409);
  await commit(lectern, acme, [aCompletion]);
  await worker.sweep(acme);
  const idOf = (event: number) => `evt_${acme.company.id}_${event}`;
  assert.deepEqual(idsOf(receiver.received), [idOf(MANY + 1)]);
  assert.deepEqual(await owner.count("webhook_deliveries", "status"), { failed: MANY, delivered: 1 });
  const reason =
    "The address was cleared before this had arrived: send it again if the new one is to have it";
  assert.deepEqual(await owner.count("webhook_attempts", "reason"), { [reason]: MANY, null: 1 });
  assert.deepEqual((await acme.post(`${list}/1/resend`, { event_id: 7 })).body, { queued: 1 });
  await worker.sweep(acme);
  assert.deepEqual(idsOf(receiver.received), [MANY + 1, 7].map(idOf));
  assert.deepEqual([former.received, worker.log], [[], []]);
});

test("a webhook with much in its log is gone at once for everybody, and the sweep deletes the rows", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern);
  const { acme } = lectern;
  await using owner = await connect(lectern);
  const url = `${list}/${await makeWebhook(acme, receiver.url)}`;
  const company_id = acme.company.id;
  await fillDue(owner.client, { company_id, endpoint_id: 1, count: MANY });
  await owner.client.query(
    `insert into webhook_attempts (company_id, endpoint_id, event_id, number, attempted_at, duration_ms, reason)
     select $1, 1, (id + 1) / 2, 1 + id % 2, now(), 1, 'no' from generate_series(1, 2 * $2::integer) as made (id)`,
    [company_id, MANY],
  );
  assert.deepEqual((await acme.delete(url)).body, { id: 1 });
  assert.deepEqual(await owner.count("webhook_deliveries", "status"), { waiting: 6_000 });
  assert.deepEqual((await acme.get(list)).body, { data: [], next: null });
  for (const path of [url, `${url}/deliveries`, `${url}/deliveries/${MANY}`]) {
    assert.equal((await acme.get(path)).status, 404, path);
  }
  const again = { method: "PATCH", url, payload: { enabled: true } } as const;
  assert.equal((await acme.request(again)).status, 404);
  for (const what of ["test", "rotate_secret", "resend"]) {
    const body = what === "resend" ? { failed: true } : undefined;
    assert.equal((await acme.post(`${url}/${what}`, body)).status, 404, what);
  }
  assert.equal((await acme.delete(url)).status, 404);
  // The next one has an id and rows of its own.
  assert.equal(await makeWebhook(acme, receiver.url), 2);
  await commit(lectern, acme, [aCompletion]);
  await worker.sweep(acme);
  assert.deepEqual(idsOf(receiver.received), [`evt_${company_id}_${MANY + 1}`]);
  for (const table of ["webhook_deliveries", "webhook_attempts"]) {
    assert.deepEqual(await owner.count(table, "endpoint_id"), { 2: 1 }, table);
  }
  assert.deepEqual(await owner.count("webhook_endpoints", "id"), { 2: 1 });
  // One with a page or less needs no sweep.
  await acme.delete(`${list}/2`);
  assert.deepEqual(await owner.count("webhook_endpoints", "id"), {});
  assert.deepEqual(worker.log, []);
});

test("what was taken up for an address and waits for its turn does not go to the one that is set meanwhile", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver();
  await using outgoing = new Outgoing(TEST_POLICY);
  const { acme, database, secrets } = lectern;
  const add = async (count: number) => {
    await commit(
      lectern,
      acme,
      Array.from({ length: count }, () => aCompletion),
    );
    await fanOut({ database, secrets }, acme.company, () => Promise.resolve());
  };
  await using former = await startReceiver({
    answer: async (response) => {
      if (former.received.length === 1) {
        for (const url of [null, receiver.url]) {
          await acme.put(settings, { lesson_completed_callback_url: url });
        }
        await add(1);
      }
      setTimeout(() => response.end(), 50);
    },
  });
  await acme.put(settings, { lesson_completed_callback_url: former.url });
  await add(8);
  const ground = {
    ...{ database, secrets, outgoing, clock: () => new Date(), random: () => 0.5, pauseOfDeadMs: 0 },
    // One request at a time.
    ...{ slots: new Slots(2), slotsOfDead: new Slots(2), dead: new Set<string>() },
    stopping: new AbortController().signal,
  };
  await new Lane(ground, acme.company, 1).run();
  assert.deepEqual(idsOf(receiver.received), [`evt_${acme.company.id}_9`]);
});

interface Owner extends AsyncDisposable {
  readonly client: pg.Client;
  /** How many rows of a table there are, by the values of a column. */
  count(table: string, column: string): Promise<Record<string, number>>;
}

async function connect({ ownerUrl }: TestServer): Promise<Owner> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  return {
    client,
    async count(table, column) {
      const { rows } = await client.query<{ value: string; total: number }>(
        `select ${column}::text as value, count(*)::integer as total from ${table} group by 1`,
      );
      return Object.fromEntries(rows.map(({ value, total }) => [value, total]));
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
