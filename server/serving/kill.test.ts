import assert from "node:assert/strict";
import { test } from "node:test";
import { KillGround } from "../test/killing.ts";

test("what was answered outlives kill -9 of the server and of PostgreSQL, and nothing is half done", async () => {
  await using ground = await KillGround.make();
  for (const round of [await ground.killServer(), await ground.killPostgres()]) {
    assert.ok(round.done > 100, `only ${round.done} writes were answered`);
  }
});
