import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { KillGround } from "../test/killing.ts";

test("what was answered outlives kill -9 of the server and of PostgreSQL, and nothing is half done", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lectern-kill-"));
  try {
    const ground = await KillGround.make(join(folder, "data"));
    for (const round of [await ground.killServer(), await ground.killPostgres()]) {
      assert.ok(round.done > 100, `only ${round.done} writes were answered`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
});
