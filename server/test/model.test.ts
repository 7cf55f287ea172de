import assert from "node:assert/strict";
import { test } from "node:test";
import { assignmentsFollowTheirModel, StillClock } from "./model-walk.ts";
import { startServer } from "./server.ts";

const tries = { numRuns: 6, seed: 20_261_121, mostSteps: 20 };

test("whatever learners, graders and authors do, version 1 shows what the rules say", async () => {
  const clock = new StillClock();
  await using lectern = await startServer({ clock: clock.now });
  const told = await assignmentsFollowTheirModel({ lectern, clock }, tries);
  const done = [...told.values()].reduce((sum, each) => sum + each.done, 0);
  assert.ok(done > 40, `${done} steps were done`);
});
