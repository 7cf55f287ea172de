import { Type, type Static } from "typebox";
import { CursorQuery } from "../http/cursor.ts";
import { closed, component, Id, Links, nullable, ref, Time } from "../http/schema.ts";
import { MOST_QUERY_CHARACTERS } from "../search/query.ts";
import { Language } from "../search/schema.ts";
import { Tag } from "../tags/schema.ts";
import { PublishedStep, StepInput } from "./v2-step-schema.ts";

const text = Type.String();

const shownSettings = {
  title: text,
  description: text,
  language: Language,
  enforced_order: Type.Boolean({ description: "Whether learners take the steps one after the other." }),
  public: Type.Boolean({ description: "Whether it is in the library, once it is published." }),
  is_certification: Type.Boolean({ description: "Whether who completes it gets a certificate." }),
  valid_months: nullable(Type.Integer(), { description: "For how many months a certificate is valid." }),
  valid_until_day: nullable(text, {
    description:
      "Until which day of a year a certificate is valid, MM-DD. With neither it is valid for ever.",
  }),
  renewal_days: Type.Integer({
    description: "How many days before a certificate ends the path is assigned anew.",
  }),
  counts_elsewhere: Type.Boolean({
    description: "Whether lessons count that the learner has completed outside the path.",
  }),
};

/** The settings of a path as answers show them, with its tags by their ids. */
export const pathSettings = { ...shownSettings, tag_ids: Type.Array(Id) };

/** A path as the catalogue shows it: as it was last published, or begun. */
export const PathOverview = component(
  "PathOverview",
  closed({
    id: Id,
    resource_type: Type.Literal("path"),
    ...shownSettings,
    owner_id: nullable(Id, { description: "Whose it is; null for the company's." }),
    published_version: nullable(
      Type.Integer({ description: "The version that people take; null where none was published here yet." }),
    ),
    published_at: nullable(Time),
    publisher_id: nullable(Id),
    created_at: Time,
    last_updated_at: nullable(Time),
    archived_at: nullable(Time),
    archived_by_user_id: nullable(Id),
    tags: Type.Array(ref(Tag)),
    links: ref(Links),
  }),
);
export type PathOverview = Static<typeof PathOverview>;

/** A path with its steps as they are published, on its own level. */
export const PathWithSteps = component(
  "PathWithSteps",
  closed({ ...PathOverview.properties, contents: Type.Array(ref(PublishedStep)) }),
);
export type PathWithSteps = Static<typeof PathWithSteps>;

const flag = Type.Unsafe<"true" | "false">({ type: "string", enum: ["true", "false"] });

export const PathsQuery = closed({
  ...CursorQuery,
  "filter[q]": Type.Optional(
    Type.String({
      maxLength: MOST_QUERY_CHARACTERS,
      description: "Words of its title, tags or description.",
    }),
  ),
  "filter[tag_id]": Type.Optional(Id),
  "filter[archived]": Type.Optional({
    ...flag,
    description: "Whether it is archived; both where it is left out.",
  }),
  "filter[published]": Type.Optional({ ...flag, description: "Whether it was ever published here." }),
  "filter[mine]": Type.Optional({ ...flag, description: "Whether one is its owner or an author of it." }),
});
export type PathsQuery = Static<typeof PathsQuery>;

/** An id in a body: what is larger names nothing, and no column holds it. */
const BodyId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** Tags of one path: more say nothing. */
const MOST_TAGS = 100;
/** Steps of one path on its own level: more than anyone takes. */
const MOST_STEPS = 1_000;

const settings = {
  title: Type.String({ maxLength: 1000, pattern: "\\S", description: "Can't be empty." }),
  description: Type.String({ maxLength: 10_000 }),
  language: Language,
  enforced_order: Type.Boolean(),
  public: Type.Boolean(),
  is_certification: Type.Boolean(),
  valid_months: nullable(Type.Integer({ minimum: 1, maximum: 1200 })),
  valid_until_day: nullable(
    Type.String({ pattern: "^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$", description: "MM-DD." }),
  ),
  renewal_days: Type.Integer({ minimum: 0, maximum: 365 }),
  counts_elsewhere: Type.Boolean(),
  tag_ids: Type.Array(BodyId, { maxItems: MOST_TAGS }),
};

const contents = Type.Array(StepInput, { maxItems: MOST_STEPS });

export const PathReplacement = closed(
  { ...settings, contents },
  {
    examples: [
      {
        title: "Onboarding",
        description: "",
        language: "en",
        enforced_order: true,
        public: false,
        is_certification: false,
        valid_months: null,
        valid_until_day: null,
        renewal_days: 30,
        counts_elsewhere: true,
        tag_ids: [],
        contents: [],
      },
    ],
  },
);
export type PathReplacement = Static<typeof PathReplacement>;

export const PathChange = Type.Partial(closed({ ...settings, contents }), {
  additionalProperties: false,
  examples: [{ title: "Onboarding" }],
});
export type PathChange = Static<typeof PathChange>;

const { title, ...others } = PathChange.properties;
export const NewPath = closed({ title: settings.title, ...others }, { examples: [{ title: "Onboarding" }] });
export type NewPath = Static<typeof NewPath>;

export const PathCopy = closed({ title }, { examples: [{ title: "Onboarding, shorter" }] });
export type PathCopy = Static<typeof PathCopy>;
