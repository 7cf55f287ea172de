import assert from "node:assert/strict";
import { test } from "node:test";
import { readRetryAfter } from "./retry-after.ts";

const NOW = new Date("2026-11-21T12:00:00.000Z");
const IN_A_DAY = "2026-11-22T12:00:00.000Z";

test("a receiver may put us off for a day, and what it says otherwise doesn't count", () => {
  const cases: [string | null, string | undefined][] = [
    ["1", "2026-11-21T12:00:01.000Z"],
    [" 120 ", "2026-11-21T12:02:00.000Z"],
    ["86400", IN_A_DAY],
    ["31536000", IN_A_DAY],
    ["9".repeat(400), IN_A_DAY],
    ["Sat, 21 Nov 2026 12:05:00 GMT", "2026-11-21T12:05:00.000Z"],
    ["Sun, 21 Nov 2027 12:00:00 GMT", IN_A_DAY],
    ["Sat, 21 Nov 2026 12:00:00 GMT", undefined],
    ["Fri, 20 Nov 2026 12:00:00 GMT", undefined],
    ["Sat, 99 Nov 2026 12:00:00 GMT", undefined],
    ["2026-11-21T12:05:00Z", undefined],
    ["0", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    ["1e3", undefined],
    ["soon", undefined],
    ["", undefined],
    [null, undefined],
  ];
  for (const [value, expected] of cases)
    assert.equal(readRetryAfter(value, NOW)?.toISOString(), expected, String(value));
});
