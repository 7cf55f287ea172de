import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { followSteps, someSteps } from "./feed-walk.ts";
import { startServer } from "./server.ts";

const tries = { numRuns: 4, seed: 20_261_121 };

test("the feed tells all of people and groups, changed by two at once, by either version, by lists and by rules", async () => {
  await using lectern = await startServer();
  let [runs, done] = [0, 0];
  await fc.assert(
    fc.asyncProperty(someSteps, async (steps) => {
      runs += 1;
      const client = await lectern.addCompany({ subdomain: `walk-${runs}` });
      done += await followSteps(lectern, client, steps);
    }),
    tries,
  );
  assert.ok(done > 40, `${done} steps were done`);
});
