import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { momentText } from "../time.ts";
import { describeSteps } from "./path-steps.ts";

const someSteps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("lesson" as const),
      status: fc.constantFrom("Incomplete" as const, "Grade Pending" as const, "Completed" as const),
      hour: fc.nat({ max: 48 }),
    }),
    fc.record({ kind: fc.constant("wait" as const), hours: fc.nat({ max: 30 }) }),
  ),
  { maxLength: 7 },
);

test("whatever is finished when, the steps are locked as the rules say", () => {
  const begun = Date.parse("2026-03-01T00:00:00Z");
  const hour = 3_600_000;
  fc.assert(
    fc.property(someSteps, fc.boolean(), fc.nat({ max: 96 }), (given, isEnforced, nowHour) => {
      const items = given.map((step, index) =>
        step.kind === "lesson"
          ? {
              ...{ path_id: 1, resource_type: "lesson" as const, id: index, title: `${index}` },
              ...{ archived_at: null, archived_by_user_id: null },
            }
          : { path_id: 1, id: index, ...waitOf(step.hours) },
      );
      const progress = new Map(
        given.flatMap((step, index) =>
          step.kind === "lesson" ? [[index, stateOf(step.status, begun + step.hour * hour)] as const] : [],
        ),
      );
      const steps = describeSteps(
        {
          structures: new Map([[1, items]]),
          enforced: new Set(isEnforced ? [1] : []),
          progress,
          begun_at: momentText(begun),
          now: new Date(begun + nowHour * hour),
          time_zone: "UTC",
        },
        1,
      );
      // The model: when a step is over, in hours; null while nobody can say.
      const over: (number | null)[] = [];
      for (const [index, step] of given.entries()) {
        const before = index === 0 ? 0 : (over[index - 1] ?? null);
        if (step.kind === "lesson") over.push(step.status === "Completed" ? step.hour : null);
        else over.push(before === null ? null : before + step.hours);
      }
      for (const [index, step] of given.entries()) {
        const isLocked = given.slice(0, index).some((earlier, place) => {
          const end = over[place] ?? null;
          return earlier.kind === "wait" ? end === null || end > nowHour : isEnforced && end === null;
        });
        const { state } = steps[index] ?? assert.fail();
        if (step.kind === "wait") {
          const end = over[index] ?? null;
          if (end === null || end > nowHour) assert.equal(state, "locked");
          else assert.equal(state, "done");
        } else if (step.status === "Incomplete") assert.equal(state, isLocked ? "locked" : "open");
        else assert.equal(state, step.status === "Completed" ? "done" : "grade_pending");
      }
    }),
    { numRuns: 500 },
  );
});

function waitOf(amount: number) {
  return {
    resource_type: "wait_step" as const,
    effect: "locked",
    condition: "prev_step_finished",
    unit: "hours",
    amount,
    wait_until: null,
  };
}

function stateOf(status: "Incomplete" | "Grade Pending" | "Completed", atMs: number) {
  const completed_at = status === "Completed" ? momentText(atMs) : null;
  return { status, score: null, started_at: null, completed_at };
}
