import type { StructureItem } from "../paths/contents.ts";
import { momentAfter, startOfDate } from "../time.ts";

type WaitStep = Extract<StructureItem, { resource_type: "wait_step" }>;

const HOUR_MS = 3_600_000;
const unitsMs = new Map([
  ["hours", HOUR_MS],
  ["days", 24 * HOUR_MS],
  ["weeks", 7 * 24 * HOUR_MS],
]);

/**
 * When a wait step opens what stands behind it: so long after the step before it was finished, or at the first moment
 * of a day in the company's time zone.
 * @param previous when the step before was finished; null while it is not.
 * @returns at: null where nobody can say yet. What can't be understood (imported, of another system) keeps nobody waiting.
 */
export function findOpening(
  { effect, condition, unit, amount, wait_until }: WaitStep,
  { previous, time_zone, begun_at }: { previous: string | null; time_zone: string; begun_at: string },
): { readonly at: string | null } {
  if (effect === "locked" && condition === "date" && wait_until !== null) {
    return { at: startOfDate(wait_until, time_zone) };
  }
  const unitMs = unitsMs.get(unit);
  if (effect === "locked" && condition === "prev_step_finished" && unitMs !== undefined) {
    return { at: previous === null ? null : momentAfter(previous, amount * unitMs) };
  }
  return { at: previous ?? begun_at };
}
