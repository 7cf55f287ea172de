import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestDatabase } from "../test/database.ts";
import { startLectern } from "../test/lectern.ts";
import { askNowAndThen, askTooOften, makeCaller } from "../test/rate-load.ts";

test("two processes together admit 500 requests of a company in its minute, and another company all of its own", async (t) => {
  await using database = await createTestDatabase();
  const settings = { DATABASE_URL: database.ownerUrl };
  const [busy, calm] = [await makeCaller(settings, "busy"), await makeCaller(settings, "calm")];
  await using lectern = await startLectern(settings, ["serve", "--workers", "2"]);
  const forMs = 3_000;
  const [taken, others] = await Promise.all([
    askTooOften(lectern, { authorization: busy, forMs }),
    askNowAndThen(lectern, { authorization: calm, forMs }),
  ]);
  if (taken.length <= 500 && taken.every((answer) => answer.admitted))
    return t.skip("too slow to reach the limit");
  const admitted = taken.filter((answer) => answer.admitted).length;
  assert.ok(admitted >= 495 && admitted <= 500, `${admitted} of ${taken.length} were admitted`);
  assert.ok(taken.some((answer) => !answer.admitted && answer.remaining === 0));
  assert.ok(others.length > 3 && others.every((answer) => answer.admitted));
});
