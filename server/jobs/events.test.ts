import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Nudges } from "../events/nudges.ts";
import { oneAtATime } from "../events/one-at-a-time.ts";
import { makeTransport } from "../mail/transport/transport.ts";
import { commit, Delivering, idsOf } from "../test/delivering.ts";
import { until } from "../test/patience.ts";
import { startReceiver } from "../test/receiver.ts";
import { PUBLIC_URL, startServer, type TestServer } from "../test/server.ts";
import { lockEndpoint } from "../webhooks/stored.ts";
import { runEventJobs } from "./events.ts";

/** Longer than any delivery here may take, and less than from one sweep to the next. */
const PATIENCE_MS = 30_000;

async function runJobs(
  stack: AsyncDisposableStack,
  { database, ownerUrl, secrets }: TestServer,
): Promise<Delivering> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-jobs-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const worker = stack.use(new Delivering({ database, secrets }));
  const log = (line: string): void => void worker.log.push(line);
  const options = {
    secrets,
    publicUrl: PUBLIC_URL,
    from: "lectern@example.com",
    perSecond: 10,
    dueSoonDays: [],
  };
  const jobs = await runEventJobs({
    ...{ ownerUrl, database, publicUrl: PUBLIC_URL, log, deliverer: worker.deliverer },
    mails: {
      transport: stack.use(makeTransport({ folder })),
      options: { ...options, clock: () => new Date(), log },
    },
  });
  stack.use(jobs);
  return worker;
}

test("a webhook arrives within a second of the commit; where no nudge told of it, with the next sweep", async (t) => {
  let nudges: Nudges | undefined;
  let nudged = 0;
  await using lectern = await startServer({
    onEvents: (company) => {
      nudged += 1;
      nudges?.onEvents(company);
    },
  });
  await using receiver = await startReceiver();
  await using stack = new AsyncDisposableStack();
  const { acme } = lectern;
  await acme.post("/api/v2/webhooks", { url: receiver.url, types: ["user.created"] });
  const addUser = (name: string) =>
    acme.post("/api/v1/users", { name, email: `${name}@example.com`, role_id: 32 });
  // Nobody is told of this one: it is there before the jobs, whose first act is a sweep.
  await addUser("Una");
  assert.ok(nudged > 0);
  const { log } = await runJobs(stack, lectern);
  const added = ["Una"];
  await until("what the sweep found", () => receiver.received.length > 0);
  nudges = stack.use(new Nudges(lectern.database));
  const begun = minuteOf(Date.now());
  const over: number[] = [];
  for (const name of ["Dua", "Tria", "Kvara", "Kvina"]) {
    added.push(name);
    const asked = performance.now();
    await addUser(name);
    const written = performance.now();
    await until("what a nudge told of", () => receiver.received.length >= added.length, PATIENCE_MS);
    const [writingMs, tookMs] = [written - asked, performance.now() - written];
    t.diagnostic(
      `${name} was written in ${Math.round(writingMs)} ms, arrived ${Math.round(tookMs)} ms later`,
    );
    over.push(tookMs - 1_000 - 10 * writingMs);
  }
  // One alone may come while the machine stands still.
  assert.ok(Math.min(...over) < 0, `${over} ms over the limit`);
  // There is a sweep at each full minute: had it found these, each would have waited for another one.
  assert.ok(minuteOf(Date.now()) - begun < 4, "nudges told of each");
  assert.deepEqual(
    receiver.received.map(({ body }) => JSON.parse(body).data.name),
    added,
  );
  assert.deepEqual(log, []);
});

function minuteOf(ms: number): number {
  return Math.floor(ms / 60_000);
}

test("a company whose events are long followed leaves jobs for the others", async () => {
  await using lectern = await startServer();
  await using receiver = await startReceiver();
  await using stack = new AsyncDisposableStack();
  const { acme, globex } = lectern;
  for (const client of [acme, globex]) {
    await client.post("/api/v2/webhooks", { url: receiver.url, types: ["user.updated"] });
  }
  await runJobs(stack, lectern);
  const held = Promise.withResolvers<void>();
  const isLocked = Promise.withResolvers<void>();
  stack.defer(() => held.resolve());
  const holding = lectern.make.write(acme, async (tx) => {
    await lockEndpoint(tx, 1);
    isLocked.resolve();
    await held.promise;
  });
  await isLocked.promise;
  await using nudges = new Nudges(lectern.database, 0);
  const event = { type: "user.updated", data: {} };
  await commit(lectern, acme, [event]);
  // As each is taken up before the next one comes, none of them is the same job.
  for (let left = 6; left > 0; left -= 1) {
    nudges.onEvents(acme.company);
    await sleep(100);
  }
  await commit(lectern, globex, [event]);
  nudges.onEvents(globex.company);
  await until("the other company's", () => receiver.received.length > 0, PATIENCE_MS);
  const arrived = idsOf(receiver.received);
  held.resolve();
  await holding;
  assert.deepEqual(arrived, [`evt_${globex.company.id}_1`]);
  await until("what was held", () => receiver.received.length > 1, PATIENCE_MS);
  assert.deepEqual(idsOf(receiver.received).slice(1), [`evt_${acme.company.id}_1`]);
});

test("a company that takes long is followed once at a time, and once more for all that came meanwhile", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  const begun: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const follow = oneAtATime(({ id }) => {
    begun.push(id);
    return id === acme.company.id ? promise : Promise.resolve();
  });
  const first = follow(acme.company);
  // None of these waits for the first, nor does another company.
  await follow(acme.company);
  await follow(acme.company);
  await follow(globex.company);
  assert.deepEqual(begun, [acme.company.id, globex.company.id]);
  resolve();
  await first;
  assert.deepEqual(begun, [acme.company.id, globex.company.id, acme.company.id]);
  await follow(acme.company);
  assert.equal(begun.length, 4);
});

test("what fails is thrown, unless a later run makes it good", async () => {
  await using lectern = await startServer();
  const { company } = lectern.acme;
  const outcomes = [new Error("lost"), undefined, new Error("lost")];
  const follow = oneAtATime(async () => {
    await sleep(1);
    const outcome = outcomes.shift();
    if (outcome !== undefined) throw outcome;
  });
  const first = follow(company);
  await follow(company);
  await first;
  await assert.rejects(follow(company), /lost/);
});

test("nudges go out in one order, whatever order their companies came in", async () => {
  await using lectern = await startServer();
  const { acme, globex } = lectern;
  const companies = [acme, globex].map(({ company }) => company).toSorted((a, b) => b.id - a.id);
  {
    await using nudges = new Nudges(lectern.database);
    for (const company of companies) nudges.onEvents(company);
  }
  const owner = new pg.Client({ connectionString: lectern.ownerUrl });
  await owner.connect();
  const { rows } = await owner.query<{ key: string }>(
    "select key from graphile_worker._private_jobs where key like 'follow_events/%' order by id",
  );
  await owner.end();
  assert.deepEqual(
    rows.map(({ key }) => key),
    companies.toReversed().map(({ id }) => `follow_events/${id}`),
  );
});
