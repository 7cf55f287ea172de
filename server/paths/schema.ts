import { Type, type Static } from "typebox";
import {
  archiveState,
  closed,
  component,
  Id,
  Links,
  nullable,
  ref,
  Time,
  ZonedTime,
} from "../http/schema.ts";
import { Tag } from "../tags/schema.ts";

const text = Type.String();

export const LessonContent = component(
  "LessonContent",
  closed({ resource_type: Type.Literal("lesson"), id: Id, title: text, ...archiveState }),
);

export const WaitStepContent = component(
  "WaitStepContent",
  closed({
    resource_type: Type.Literal("wait_step"),
    id: Id,
    effect: Type.String({ examples: ["locked"] }),
    condition: Type.String({ examples: ["prev_step_finished"] }),
    unit: Type.String({ examples: ["days"] }),
    amount: Type.Integer({ minimum: 0 }),
  }),
);

export const PlaceholderContent = component(
  "PlaceholderContent",
  closed({ resource_type: Type.Literal("placeholder"), id: Id, description: nullable(text) }),
);

const contents = Type.Array(Type.Unsafe<PathContent>({ $ref: "PathContent#" }), {
  description: "What is in the path, in order.",
});

export const NestedPathContent = component(
  "NestedPathContent",
  closed({ resource_type: Type.Literal("path"), id: Id, title: text, ...archiveState, contents }),
);

/** What the schema of a nested path says; written out, as a type can't be inferred from itself. */
interface NestedPathContent {
  resource_type: "path";
  id: number;
  title: string;
  archived_at: string | null;
  archived_by_user_id: number | null;
  contents: PathContent[];
}

/** An item of a path, told apart by its resource_type; a path within a path has contents of its own. */
export type PathContent =
  | Static<typeof LessonContent>
  | Static<typeof WaitStepContent>
  | Static<typeof PlaceholderContent>
  | NestedPathContent;

export const PathContent = component(
  "PathContent",
  Type.Union([ref(LessonContent), ref(WaitStepContent), ref(NestedPathContent), ref(PlaceholderContent)]),
);

const is_certification = Type.Boolean();

const described = {
  public: Type.Boolean(),
  created_at: Time,
  last_updated_at: nullable(Time),
  published_at: nullable(ZonedTime),
  publisher_id: nullable(Id, { description: "The user who published it." }),
  tags: Type.Array(ref(Tag)),
  links: ref(Links),
};

/** A path in a list of version 1. */
export const PathSummary = component(
  "PathSummary",
  closed({ id: Id, title: text, ...archiveState, is_certification }),
);

/** A path in a list of version 1.1. */
export const ListedPath = component(
  "ListedPath",
  closed({
    resource_type: Type.Literal("path"),
    id: Id,
    title: text,
    ...archiveState,
    ...described,
    is_certification,
  }),
);

const whole = {
  resource_type: Type.Literal("path"),
  title: text,
  description: text,
  enforced_order: Type.Boolean({ description: "Whether learners take the contents one after the other." }),
  ...described,
  ...archiveState,
  is_certification,
  contents,
};

/** A path as its own answer. */
export const Path = component("Path", closed({ id: Id, type: Type.Literal("path"), ...whole }));

/** A path in the list of a tag. */
export const TaggedPath = component("TaggedPath", closed({ id: Id, ...whole }));

export const PathSummaryList = closed({ type: Type.Literal("paths"), paths: Type.Array(ref(PathSummary)) });
export const ListedPathList = closed({ type: Type.Literal("paths"), paths: Type.Array(ref(ListedPath)) });
export const TaggedPathList = closed({ type: Type.Literal("tag_paths"), paths: Type.Array(ref(TaggedPath)) });

export const PathParams = Type.Object({ path_id: Id });
