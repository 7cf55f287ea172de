import fc from "fast-check";
import { lessons, paths, type ThingName } from "./model.ts";

export const things: readonly ThingName[] = [...lessons, ...paths];

const who = fc.nat(1);
const lesson = fc.constantFrom(...lessons);
const thing = fc.constantFrom(...things);
/** Yesterday, today and tomorrow of the day when a walk begins, and later. */
const due = fc.constantFrom(null, -1, 0, 1, 70);
/** Which of one's assignments a lesson is taken in; most often none is named. */
const named = fc.option(fc.nat(3), { nil: undefined, freq: 1 });
/** Which attempt, from the newest one backwards: what waits for it first. */
const back = fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2);
/** Which assignment, those that are completed first. */
const pick = fc.constantFrom(0, 0, 0, 0, 1, 2);
const isRight = fc.constantFrom(true, true, true, false);
const percent = fc.constantFrom(0, 49, 50, 51, 75, 100);

const anAssigning = step("assign", { who, thing, due, way: fc.constantFrom("v1", "v1 user", "v2") });

/** What may happen next. */
const aStep = fc.oneof(
  { weight: 9, arbitrary: anAssigning },
  {
    weight: 12,
    arbitrary: step("start", {
      who,
      lesson,
      named,
      isRight: fc.option(isRight, { nil: undefined, freq: 3 }),
    }),
  },
  { weight: 2, arbitrary: step("answer", { back, isRight }) },
  { weight: 7, arbitrary: step("finish", { back }) },
  { weight: 6, arbitrary: step("grade", { back, percent }) },
  { weight: 8, arbitrary: step("take", { who, lesson, named, isRight, percent }) },
  { weight: 5, arbitrary: step("reassign", { pick, due }) },
  { weight: 1, arbitrary: step("due", { pick, due }) },
  { weight: 3, arbitrary: step("remove", { pick }) },
  { weight: 2, arbitrary: step("publish", { lesson, isAskedAgain: fc.boolean() }) },
  { weight: 1, arbitrary: step("archive", { lesson }) },
  { weight: 2, arbitrary: step("restore", { lesson }) },
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

/** What may happen after another, from when something is assigned: all steps with the same chance, not the least first. */
export function someSteps(most: number): fc.Arbitrary<Step[]> {
  const first = fc.array(anAssigning, { minLength: 1, maxLength: 3 });
  const rest = fc.array(aStep, { minLength: most / 2, maxLength: most, size: "max" });
  return fc.noBias(fc.tuple(first, rest).map((parts) => parts.flat()));
}
