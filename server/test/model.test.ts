import assert from "node:assert/strict";
import { test } from "node:test";
import { assignmentsFollowTheirModel, StillClock } from "./model-walk.ts";
import { startServer } from "./server.ts";

const seed = 20_261_121;

test("whatever learners, graders and authors do, version 1 shows what the rules say", async () => {
  const clock = new StillClock();
  await using lectern = await startServer({ clock: clock.now });
  const tries = { numRuns: 12, seed, mostSteps: 30 };
  const { sequences, done } = await assignmentsFollowTheirModel(lectern, clock, tries);
  assert.equal(sequences, tries.numRuns);
  assert.ok(done > 40, `${done} steps were done`);
});
