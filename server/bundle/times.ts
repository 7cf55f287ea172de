import { zonedTime } from "../time.ts";

/**
 * Times as answers write them, but with every digit that is stored: an export loses nothing. They are made of the text
 * that PostgreSQL writes with TimeZone UTC.
 */

/** Gives `2016-04-03T14:55:00Z`, or `2016-04-03T14:55:00.123456Z`. */
export function exactTime(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, -3)}Z`;
}

export function exactTimeOrNull(text: string | null): string | null {
  return text === null ? null : exactTime(text);
}

/** Gives `2016-10-13T09:34:24.151-04:00`, or `2016-10-13T09:34:24.151234-04:00`. */
export function exactZonedTime(text: string, timeZone: string): string {
  const zoned = zonedTime(text, timeZone);
  const microseconds = text.slice(20, -3).slice(3);
  return zoned.slice(0, MILLISECONDS_END) + microseconds + zoned.slice(MILLISECONDS_END);
}

export function exactZonedTimeOrNull(text: string | null, timeZone: string): string | null {
  return text === null ? null : exactZonedTime(text, timeZone);
}

const MILLISECONDS_END = "2016-10-13T09:34:24.151".length;
