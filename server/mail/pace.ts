import { momentAfter, momentText, startOfDate, startOfToday } from "../time.ts";

/** After a letter, what arises for the same person within this time waits for the morning. */
export const QUIET_MS = 3_600_000;
/** When digests go out: early enough to plan the day by, late enough to be at work. */
const MORNING_HOUR = 9;
/** What is found later than so long after nine is kept for the next morning: nobody is woken by it. */
const WORKING_MS = 9 * 3_600_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const DATE_CHARACTERS = "2026-12-31".length;

/** Nine o'clock of a calendar date (`YYYY-MM-DD`) in the zone, as PostgreSQL's text. */
export function morningOf(date: string, timeZone: string): string {
  const midnight = startOfDate(date, timeZone);
  const plain = momentAfter(midnight, MORNING_HOUR * HOUR_MS);
  // On the days when the clocks change, nine hours after midnight are eight or ten by the clock.
  const offsets = [-HOUR_MS, 0, HOUR_MS].map((shift) => momentAfter(plain, shift));
  return offsets.find((moment) => hourIn(moment, timeZone) === MORNING_HOUR) ?? plain;
}

/** The next nine o'clock in the zone after a moment. */
export function nextMorning(now: Date, timeZone: string): string {
  const today = morningOf(todayIn(now, timeZone), timeZone);
  if (today > momentText(now.getTime())) return today;
  return morningOf(shiftDate(todayIn(now, timeZone), 1), timeZone);
}

/** This morning's nine o'clock in the zone; where the working day is over, the next. */
export function workingMorning(now: Date, timeZone: string): string {
  const morning = morningOf(todayIn(now, timeZone), timeZone);
  return momentText(now.getTime()) < momentAfter(morning, WORKING_MS) ? morning : nextMorning(now, timeZone);
}

/** The calendar date (`YYYY-MM-DD`) that it is in the zone. */
export function todayIn(now: Date, timeZone: string): string {
  return startOfToday(now, timeZone).slice(0, DATE_CHARACTERS);
}

/** The date so many days later. */
export function shiftDate(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, DATE_CHARACTERS);
}

/** How many days later the second date is. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

function hourIn(moment: string, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, hour: "numeric", hourCycle: "h23" });
  return Number(format.format(Date.parse(`${moment.slice(0, DATE_CHARACTERS)}T${moment.slice(11, 23)}Z`)));
}
