import assert from "node:assert/strict";
import { test } from "node:test";
import { commit, Delivering } from "../test/delivering.ts";
import { startReceiver } from "../test/receiver.ts";
import { startServer } from "../test/server.ts";
import { forgetDeliveries } from "./forget.ts";

const DAY_MS = 86_400_000;
const deliveries = "/api/v2/webhooks/1/deliveries";

test("what has arrived is forgotten after 30 days with its log; what was given up stays while its event does", async () => {
  let ms = Date.now();
  const clock = () => new Date(ms);
  await using lectern = await startServer({ clock });
  await using receiver = await startReceiver();
  await using worker = new Delivering(lectern, { clock });
  const { acme, globex, database } = lectern;
  const anEvent = { type: "user.updated", data: {} };
  for (const client of [acme, globex]) {
    await client.post("/api/v2/webhooks", { url: receiver.url, types: ["user.updated"] });
    await commit(lectern, client, [anEvent]);
    await worker.sweep(client);
  }
  receiver.behave((response) => response.writeHead(500).end());
  await commit(lectern, acme, [anEvent]);
  for (let tries = 0; tries < 10; tries += 1) {
    await worker.sweep(acme);
    ms += 27 * 3_600_000;
  }
  const statuses = async () =>
    (await acme.get(deliveries)).body.data.map((one: { status: string }) => one.status);
  const forget = async (days: number) => {
    ms += days * DAY_MS;
    await forgetDeliveries(database, { now: clock(), keptDays: 90 });
  };
  await forget(1);
  assert.deepEqual(await statuses(), ["failed", "delivered"]);
  assert.equal((await acme.get(`${deliveries}/1`)).body.log.length, 1);
  await forget(30);
  assert.deepEqual(await statuses(), ["failed"]);
  assert.deepEqual((await globex.get(deliveries)).body.data, []);
  assert.equal((await acme.get(`${deliveries}/2`)).body.log.length, 0);
  // It waits for an endpoint that is disabled until its event is surely gone.
  receiver.behave((response) => response.writeHead(410).end());
  await commit(lectern, acme, [anEvent]);
  await worker.sweep(acme);
  await forget(120);
  assert.deepEqual(await statuses(), ["waiting"]);
  await forget(2);
  assert.deepEqual(await statuses(), []);
});
