import { Type, type Static } from "typebox";
import { CursorQuery, listOf } from "../http/cursor.ts";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";
import { UserSummary } from "../users/schema.ts";

/** Conditions of one rule: more are a list of people, which belongs into the group itself. */
const MOST_CONDITIONS = 50;
/** Values of one `in`. */
const MOST_VALUES = 1_000;
const MOST_VALUE_CHARACTERS = 500;

export const ruleFields = [
  "name",
  "email_domain",
  "role_id",
  "job_title",
  "business_unit",
  "department",
  "location",
  "locale",
  "hire_date",
  "manager_name",
  "custom_user_field",
] as const;
export type RuleField = (typeof ruleFields)[number];

export const ruleOps = [
  "is",
  "is_not",
  "in",
  "starts_with",
  "contains",
  "before",
  "after",
  "is_empty",
] as const;
export type RuleOp = (typeof ruleOps)[number];

type Value = string | number | (string | number)[];
const valueText = { maxLength: MOST_VALUE_CHARACTERS } as const;

const RuleCondition = closed({
  field: Type.Unsafe<RuleField>({ type: "string", enum: ruleFields }),
  custom_user_field_id: Type.Optional(
    Type.Integer({ minimum: 1, description: "Which field, where `field` is `custom_user_field`." }),
  ),
  op: Type.Unsafe<RuleOp>({ type: "string", enum: ruleOps }),
  value: Type.Optional(
    Type.Unsafe<Value>({
      type: ["string", "integer", "array"],
      ...valueText,
      items: { type: ["string", "integer"], ...valueText },
      minItems: 1,
      maxItems: MOST_VALUES,
      description:
        "What the field is compared with, without regard to case: a list for `in`, nothing for `is_empty`, a date for `before` and `after`, a role's id for `role_id`.",
    }),
  ),
});
export type RuleCondition = Static<typeof RuleCondition>;

/** Conditions over the profile of a user, which fill a group. */
export const GroupRule = closed(
  {
    match: Type.Unsafe<"all" | "any">({
      type: "string",
      enum: ["all", "any"],
      description: "Whether a user has to meet all conditions, or any one of them.",
    }),
    conditions: Type.Array(RuleCondition, { minItems: 1, maxItems: MOST_CONDITIONS }),
  },
  {
    examples: [
      {
        match: "all",
        conditions: [
          { field: "department", op: "is", value: "Sales" },
          { field: "hire_date", op: "after", value: "2026-01-01" },
        ],
      },
    ],
  },
);
export type GroupRule = Static<typeof GroupRule>;

const Rule = nullable(GroupRule, { description: "Null where people fill the group." });

const name = Type.String({
  maxLength: 255,
  pattern: "\\S",
  description: "Can't be empty; spaces around it are cut off.",
});

const profile = {
  id: Id,
  name: Type.String(),
  rule: Rule,
  rule_error: nullable(Type.String(), {
    description: "Why the rule is not applied: until it is changed nobody joins or leaves by it.",
  }),
  created_at: Time,
  archived_at: nullable(Time),
};

/** A group as version 2 shows it; its members are a list of their own. */
export const GroupProfile = component("GroupProfile", closed(profile));
export type GroupProfile = Static<typeof GroupProfile>;
export const GroupProfiles = listOf(ref(GroupProfile));

export const GroupsQuery = closed({
  ...CursorQuery,
  "filter[q]": Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "A part of the name, in any case." }),
  ),
  "filter[archived]": Type.Optional(
    Type.Boolean({ description: "`true` for archived groups, `false` for active ones; both without." }),
  ),
});
export type GroupsQuery = Static<typeof GroupsQuery>;

export const NewGroupProfile = closed(
  { name, rule: Type.Optional(Rule) },
  { examples: [{ name: "Sales", rule: null }] },
);
export const GroupProfileUpdate = closed({ name: Type.Optional(name), rule: Type.Optional(Rule) });
export type GroupProfileUpdate = Static<typeof GroupProfileUpdate>;

export const Deleted = closed({ id: Id });

export const GroupMember = component(
  "GroupMember",
  closed({
    user: ref(UserSummary),
    by_rule: Type.Boolean({ description: "Whether the group's rule made them a member." }),
  }),
);
export const GroupMembers = listOf(ref(GroupMember));
export const MembersQuery = closed(CursorQuery);

export const MemberParams = Type.Object({ group_id: Id, user_id: Id });

export const Membership = component(
  "Membership",
  closed({
    group_id: Id,
    user_id: Id,
    role: Type.Unsafe<"member" | "manager">({ type: "string", enum: ["member", "manager"] }),
  }),
);

export const RulePreviewBody = closed({
  rule: GroupRule,
  group_id: Type.Optional(
    Type.Integer({ minimum: 1, description: "The group that would have the rule: who is in it now counts." }),
  ),
});
export type RulePreviewBody = Static<typeof RulePreviewBody>;

export const RulePreviewUser = component(
  "RulePreviewUser",
  closed({ id: Id, name: Type.String(), email: Type.String() }),
);
/** How many of those who would join and leave are named. */
export const SHOWN_IN_PREVIEW = 50;
const moved = closed({
  total: Type.Integer({ minimum: 0 }),
  first: Type.Array(ref(RulePreviewUser), { description: `The first ${SHOWN_IN_PREVIEW}, by id.` }),
});
export const RulePreview = component(
  "RulePreview",
  closed({ matching: Type.Integer({ minimum: 0 }), joining: moved, leaving: moved }),
);
