/**
 * Times travel as the text that PostgreSQL writes with TimeZone UTC (`2016-04-03 14:55:00.123456+00`, the fraction
 * may be absent): a Date would cut the microseconds, and with them the position that a poller goes on from.
 */

/** Gives `2016-04-03T14:55:00Z`, cut to the second. It runs for every row of every list: slices only. */
export function utcTime(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, 19)}Z`;
}

export function utcTimeOrNull(text: string | null): string | null {
  return text === null ? null : utcTime(text);
}

/** Gives `2016-10-13T09:34:24.151-04:00`: cut to the millisecond, with the offset of the zone at that instant. */
export function zonedTime(text: string, timeZone: string): string {
  const utc = `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, "0").slice(0, 3)}`;
  if (timeZone === "UTC") return `${utc}+00:00`;
  const instantMs = Date.parse(`${utc}Z`);
  // Before zones were standardised offsets had seconds, which ISO 8601 can't write. They are left out of the local
  // time too, so the text still names the same instant.
  const offsetMinutes = Math.trunc(zoneOffsetMs(instantMs, timeZone) / MINUTE_MS);
  const localMs = instantMs + offsetMinutes * MINUTE_MS;
  // Four digits can't write the year that the zone has there: UTC names the same instant.
  if (localMs < FIRST_MS || localMs > LAST_MS) return `${utc}+00:00`;
  return new Date(localMs).toISOString().slice(0, -1) + offsetText(offsetMinutes);
}

export function zonedTimeOrNull(text: string | null, timeZone: string): string | null {
  return text === null ? null : zonedTime(text, timeZone);
}

/**
 * Takes a date (its midnight UTC) or an ISO 8601 timestamp (UTC where it has no offset) and gives PostgreSQL's text in
 * UTC with six fraction digits; undefined when it is neither, does not exist, or lies outside years 0001–9999.
 */
export function parseMoment(text: string): string | undefined {
  const [whole, date = "", hours = "00", minutes = "00", seconds = "00", fraction = "", offset = "Z"] =
    MOMENT.exec(text) ?? [];
  if (whole === undefined || parseDate(date) === undefined) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const offsetMs = parseOffsetMs(offset);
  if (offsetMs === undefined) return undefined;
  const instantMs = Date.parse(`${date}T${hours}:${minutes}:${seconds}Z`) - offsetMs;
  if (instantMs < FIRST_MS || instantMs > LAST_MS) return undefined;
  const utc = new Date(instantMs).toISOString();
  // The fraction never becomes a number, so that no digit is rounded.
  return `${utc.slice(0, 10)} ${utc.slice(11, 19)}.${fraction.padEnd(6, "0").slice(0, 6)}+00`;
}

/** Takes `YYYY-MM-DD` and gives it back; undefined when there is no such day in years 0001–9999. */
export function parseDate(text: string): string | undefined {
  if (!DATE.test(text) || text < "0001") return undefined;
  const midnight = new Date(text);
  // A Date takes 30 February for 1 or 2 March.
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== text) return undefined;
  return text;
}

/**
 * Gives midnight UTC of the calendar date that it is now in the zone, as PostgreSQL's text. An assignment is overdue
 * when its due_by is before it: the rule compares due_by's UTC date with the company's date of today.
 */
export function startOfToday(now: Date, timeZone: string): string {
  const nowMs = now.getTime();
  return `${new Date(nowMs + zoneOffsetMs(nowMs, timeZone)).toISOString().slice(0, 10)} 00:00:00+00`;
}

/**
 * Gives the first moment of a calendar date (`YYYY-MM-DD`) in the zone, as PostgreSQL's text: its midnight, or where
 * the clocks pass over midnight the moment that they go on from.
 */
export function startOfDate(date: string, timeZone: string): string {
  const midnightMs = Date.parse(`${date}T00:00:00Z`);
  const offsets = [midnightMs - DAY_MS, midnightMs + DAY_MS].map((ms) => zoneOffsetMs(ms, timeZone));
  const candidates = offsets.map((offsetMs) => midnightMs - offsetMs).toSorted((a, b) => a - b);
  const startMs =
    candidates.find((ms) => ms + zoneOffsetMs(ms, timeZone) >= midnightMs) ?? candidates.at(-1) ?? midnightMs;
  return momentText(startMs);
}

/** Gives the moment so many milliseconds after another, cut to the millisecond; never later than year 9999 ends. */
export function momentAfter(text: string, durationMs: number): string {
  const fromMs = Date.parse(`${text.slice(0, 10)}T${text.slice(11, -"+00".length)}Z`);
  return momentText(Math.min(fromMs + durationMs, LAST_MS));
}

/** Gives the calendar date (`YYYY-MM-DD`) that it is in the zone at a moment of PostgreSQL's text. */
export function dateIn(text: string, timeZone: string): string {
  const instantMs = Date.parse(`${text.slice(0, 10)}T${text.slice(11, -"+00".length)}Z`);
  return momentText(instantMs + zoneOffsetMs(instantMs, timeZone)).slice(0, "2020-12-31".length);
}

/** Gives an instant as PostgreSQL's text. */
export function momentText(instantMs: number): string {
  const utc = new Date(Math.min(Math.max(instantMs, FIRST_MS), LAST_MS)).toISOString();
  return `${utc.slice(0, 10)} ${utc.slice(11, 23)}+00`;
}

/** Gives the midnight so many days after another one, both as PostgreSQL's text. */
export function addDays(midnight: string, days: number): string {
  const [date = ""] = midnight.split(" ");
  return `${new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)} 00:00:00+00`;
}

/** Whether it is the name of an IANA zone. An offset such as `+02:00` is none: it would not follow summer time. */
export function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    offsetFormat(name);
    return true;
  } catch {
    return false;
  }
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");
const DATE = /^\d{4}-\d\d-\d\d$/;
/** In a query string a raw `+` arrives as a space: hence the space among the signs of the offset. */
const MOMENT =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?([Zz]|[-+ ]\d\d(?::?\d\d)?)?)?$/;

function parseOffsetMs(offset: string): number | undefined {
  if (offset === "Z" || offset === "z") return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(":", ""));
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

function offsetText(offsetMinutes: number): string {
  const minutes = Math.abs(offsetMinutes);
  const [hh, mm] = [Math.trunc(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"));
  return `${offsetMinutes < 0 ? "-" : "+"}${hh}:${mm}`;
}

/** What the zone's clocks are ahead of UTC at an instant. */
function zoneOffsetMs(instantMs: number, timeZone: string): number {
  if (timeZone === "UTC") return 0;
  // It ends in `GMT-04:00`; where the offset has seconds, in `GMT-04:56:02`.
  const [, sign, hours, minutes, seconds = "0"] =
    /GMT([-+])(\d\d):(\d\d)(?::(\d\d))?$/.exec(offsetFormat(timeZone).format(instantMs)) ?? [];
  if (sign === undefined) throw new Error(`no offset of the time zone ${timeZone} is known`);
  const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS + Number(seconds) * 1000;
  return sign === "-" ? -ms : ms;
}

/** More than there are zones. A name counts in any case, so a map of names alone would have no bound. */
const MOST_FORMATS = 1_000;
const offsetFormats = new Map<string, Intl.DateTimeFormat>();

/** Kept, as making one takes a hundred times as long as using it. */
function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  let format = offsetFormats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    if (offsetFormats.size >= MOST_FORMATS) offsetFormats.clear();
    offsetFormats.set(timeZone, format);
  }
  return format;
}
