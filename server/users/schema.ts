import { Type, type Static } from "typebox";
import { PageQuery } from "../http/page.ts";
import { archiveState, closed, component, Id, nullable, ref } from "../http/schema.ts";

export const locales = ["ar", "de", "en", "es", "fr", "it", "ja", "nl", "pt", "ru", "sv", "zh-CN"] as const;
export type Locale = (typeof locales)[number];
const Locale = Type.Unsafe<Locale>({ type: "string", enum: locales });

const text = Type.String();
const profileText = Type.String({ maxLength: 255 });

/** The fields that every answer about a user has. */
const summary = {
  name: Type.String(),
  email: Type.String(),
  role: Type.String({ description: "The role's name; custom roles have names of their own." }),
  role_id: Id,
  ext_uid: nullable(text, { description: "The user's id in another system." }),
  job_title: nullable(text),
  business_unit: nullable(text),
  department: nullable(text),
  location: nullable(text),
  locale: Locale,
  hire_date: nullable(Type.String({ format: "date" })),
  manager_name: nullable(text),
  ...archiveState,
};

const resource_type = Type.Literal("user");

export const CustomUserFieldData = component(
  "CustomUserFieldData",
  closed({ id: Id, custom_user_field_id: Id, name: text, value: text }),
);

const customData = { custom_user_field_data: Type.Array(ref(CustomUserFieldData)) };

/** A user in a list of version 1, and inside a group. */
export const UserSummary = component("UserSummary", closed({ id: Id, resource_type, ...summary }));

/** A user as its own answer. */
export const User = component(
  "User",
  closed({
    id: Id,
    type: Type.Unsafe<"user" | "create_user" | "update_user">({
      type: "string",
      enum: ["user", "create_user", "update_user"],
    }),
    resource_type,
    ...summary,
    ...customData,
  }),
);

export const GroupName = component("GroupName", closed({ id: Id, name: text }));
const groupNames = Type.Array(ref(GroupName));

/** A user in a list of version 1.1. */
export const ListedUser = component(
  "ListedUser",
  closed({
    id: Id,
    resource_type,
    ...summary,
    ...customData,
    mobile_phone_number: nullable(text),
    groups: closed({ member: groupNames, manager: groupNames }),
  }),
);

const envelope = {
  type: Type.Literal("users"),
  total_users: Type.Integer(),
  total_pages: Type.Integer(),
  page: Type.Integer(),
  per_page: Type.Integer(),
};
export const UserPage = closed({ ...envelope, users: Type.Array(ref(UserSummary)) });
export const ListedUserPage = closed({ ...envelope, users: Type.Array(ref(ListedUser)) });

export const UserParams = Type.Object({ user_id: Id });

const filters = {
  ...PageQuery,
  "filter[email]": Type.Optional(Type.String({ description: "The exact e-mail, upper or lower case." })),
  "filter[ext_uid]": Type.Optional(Type.String({ description: "The id in another system." })),
  "filter[sso_id]": Type.Optional(Type.String({ description: "The id stored by a single sign-on." })),
};
const customFieldFilter = {
  "^filter\\[custom_user_field\\]\\[[1-9][0-9]*\\]$": Type.String({
    description: "The value of the custom user field with this id.",
  }),
};

export const UserQuery = Type.Object(filters, {
  patternProperties: customFieldFilter,
  ignores: ["filter[created_since]", "filter[active_only]"],
});
export const ListedUserQuery = Type.Object(
  {
    ...filters,
    "filter[created_since]": Type.Optional(
      Type.String({ format: "date", description: "Users created on this day or later." }),
    ),
    "filter[active_only]": Type.Optional(
      Type.String({ description: "`true` for users who are not archived; any other value returns all." }),
    ),
  },
  { patternProperties: customFieldFilter },
);
export type UserFilters = Static<typeof ListedUserQuery>;

/** Characters that a name can't have, nor can it begin with a space. */
const NAME_PATTERN = "^(?! )[^!@#$%^&*+=()|\\[\\];`]*$";

const writable = {
  role: Type.Optional(
    Type.String({
      description: "`admin`, `manager`, `creator` or `learner`. One of role or role_id is required.",
    }),
  ),
  role_id: Type.Optional(Type.Integer({ minimum: 1, description: "The preferred way to set the role." })),
  ext_uid: Type.Optional(nullable(profileText)),
  job_title: Type.Optional(nullable(profileText)),
  business_unit: Type.Optional(nullable(profileText)),
  department: Type.Optional(nullable(profileText)),
  location: Type.Optional(nullable(profileText)),
  locale: Type.Optional(Locale),
  hire_date: Type.Optional(nullable(Type.String({ format: "date" }))),
  manager_name: Type.Optional(nullable(profileText)),
  custom_user_fields: Type.Optional(
    Type.Array(
      Type.Object({
        custom_user_field_id: Type.Optional(Id),
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
        value: Type.String({ maxLength: 500 }),
      }),
      { maxItems: 1000, description: "By id, or by name; an unknown name makes a new field." },
    ),
  ),
};
const name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: NAME_PATTERN,
  description: "Can't begin with a space, and can't hold any of ! @ # $ % ^ & * + = ( ) | [ ] ; `",
});
const email = Type.String({
  minLength: 1,
  maxLength: 254,
  pattern: "^[^\\s@]+@[^\\s@]+$",
  description: "Must be an address: one @ with something before and after it, and no spaces.",
});

export const UserUpdate = Type.Object({
  name: Type.Optional(name),
  email: Type.Optional(email),
  ...writable,
});
export type UserUpdate = Static<typeof UserUpdate>;

export const NewUser = Type.Object(
  {
    name,
    email,
    ...writable,
    notify: Type.Optional(
      Type.Boolean({
        description: "Whether to mail that the account was made. Default: true, but false for learners.",
      }),
    ),
  },
  { examples: [{ name: "Ada Lovelace", email: "ada@example.com", role: "learner" }] },
);
export type NewUser = Static<typeof NewUser>;

export const DeletedUser = closed({ type: Type.Literal("delete_user"), id: Type.String() });

export const LibraryStatistics = closed({
  type: Type.Literal("user_learning_library_statistics"),
  learning_library_statistics: closed({
    total_completed: Type.Integer(),
    total_views: Type.Integer(),
    unique_lesson_and_path_views: Type.Integer(),
  }),
});
