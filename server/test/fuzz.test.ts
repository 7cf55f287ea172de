import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCountsHold } from "./counts.ts";
import { sendRequests } from "./fuzz.ts";
import { startServer } from "./server.ts";

test("no request, right or broken, is a 5xx; each is answered as published, and what is counted stays true", async () => {
  await using lectern = await startServer();
  const statuses = await sendRequests(lectern, { seed: 20_261_121, requests: 3_000, version: 1 });
  // Enough of them get through: what is all refused proves nothing.
  assert.ok((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0) > 1_000, [...statuses].join(" "));
  await assertCountsHold(lectern);
});

test("the same holds for version 2, for a key and for an administrator who is signed in", async () => {
  await using lectern = await startServer();
  const statuses = await sendRequests(lectern, { seed: 20_261_121, requests: 1_200, version: 2 });
  assert.ok((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0) > 180, [...statuses].join(" "));
  await assertCountsHold(lectern);
});
