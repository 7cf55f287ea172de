const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after a try that failed the next one is made, from the first to the last: over three days in all. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

/** From an event's first try to its last, at the least. */
export const WHOLE_SCHEDULE_MS = WAITS_MS.reduce((sum: number, waitMs) => sum + waitMs, 0);
/** Tries in all, the first included. */
export const MOST_TRIES = WAITS_MS.length + 1;
/** Up to this share is added to a wait, so that what failed together does not come back together. */
const JITTER = 0.1;

export interface LastTry {
  /** How many tries there were, this one included. */
  readonly tries: number;
  readonly at: Date;
  /** When the receiver wants to be asked again. */
  readonly retryAfter: Date | undefined;
  /** From 0 to 1. */
  readonly chance: number;
}

/** When to try again: not before the receiver wants it, nor sooner than planned. Undefined after the last try. */
export function nextTry({ tries, at, retryAfter, chance }: LastTry): Date | undefined {
  const waitMs = WAITS_MS[tries - 1];
  if (waitMs === undefined) return undefined;
  const plannedMs = at.getTime() + Math.round(waitMs * (1 + JITTER * chance));
  return new Date(Math.max(plannedMs, retryAfter?.getTime() ?? 0));
}
