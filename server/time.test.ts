import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  isTimeZone,
  parseDate,
  parseMoment,
  startOfToday,
  utcTime,
  utcTimeOrNull,
  zonedTime,
  zonedTimeOrNull,
} from "./time.ts";

const zones = fc.constantFrom("UTC", "America/New_York", ...Intl.supportedValuesOf("timeZone"));
const micros = fc.integer({ min: 0, max: 999 });
const anyMoment = moments("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z");
/** Every zone's offset is whole minutes by then; the last to change was Liberia's, in 1972. */
const recentMoment = moments("1973-01-01T00:00:00Z", "2100-01-01T00:00:00Z");

test("a time goes out in UTC, cut to the second", () => {
  assert.equal(utcTime("2016-04-03 14:55:00+00"), "2016-04-03T14:55:00Z");
  assert.equal(utcTime("2016-04-03 23:59:59.999999+00"), "2016-04-03T23:59:59Z");
  assert.equal(utcTimeOrNull("2016-04-03 14:55:00.1+00"), "2016-04-03T14:55:00Z");
  assert.equal(utcTimeOrNull(null), null);
});

test("a zoned time has milliseconds and the offset of its instant", () => {
  const cases = [
    ["2016-10-13 13:34:24.151999+00", "America/New_York", "2016-10-13T09:34:24.151-04:00"],
    ["2016-12-13 13:34:24.1+00", "America/New_York", "2016-12-13T08:34:24.100-05:00"],
    ["2016-10-13 13:34:24+00", "UTC", "2016-10-13T13:34:24.000+00:00"],
    ["2016-10-13 13:34:24.9999+00", "Etc/UTC", "2016-10-13T13:34:24.999+00:00"],
    ["2016-10-13 20:34:24.15+00", "Asia/Kolkata", "2016-10-14T02:04:24.150+05:30"],
    ["2016-10-13 20:34:24+00", "Asia/Kathmandu", "2016-10-14T02:19:24.000+05:45"],
    ["2016-01-01 02:00:00+00", "America/St_Johns", "2015-12-31T22:30:00.000-03:30"],
  ] as const;
  for (const [text, zone, expected] of cases) assert.equal(zonedTime(text, zone), expected);
  assert.equal(zonedTimeOrNull(cases[0][0], cases[0][1]), cases[0][2]);
  assert.equal(zonedTimeOrNull(null, "UTC"), null);
});

test("the offset changes in the very second in which the clocks change", () => {
  assert.equal(zonedTime("2026-03-29 00:59:59.999999+00", "Europe/Berlin"), "2026-03-29T01:59:59.999+01:00");
  assert.equal(zonedTime("2026-03-29 01:00:00+00", "Europe/Berlin"), "2026-03-29T03:00:00.000+02:00");
  assert.equal(zonedTime("2026-10-25 00:59:59.999999+00", "Europe/Berlin"), "2026-10-25T02:59:59.999+02:00");
  assert.equal(zonedTime("2026-10-25 01:00:00+00", "Europe/Berlin"), "2026-10-25T02:00:00.000+01:00");
  assert.equal(zonedTime("2026-04-04 15:00:00+00", "Australia/Lord_Howe"), "2026-04-05T01:30:00.000+10:30");
});

test("the ends of time stay within four digits", () => {
  assert.equal(zonedTime("0001-01-01 00:00:00+00", "Asia/Tokyo"), "0001-01-01T09:18:00.000+09:18");
  assert.equal(zonedTime("0001-01-01 00:00:00+00", "America/New_York"), "0001-01-01T00:00:00.000+00:00");
  assert.equal(zonedTime("9999-12-31 23:59:59.999999+00", "Asia/Tokyo"), "9999-12-31T23:59:59.999+00:00");
});

test("a zoned time names the same instant, cut to the millisecond", () => {
  fc.assert(
    fc.property(anyMoment, zones, ({ ms, text }, zone) => {
      const zoned = zonedTime(text, zone);
      assert.match(zoned, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[-+]\d\d:\d\d$/);
      assert.equal(Date.parse(zoned), ms);
    }),
    { numRuns: 1_000 },
  );
});

test("a zoned time shows what the clocks of the zone show", () => {
  fc.assert(
    fc.property(recentMoment, zones, ({ ms, text }, zone) => {
      const clock = new Intl.DateTimeFormat("sv-SE", {
        timeZone: zone,
        dateStyle: "short",
        timeStyle: "medium",
      });
      assert.equal(zonedTime(text, zone).slice(0, 19), clock.format(ms).replace(" ", "T"));
    }),
    { numRuns: 300 },
  );
});

test("an ISO 8601 timestamp or a date becomes a moment in UTC", () => {
  const cases = [
    ["2016-04-03", "2016-04-03 00:00:00.000000+00"],
    ["2016-04-03T14:55", "2016-04-03 14:55:00.000000+00"],
    ["2016-04-03T14:55:01", "2016-04-03 14:55:01.000000+00"],
    ["2016-04-03t14:55:01z", "2016-04-03 14:55:01.000000+00"],
    ["2016-04-03 14:55:01.123456+00", "2016-04-03 14:55:01.123456+00"],
    ["2016-04-03T14:55:01.9Z", "2016-04-03 14:55:01.900000+00"],
    ["2016-04-03T14:55:01.999999999Z", "2016-04-03 14:55:01.999999+00"],
    ["2016-04-03T00:55:00+02:00", "2016-04-02 22:55:00.000000+00"],
    ["2016-04-03T14:55:00.5-0430", "2016-04-03 19:25:00.500000+00"],
    ["2016-04-03T14:55:00+05", "2016-04-03 09:55:00.000000+00"],
    ["2024-02-29T23:00:00-01:00", "2024-03-01 00:00:00.000000+00"],
    ["0001-01-01", "0001-01-01 00:00:00.000000+00"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31 23:59:59.999999+00"],
  ] as const;
  for (const [text, expected] of cases) assert.equal(parseMoment(text), expected, text);
});

test("a plus that a query string turned into a space still begins the offset", () => {
  assert.equal(parseMoment("2016-04-03T14:55:00 02:00"), "2016-04-03 12:55:00.000000+00");
  assert.equal(parseMoment("2016-04-03 14:55:00.25 0200"), "2016-04-03 12:55:00.250000+00");
  assert.equal(parseMoment("2016-04-03T14:55 02"), "2016-04-03 12:55:00.000000+00");
});

test("what is no moment is refused", () => {
  const refused = [
    ["", "now", "infinity", "2016", "2016-04", "20160403", "1459695300", "2016-4-3", " 2016-04-03"],
    ["2026-02-30", "2023-02-29", "2016-13-01", "2016-00-01", "2016-04-00", "2016-04-31T00:00:00Z"],
    ["0000-12-31", "0000-12-31T23:00:00-05:00", "10000-01-01", "-0001-01-01", "2016-04-03 BC"],
    ["2016-04-03T24:00:00Z", "2016-04-03T23:60:00Z", "2016-04-03T23:59:60Z", "2016-04-03T14"],
    ["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2016-04-03T14:55:00+24:00"],
    ["2016-04-03T14:55:00+02:60", "2016-04-03T14:55:00+2", "2016-04-03T14:55:00+", "2016-04-03T"],
    ["2016-04-03T14:55:00.Z", "2016-04-03T14:55:00.1234567891Z", "2016-04-03T14:55:00,5Z"],
    ["2016-04-03\0", "2016-04-03\n", "2016-04-03T14:55:00Z\n", "2016-04-03T14:55:00Z;", "٢٠١٦-٠٤-٠٣"],
    ["2016-04-03  14:55:00", "2016-04-03_14:55:00", "2016-04-03Z", "2016-04-03T14:55:00 UTC"],
  ].flat();
  for (const text of refused) assert.equal(parseMoment(text), undefined, JSON.stringify(text));
});

test("a moment goes out and comes back as it was", () => {
  fc.assert(
    fc.property(anyMoment, ({ text }) => {
      const moment = parseMoment(text);
      assert.equal(moment, text);
      assert.equal(parseMoment(utcTime(text)), `${text.slice(0, 19)}.000000+00`);
    }),
    { numRuns: 1_000 },
  );
});

test("a moment read back from any zone is the same, cut to the millisecond", () => {
  fc.assert(
    fc.property(anyMoment, zones, ({ text }, zone) => {
      const zoned = zonedTime(text, zone);
      const expected = `${text.slice(0, 23)}000+00`;
      assert.equal(parseMoment(zoned), expected);
      assert.equal(parseMoment(zoned.replace("+", " ")), expected);
    }),
    { numRuns: 1_000 },
  );
});

test("cutting never rounds up, however many digits come in", () => {
  fc.assert(
    fc.property(anyMoment, fc.stringMatching(/^[0-9]{1,9}$/), zones, ({ text }, fraction, zone) => {
      const moment = parseMoment(`${text.slice(0, 19)}.${fraction}Z`);
      assert.ok(moment !== undefined);
      assert.equal(moment.slice(20, 26), `${fraction}000000`.slice(0, 6));
      assert.equal(utcTime(moment), `${text.slice(0, 10)}T${text.slice(11, 19)}Z`);
      assert.equal(zonedTime(moment, zone).slice(20, 23), `${fraction}00`.slice(0, 3));
    }),
  );
});

test("no text makes it throw", () => {
  const near = fc.stringMatching(/^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}[Zz+ -][0-9:]*$/);
  fc.assert(
    fc.property(fc.oneof(fc.string(), near), (text) => {
      const moment = parseMoment(text);
      if (moment !== undefined) assert.match(moment, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/);
    }),
    { numRuns: 1_000 },
  );
});

test("a date is a day that exists", () => {
  for (const text of ["2026-11-21", "2024-02-29", "0001-01-01", "9999-12-31"])
    assert.equal(parseDate(text), text);
  const refused = [
    "2026-02-30",
    "2023-02-29",
    "1900-02-29",
    "0000-01-01",
    "2026-11-21T00:00:00Z",
    "2026-11-21\n",
    "",
  ];
  for (const text of refused) assert.equal(parseDate(text), undefined, JSON.stringify(text));
});

test("today begins at midnight UTC of the date that the zone's calendar shows", () => {
  const now = new Date("2026-11-21T03:30:00Z");
  assert.equal(startOfToday(now, "UTC"), "2026-11-21 00:00:00+00");
  assert.equal(startOfToday(now, "Asia/Tokyo"), "2026-11-21 00:00:00+00");
  assert.equal(startOfToday(now, "America/New_York"), "2026-11-20 00:00:00+00");
  assert.equal(
    startOfToday(new Date("2026-11-21T12:00:00Z"), "Pacific/Kiritimati"),
    "2026-11-22 00:00:00+00",
  );
  assert.equal(startOfToday(new Date("2026-11-21T11:59:59Z"), "Pacific/Pago_Pago"), "2026-11-21 00:00:00+00");
});

test("a time zone is a name of the IANA database", () => {
  for (const name of Intl.supportedValuesOf("timeZone")) assert.ok(isTimeZone(name), name);
  for (const name of ["UTC", "Etc/UTC", "US/Eastern", "Asia/Calcutta"]) assert.ok(isTimeZone(name), name);
  for (const name of ["+02:00", "-05", "+0200", "", "Mars/Olympus", " UTC", "UTC\0"]) {
    assert.ok(!isTimeZone(name), name);
  }
});

/** Instants between two ends, as the milliseconds that they are cut to and as PostgreSQL's text. */
function moments(from: string, to: string): fc.Arbitrary<{ ms: number; text: string }> {
  return fc.tuple(fc.integer({ min: Date.parse(from), max: Date.parse(to) }), micros).map(([ms, more]) => {
    const iso = new Date(ms).toISOString();
    const text = `${iso.slice(0, 10)} ${iso.slice(11, 23)}${String(more).padStart(3, "0")}+00`;
    return { ms, text };
  });
}
