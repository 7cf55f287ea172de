import assert from "node:assert/strict";
import { test } from "node:test";
import { daysBetween, morningOf, nextMorning, shiftDate, todayIn, workingMorning } from "./pace.ts";

test("morning is nine by the clock of the zone, also on the days when the clocks change", () => {
  for (const [date, zone, moment] of [
    ["2030-01-07", "UTC", "2030-01-07 09:00:00.000+00"],
    ["2030-01-07", "Asia/Kolkata", "2030-01-07 03:30:00.000+00"],
    ["2030-01-07", "Pacific/Kiritimati", "2030-01-06 19:00:00.000+00"],
    ["2030-03-09", "America/New_York", "2030-03-09 14:00:00.000+00"],
    ["2030-03-10", "America/New_York", "2030-03-10 13:00:00.000+00"],
    ["2030-11-03", "America/New_York", "2030-11-03 14:00:00.000+00"],
    ["2030-03-31", "Europe/Berlin", "2030-03-31 07:00:00.000+00"],
  ] as const) {
    assert.equal(morningOf(date, zone), moment, `${date} ${zone}`);
  }
});

test("the next morning is today's until nine, and tomorrow's from then on", () => {
  const zone = "Asia/Tokyo";
  assert.equal(nextMorning(new Date("2030-01-06T23:59:59Z"), zone), "2030-01-07 00:00:00.000+00");
  assert.equal(nextMorning(new Date("2030-01-07T00:00:00Z"), zone), "2030-01-08 00:00:00.000+00");
  assert.equal(nextMorning(new Date("2030-12-31T15:00:00Z"), zone), "2031-01-01 00:00:00.000+00");
});

test("what is found at night is for the next morning, what is found by day for this one's", () => {
  const zone = "Asia/Tokyo";
  for (const [now, morning] of [
    ["2030-01-06T15:30:00Z", "2030-01-07 00:00:00.000+00"],
    ["2030-01-07T08:59:59Z", "2030-01-07 00:00:00.000+00"],
    ["2030-01-07T09:00:00Z", "2030-01-08 00:00:00.000+00"],
  ] as const) {
    assert.equal(workingMorning(new Date(now), zone), morning, now);
  }
});

test("days are counted by the calendar where somebody is", () => {
  const late = new Date("2030-01-07T20:00:00Z");
  assert.deepEqual([todayIn(late, "UTC"), todayIn(late, "Asia/Tokyo")], ["2030-01-07", "2030-01-08"]);
  assert.equal(shiftDate("2030-02-28", 1), "2030-03-01");
  assert.equal(shiftDate("2032-03-01", -1), "2032-02-29");
  assert.deepEqual(
    [daysBetween("2030-03-30", "2030-04-01"), daysBetween("2030-01-02", "2030-01-01")],
    [2, -1],
  );
});
