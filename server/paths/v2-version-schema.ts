import { Type, type Static } from "typebox";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";
import { pathSettings } from "./v2-schema.ts";
import { PublishedStep } from "./v2-step-schema.ts";

/** A path as its authors work on it. */
export const PathDraft = component(
  "PathDraft",
  closed({
    id: Type.Integer({ description: "The path's id." }),
    resource_type: Type.Literal("path_draft"),
    ...pathSettings,
    contents: Type.Array(ref(PublishedStep)),
    based_on: nullable(Type.Integer({ description: "The version that the draft was begun from." })),
    updated_at: nullable(Time, { description: "Null for a path that nobody has edited here yet." }),
    updated_by: nullable(Id),
  }),
);
export type PathDraft = Static<typeof PathDraft>;

const LEARNERS = ["nothing", "tell", "ask_again"] as const;
const learners = Type.Unsafe<(typeof LEARNERS)[number]>({
  type: "string",
  enum: [...LEARNERS],
  description:
    "What publishing means for learners: nothing; they are told; or who has completed the path is asked to take it again.",
});

const published = {
  path_id: Id,
  number: Type.Integer({ description: "Versions are numbered from 1." }),
  resource_type: Type.Literal("path_version"),
  title: Type.String(),
  note: nullable(Type.String()),
  learners,
  due_by: nullable(Time),
  published_at: Time,
  published_by: nullable(Id, { description: "Null for a key." }),
};

const kinds = ["added", "removed", "moved", "changed"] as const;

const changes = closed({
  settings: Type.Array(Type.String({ description: "A setting whose value is another one." })),
  contents: Type.Array(
    closed({
      step_id: Type.String(),
      change: Type.Unsafe<(typeof kinds)[number]>({ type: "string", enum: [...kinds] }),
    }),
  ),
});
export type PathDiff = Static<typeof changes>;

/** A version in a list. */
export const PathVersionSummary = component("PathVersionSummary", closed(published));
export type PathVersionSummary = Static<typeof PathVersionSummary>;

/** What publishing did. */
export const PathPublication = component(
  "PathPublication",
  closed({
    ...published,
    changes,
    asked_again: Type.Integer({ description: "Whose assignments begin anew." }),
    completed: Type.Integer({ description: "Whose assignments are complete by what was taken out." }),
  }),
);
export type PathPublication = Static<typeof PathPublication>;

/** What was published, for ever. */
export const PathVersion = component(
  "PathVersion",
  closed({ ...published, ...pathSettings, changes, contents: Type.Array(ref(PublishedStep)) }),
);
export type PathVersion = Static<typeof PathVersion>;

export const PathVersionParams = Type.Object({
  path_id: Id,
  version: Type.Integer({ minimum: 1, description: "The version's number." }),
});

export const PathPublishing = closed(
  {
    note: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
    learners: Type.Optional(learners),
    due_by: Type.Optional(
      nullable(Type.String({ format: "moment" }), {
        description: "With `ask_again`: a date (its midnight UTC) or an ISO 8601 timestamp.",
      }),
    ),
  },
  { examples: [{ note: "A lesson on fire", learners: "nothing" }] },
);
export type PathPublishing = Static<typeof PathPublishing>;
