import { Type, type Static } from "typebox";
import { archiveState, closed, component, Id, ref } from "../http/schema.ts";
import { GroupName, UserSummary } from "../users/schema.ts";

/** More elements than this in one array of a body are refused: a request stays within seconds. */
const MOST_ELEMENTS = 10_000;

const state = { name: Type.String(), ...archiveState };

export const ListedGroup = closed({ id: Id, ...state });
export const GroupList = closed({ type: Type.Literal("groups"), groups: Type.Array(ListedGroup) });

/** A group as its own answer. */
export const Group = component(
  "Group",
  closed({
    id: Id,
    type: Type.Unsafe<"group" | "create_group" | "update_group">({
      type: "string",
      enum: ["group", "create_group", "update_group"],
    }),
    resource_type: Type.Literal("group"),
    ...state,
    members: Type.Array(ref(UserSummary)),
    managers: Type.Array(ref(UserSummary)),
  }),
);

export const DeletedGroup = closed({ type: Type.Literal("delete_group"), id: Type.String(), ...state });

export const GroupAssignments = Type.Array(
  closed({
    id: Id,
    assignable_id: Id,
    assignable_type: Type.Unsafe<"Lesson" | "LearningPaths::Path" | "Course">({
      type: "string",
      enum: ["Lesson", "LearningPaths::Path", "Course"],
    }),
    group_id: Id,
  }),
);

export const GroupParams = Type.Object({ group_id: Id });

const name = Type.String({
  maxLength: 255,
  pattern: "\\S",
  description: "Can't be empty; spaces around it are cut off.",
});

const People = Type.Optional(
  Type.Array(Type.Object({ id: Id }), {
    maxItems: MOST_ELEMENTS,
    description:
      "Users by id. What else an element says is ignored, so that users can be sent back as they came.",
  }),
);

export const NewGroup = Type.Object(
  { name, members: People, managers: People },
  { examples: [{ name: "Sales", members: [{ id: 1 }], managers: [] }] },
);
export type NewGroup = Static<typeof NewGroup>;

/** What an update does to memberships: each element adds its id, or removes it. */
const MembershipChanges = Type.Optional(
  Type.Array(
    Type.Object({
      id: Id,
      remove: Type.Optional(Type.Boolean({ description: "`true` removes; otherwise the element adds." })),
    }),
    { maxItems: MOST_ELEMENTS, description: "Those that are not named stay." },
  ),
);

export const GroupUpdate = Type.Object(
  { name: Type.Optional(name), members: MembershipChanges, managers: MembershipChanges },
  { examples: [{ name: "Sales, north", members: [{ id: 1 }, { id: 2, remove: true }] }] },
);
export type GroupUpdate = Static<typeof GroupUpdate>;

/** The groups of one user. */
export const UserGroups = closed({
  type: Type.Unsafe<"user_groups" | "update_user_groups">({
    type: "string",
    enum: ["user_groups", "update_user_groups"],
  }),
  memberships: Type.Array(ref(GroupName)),
  managing: Type.Array(ref(GroupName)),
});

export const UserGroupsUpdate = Type.Object(
  { memberships: MembershipChanges, managing: MembershipChanges },
  { examples: [{ memberships: [{ id: 1 }, { id: 2, remove: true }] }] },
);
export type UserGroupsUpdate = Static<typeof UserGroupsUpdate>;
