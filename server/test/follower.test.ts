import assert from "node:assert/strict";
import { test } from "node:test";
import { followRandomly } from "./follow-randomly.ts";
import { startServer } from "./server.ts";

test("who has a copy and the feed has the account, whatever happens in it", async () => {
  await using lectern = await startServer();
  const { events, types } = await followRandomly(lectern, { numRuns: 2, seed: 20_261_121, steps: 150 });
  assert.ok(events > 200, `${events} events`);
  assert.ok(types > 20, `${types} types of them`);
});
