import assert from "node:assert/strict";
import { createTestDatabase } from "../server/test/database.ts";
import { startLectern } from "../server/test/lectern.ts";
import { askNowAndThen, askTooOften, makeCaller, type Taken } from "../server/test/rate-load.ts";

// The rate limit over two worker processes and more than two whole windows, which is too long for `npm test`.
const FOR_MS = 130_000;
const WINDOW_MS = 60_000;
/** Admitted requests further apart than this lie in different windows: a window is used up within seconds. */
const GAP_MS = 20_000;

await using database = await createTestDatabase();
const settings = { DATABASE_URL: database.ownerUrl };
const [busy, calm] = [await makeCaller(settings, "busy"), await makeCaller(settings, "calm")];
await using lectern = await startLectern(settings, ["serve", "--workers", "2"]);
const [taken, others] = await Promise.all([
  askTooOften(lectern, { authorization: busy, forMs: FOR_MS }),
  askNowAndThen(lectern, { authorization: calm, forMs: FOR_MS }),
]);
await lectern.stop();

const windows = splitIntoWindows(taken.filter(({ admitted }) => admitted));
for (const [index, { begunMs, count }] of windows.entries()) {
  const next = windows[index + 1];
  const lastedMs = next === undefined ? undefined : Math.round(next.begunMs - begunMs);
  console.log(
    `window ${index + 1}: ${count} admitted${lastedMs === undefined ? "" : `, the next began after ${lastedMs} ms`}`,
  );
  assert.ok(count >= 495 && count <= 500);
  assert.ok(lastedMs === undefined || lastedMs >= WINDOW_MS - 50);
}
assert.ok(windows.length >= 3);
assert.ok(others.every(({ admitted }) => admitted));
const refused = taken.filter(({ admitted }) => !admitted).length;
console.log(`${refused} refused; of the other company ${others.length} asked and all admitted`);

function splitIntoWindows(admitted: readonly Taken[]): { begunMs: number; count: number }[] {
  const found: { begunMs: number; count: number }[] = [];
  let lastMs = -Infinity;
  for (const { askedMs } of admitted.toSorted((a, b) => a.askedMs - b.askedMs)) {
    if (askedMs - lastMs > GAP_MS) found.push({ begunMs: askedMs, count: 0 });
    const window = found.at(-1);
    if (window !== undefined) window.count += 1;
    lastMs = askedMs;
  }
  return found;
}
