import assert from "node:assert/strict";
import { test } from "node:test";
import { assignmentCounters } from "../assignments/give.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { addManyUsers } from "./people.ts";
import { Poller, pollWhileWriting, setScores, takeClockTime, waysToPoll } from "./poller.ts";
import { startServer, type TestServer } from "./server.ts";

test("who asks for what changed after the largest updated_at they have seen misses nothing", async () => {
  await using lectern = await startServer();
  await assignMany(lectern, 100);
  const found = await pollWhileWriting(lectern, { changes: 1_500, writers: 4, random: Math.random });
  for (const { way, polls, missed } of found) {
    assert.ok(polls > 2, way);
    assert.equal(missed, 0, way);
  }
});

test("without the counters' lock a change would be missed: what commits late has an earlier time", async () => {
  await using lectern = await startServer();
  const { first, second } = await assignTwo(lectern);
  const poller = new Poller(
    waysToPoll(lectern, lectern.acme)["stored times, pages by position"] ?? assert.fail(),
  );
  const slow = holdingWrite(lectern, first, takeClockTime);
  await slow.changed;
  await holdingWrite(lectern, second, takeClockTime).finish();
  await poller.poll();
  assert.equal(poller.seen.get(second), 77);
  await slow.finish();
  await poller.poll();
  assert.notEqual(poller.seen.get(first), 77, "missed");
});

test("with the counters' lock the later change waits for the earlier one", async () => {
  await using lectern = await startServer();
  const { first, second } = await assignTwo(lectern);
  const poller = new Poller(
    waysToPoll(lectern, lectern.acme)["stored times, pages by position"] ?? assert.fail(),
  );
  const slow = holdingWrite(lectern, first, lockAndMove);
  await slow.changed;
  const quick = holdingWrite(lectern, second, lockAndMove);
  const quickEnds = quick.finish();
  await poller.poll();
  assert.notEqual(poller.seen.get(second), 77, "it waits");
  await slow.finish();
  await quickEnds;
  await poller.poll();
  assert.deepEqual([poller.seen.get(first), poller.seen.get(second)], [77, 77]);
});

test("a write's time is later than that of every write that was committed before, even when the clock goes back", async () => {
  await using lectern = await startServer();
  const { make, acme } = lectern;
  await make.write(acme, (tx) =>
    moveCounter(tx, { kind: "assignments", total: 0, at: "2099-01-01 00:00:00+00" }),
  );
  const times: string[] = [];
  for (let write = 0; write < 3; write += 1) {
    await make.write(acme, async (tx) => {
      const at = await lockCounters(tx, "assignments", "users");
      await moveCounter(tx, { kind: "assignments", total: 0, at });
      times.push(at);
    });
  }
  assert.deepEqual(
    times,
    [1, 2, 3].map((microsecond) => `2099-01-01 00:00:00.00000${microsecond}+00`),
  );
});

async function lockAndMove(tx: WriteTx): Promise<string> {
  const at = await lockCounters(tx, ...assignmentCounters);
  await moveCounter(tx, { kind: "assignments", total: 0, at });
  return at;
}

/** A write that changes a row's score to 77, and commits when it is told to. */
function holdingWrite(
  { make, acme }: TestServer,
  id: number,
  takeTime: (tx: WriteTx) => Promise<string>,
): { readonly changed: Promise<void>; readonly finish: () => Promise<void> } {
  const changed = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const committed = make.write(acme, async (tx) => {
    await setScores(tx, { ids: [id], score: 77, at: await takeTime(tx) });
    changed.resolve();
    await told.promise;
  });
  return {
    changed: changed.promise,
    finish: () => {
      told.resolve();
      return committed;
    },
  };
}

async function assignTwo(lectern: TestServer): Promise<{ first: number; second: number }> {
  const [first = 0, second = 0] = await assignMany(lectern, 2);
  return { first, second };
}

/** Assigns a lesson to new users, and gives the assignments' ids. */
async function assignMany({ make, acme }: TestServer, count: number): Promise<number[]> {
  const lesson_id = await make.lesson(acme);
  const users = await addManyUsers(make, acme, count);
  const assignments = users.map((assignee_id) => ({ assignee_id }));
  const { body } = await acme.put(`/api/v1/lessons/${lesson_id}/assignments`, { assignments });
  return body.assignments.map(({ id }: { id: number }) => id);
}
