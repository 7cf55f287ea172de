import { dateIn, startOfDate } from "../time.ts";

/** How long certificates of a path are valid: one of the two, or for ever. */
export interface Validity {
  readonly valid_months: number | null;
  /** A day of the year, `MM-DD`. */
  readonly valid_until_day: string | null;
  readonly renewal_days: number;
}

const DAY_MS = 86_400_000;
/** No date beyond it can be written. */
const LAST_YEAR = 9999;

/**
 * When a certificate ends: the first moment after its last day, in the company's time zone.
 *
 * Months are counted by the calendar; where the last month is too short it ends with the month. Until a day of the year
 * means the next such day that is further away than the days of the renewal: who renews in time gets the next year.
 * @returns null when it is valid for ever.
 */
export function findExpiry(validity: Validity, issued_at: string, timeZone: string): string | null {
  const { valid_months, valid_until_day, renewal_days } = validity;
  const issued = dateIn(issued_at, timeZone);
  if (valid_months !== null) return dayAfter(addMonths(issued, valid_months), timeZone);
  if (valid_until_day === null) return null;
  return dayAfter(nextDay(addDays(issued, renewal_days), valid_until_day), timeZone);
}

/** The last day on which a certificate is valid, in the company's time zone. */
export function lastDayOf(expires_at: string, timeZone: string): string {
  return addDays(dateIn(expires_at, timeZone), -1);
}

/** The day so many months later; the last of the month where it has no such day. */
export function addMonths(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  const index = year * 12 + (month - 1) + months;
  return dayOfMonth(Math.floor(index / 12), (index % 12) + 1, day);
}

/** The first such day of a year (`MM-DD`) that is after the date. 29 February is the 28th in other years. */
function nextDay(date: string, monthAndDay: string): string {
  const [month = 1, day = 1] = monthAndDay.split("-").map(Number);
  const year = Number(date.slice(0, 4));
  const ofThisYear = dayOfMonth(year, month, day);
  return ofThisYear > date ? ofThisYear : dayOfMonth(year + 1, month, day);
}

function dayOfMonth(year: number, month: number, day: number): string {
  if (year > LAST_YEAR) return `${LAST_YEAR}-12-30`;
  const last = new Date(Date.UTC(2000, month, 0)).getUTCDate();
  const lastOfMonth = month === 2 && !isLeap(year) ? last - 1 : last;
  const parts = [String(year).padStart(4, "0"), ...[month, Math.min(day, lastOfMonth)].map(twoDigits)];
  return parts.join("-");
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, "2020-12-31".length);
}

function dayAfter(date: string, timeZone: string): string {
  return startOfDate(addDays(date, 1), timeZone);
}
