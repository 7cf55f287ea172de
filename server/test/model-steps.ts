import fc from "fast-check";
import { lessons, paths, type ThingName } from "./model.ts";

export const things: readonly ThingName[] = [...lessons, ...paths];

const who = fc.nat(1);
const lesson = fc.constantFrom(...lessons);
const thing = fc.constantFrom(...things);
/** In days from the beginning. */
const due = fc.constantFrom(null, "2026-11-20", "2026-11-21", "2026-11-22", "2027-01-31T23:59:59Z");
const named = fc.option(thing, { nil: undefined, freq: 2 });
/** The latest attempt at a lesson, or the one before it. */
const back = fc.constantFrom(0, 0, 0, 1);

/** What may happen next. */
export const aStep = fc.oneof(
  { weight: 5, arbitrary: step("assign", { who, thing, due, way: fc.constantFrom("v1", "v1 user", "v2") }) },
  { weight: 6, arbitrary: step("start", { who, lesson, named }) },
  {
    weight: 4,
    arbitrary: step("answer", { who, lesson, back, isRight: fc.constantFrom(true, true, false) }),
  },
  { weight: 5, arbitrary: step("finish", { who, lesson, back }) },
  { weight: 4, arbitrary: step("grade", { who, back, percent: fc.integer({ min: 0, max: 100 }) }) },
  { weight: 3, arbitrary: step("take", { who, lesson, named }) },
  { weight: 2, arbitrary: step("reassign", { who, thing, due }) },
  { weight: 1, arbitrary: step("due", { who, thing, due }) },
  { weight: 2, arbitrary: step("remove", { who, thing }) },
  { weight: 2, arbitrary: step("publish", { lesson, isAskedAgain: fc.boolean() }) },
  { weight: 1, arbitrary: step("archive", { lesson }) },
  { weight: 1, arbitrary: step("restore", { lesson }) },
  { weight: 1, arbitrary: step("wait", { days: fc.integer({ min: 1, max: 2 }) }) },
);

function step<const Name extends string, Fields extends object>(
  name: Name,
  fields: { readonly [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
) {
  return fc.record<Fields>(fields).map((given) => ({ name, ...given }));
}

export type Step = typeof aStep extends fc.Arbitrary<infer Value> ? Value : never;
export type StepOf<Name extends Step["name"]> = Extract<Step, { name: Name }>;
