import type { Claimed } from "./claim.ts";
import type { Posted } from "./exchange.ts";
import { readRetryAfter } from "./retry-after.ts";
import { MOST_TRIES, nextTry } from "./schedule.ts";

/** What a try has shown, and what becomes of the delivery. */
export interface Verdict {
  readonly event_id: number;
  readonly status: "delivered" | "waiting" | "failed";
  readonly tries: number;
  /** The number of this attempt. */
  readonly number: number;
  readonly at: Date;
  readonly nextTryAt: Date | null;
  readonly posted: Posted;
  /** The address that it was sent to; null where it was sent to none. */
  readonly url: string | null;
  /** Why it failed, for people; null where it did not. */
  readonly reason: string | null;
  /** The receiver says that it wants no more: the endpoint is to be disabled. */
  readonly isGone: boolean;
  /** The last try has failed: the endpoint counts as failing. */
  readonly isGivenUp: boolean;
}

const GONE = 410;

/** Says what a try means. @param chance from 0 to 1, for the wait until the next one. */
export function judge({ event_id, ...before }: Claimed, posted: Posted, when: Moment): Verdict {
  const tries = before.tries + 1;
  const reason = whyFailed(posted);
  const tried = { event_id, tries, number: before.attempts + 1, posted, at: when.at, url: when.url, reason };
  const shared = { ...tried, isGone: false, isGivenUp: false, nextTryAt: null };
  if (reason === null) return { ...shared, status: "delivered" };
  const retryAfter = posted.kind === "answered" ? readRetryAfter(posted.retry_after, when.at) : undefined;
  const nextTryAt = nextTry({ tries, at: when.at, retryAfter, chance: when.chance });
  // The endpoint is disabled with it, so it waits until somebody enables that again.
  if (posted.kind === "answered" && posted.status === GONE)
    return { ...shared, status: "waiting", isGone: true, nextTryAt: nextTryAt ?? when.at };
  if (nextTryAt === undefined) return { ...shared, status: "failed", isGivenUp: true };
  return { ...shared, status: "waiting", nextTryAt };
}

/** When the try ended, where it was made, and a number from 0 to 1. */
export interface Moment {
  readonly at: Date;
  readonly url: string | null;
  readonly chance: number;
}

/** What an attempt is told to have failed by; null where it has not. */
export function whyFailed(posted: Posted): string | null {
  if (posted.kind === "failed") return posted.reason;
  const { status } = posted;
  if (status >= 200 && status < 300) return null;
  if (status === GONE) return "The receiver answered 410: it wants no more of this";
  if (status >= 300 && status < 400) {
    return `The receiver answered ${status}: redirects are not followed, so give the address that it leads to`;
  }
  return `The receiver answered ${status}`;
}

/** An event that the feed no longer keeps can't be sent, whatever its receiver does. */
export function forgotten(delivery: Claimed, at: Date): Verdict {
  const reason = "The event is no longer kept";
  const posted: Posted = { kind: "failed", reason, duration_ms: 0, is_refused_address: false };
  const number = delivery.attempts + 1;
  return {
    event_id: delivery.event_id,
    tries: MOST_TRIES,
    number,
    at,
    posted,
    url: null,
    reason,
    status: "failed",
    isGone: false,
    isGivenUp: false,
    nextTryAt: null,
  };
}
