import { Type, type Static } from "typebox";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";

const StepId = Type.String({
  description: "Names the step in its path, such as lesson-12, or lesson-12-2 for the second time.",
});
const text = Type.String();
const shownId = { step_id: StepId };
const titled = { title: text, archived_at: nullable(Time, { description: "What is archived is skipped." }) };
const wait = {
  effect: Type.String({ description: "`locked`: what stands behind it can't be taken before." }),
  condition: Type.String({
    description:
      "`prev_step_finished`: so long after the step before was finished; `date`: at the day wait_until.",
  }),
  unit: Type.String({ examples: ["hours", "days", "weeks"] }),
  amount: Type.Integer(),
  wait_until: nullable(text, { description: "A date, in the company's time zone." }),
};

export const PathLessonStep = component(
  "PathLessonStep",
  closed({ ...shownId, type: Type.Literal("lesson"), lesson_id: Id, ...titled }),
);
export const PathNestedStep = component(
  "PathNestedStep",
  closed({ ...shownId, type: Type.Literal("path"), path_id: Id, ...titled }),
);
export const PathWaitStep = component(
  "PathWaitStep",
  closed({ ...shownId, type: Type.Literal("wait_step"), id: Id, ...wait }),
);
export const PathPlaceholderStep = component(
  "PathPlaceholderStep",
  closed({ ...shownId, type: Type.Literal("placeholder"), id: Id, description: nullable(text) }),
);

/** A step of a path, told apart by its type. */
export const PublishedStep = component(
  "PathStep",
  Type.Union([ref(PathLessonStep), ref(PathNestedStep), ref(PathWaitStep), ref(PathPlaceholderStep)]),
);
export type PublishedStep = Static<typeof PublishedStep>;

const types = ["lesson", "path", "wait_step", "placeholder"] as const;
const BodyId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const readOnly = { description: "Read-only: ignored, so that a step can be sent back as it came." };
const units = ["hours", "days", "weeks"] as const;
/** Ten years of hours: who waits longer has no path. */
const MOST_UNITS = 87_600;

const fields = {
  lesson_id: Type.Optional(BodyId),
  path_id: Type.Optional(BodyId),
  effect: Type.Optional(Type.Literal("locked")),
  condition: Type.Optional(
    Type.Unsafe<"prev_step_finished" | "date">({ type: "string", enum: ["prev_step_finished", "date"] }),
  ),
  unit: Type.Optional(Type.Unsafe<(typeof units)[number]>({ type: "string", enum: [...units] })),
  amount: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_UNITS })),
  wait_until: Type.Optional(nullable(Type.String({ maxLength: 10 }), { description: "A date, YYYY-MM-DD." })),
  description: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
};

/** What a step says of itself. Which of the fields it needs follows from its type. */
export const StepFields = closed(fields, { examples: [{ amount: 3, unit: "days" }] });
export type StepFields = Static<typeof StepFields>;

const step = {
  type: Type.Unsafe<(typeof types)[number]>({ type: "string", enum: [...types] }),
  id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Of a wait step or a placeholder that the path has already; left out for a new one.",
    }),
  ),
  ...fields,
};

/** A step as a body gives it. */
export const StepInput = closed({
  ...step,
  step_id: Type.Optional(Type.String(readOnly)),
  title: Type.Optional(Type.String(readOnly)),
  archived_at: Type.Optional(nullable(Type.String(readOnly))),
});
export type StepInput = Static<typeof StepInput>;

const position = Type.Integer({ minimum: 0, description: "Before which step it stands, counted from 0." });

const { id: _id, ...ofNewStep } = step;
export const NewStep = closed(
  { ...ofNewStep, position: Type.Optional(position) },
  { examples: [{ type: "lesson", lesson_id: 1 }] },
);
export type NewStep = Static<typeof NewStep>;

export const StepMove = closed({ position }, { examples: [{ position: 0 }] });

export const StepParams = Type.Object({
  path_id: Id,
  step_id: Type.String({
    pattern: "^[a-z_]{4,11}-[0-9]{1,16}(-[0-9]{1,5})?$",
    description: "Must be the step_id of a step of the draft, such as lesson-12.",
  }),
});
