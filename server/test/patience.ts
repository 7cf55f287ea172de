import { setImmediate, setTimeout as sleep } from "node:timers/promises";

/** Longer than anything takes that a test waits for, also on a slow machine that stands still for seconds. */
export const PATIENCE_MS = 120_000;
const PAUSE_MS = 5;

/**
 * Waits until something holds.
 * @param what names it.
 * @throws Error when it does not hold in time.
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const end = performance.now() + patienceMs;
  for (;;) {
    // Looked at before: whoever stood still past the end looks once more.
    const isLast = performance.now() > end;
    if (await holds()) return;
    if (isLast) throw new Error(`it did not come in ${patienceMs} ms: ${what}`);
    await sleep(PAUSE_MS);
  }
}

/**
 * Waits a while, and then until it was looked at what has come meanwhile: after a standstill Node has timers run before it
 * reads, so that after a mere sleep an end of a connection may still be unread.
 */
export async function pause(ms: number): Promise<void> {
  await sleep(ms);
  await setImmediate();
}

/**
 * Runs what is about a time limit with the first one, and with the next one where it fails: a machine may be too slow
 * to come as far within a short one. Fails as it does with the last, which is long enough for all.
 */
export async function withLonger(
  limitsMs: readonly number[],
  run: (limitMs: number) => Promise<void>,
): Promise<void> {
  for (const limitMs of limitsMs) {
    try {
      return await run(limitMs);
    } catch (error) {
      if (limitMs === limitsMs.at(-1)) throw error;
      console.error(`Not within ${limitMs} ms, so tried with a longer limit: ${String(error)}`);
    }
  }
}
