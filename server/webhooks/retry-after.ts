/** The longest that a receiver may put us off, in seconds: behind it lie the last tries, 24 hours apart. */
const MOST_RETRY_AFTER_S = 24 * 60 * 60;

/** The form of a date that RFC 9110 wants to be sent; Date.parse alone would take nearly anything. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * When a receiver wants to be asked again. Takes its Retry-After header, in seconds or a date, and the time it came;
 * gives undefined where it says nothing of use (zero, a past date, nonsense) and never more than 24 hours from now.
 */
export function readRetryAfter(value: string | null, now: Date): Date | undefined {
  const seconds = waitInSeconds(value?.trim() ?? "", now);
  if (!(seconds > 0)) return undefined;
  return new Date(now.getTime() + Math.min(seconds, MOST_RETRY_AFTER_S) * 1000);
}

function waitInSeconds(value: string, now: Date): number {
  if (/^\d+$/.test(value)) return Number(value);
  return HTTP_DATE.test(value) ? (Date.parse(value) - now.getTime()) / 1000 : Number.NaN;
}
