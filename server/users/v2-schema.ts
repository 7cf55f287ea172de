import { Type, type Static } from "typebox";
import { CursorQuery } from "../http/cursor.ts";
import { archiveState, closed, component, Id, nullable, ref, Time } from "../http/schema.ts";
import { CustomUserFieldData, GroupName, NewUser, UserParams, UserUpdate } from "./schema.ts";

export const params = UserParams;

const text = nullable(Type.String());
const { archived_by_user_id } = archiveState;
const { name, email, locale } = NewUser.properties;
const { role_id, hire_date } = UserUpdate.properties;

/** A user in version 2. */
export const UserProfile = component(
  "UserProfile",
  closed({
    id: Id,
    name: Type.String(),
    email: Type.String(),
    role_id: Id,
    role: Type.String({ description: "The role's name." }),
    ext_uid: nullable(Type.String(), { description: "The user's id in another system." }),
    sso_id: nullable(Type.String(), { description: "The user's id at the company's identity provider." }),
    job_title: text,
    business_unit: text,
    department: text,
    location: text,
    locale: Type.String(),
    hire_date: nullable(Type.String({ format: "date" })),
    manager_name: text,
    mobile_phone_number: text,
    created_at: Time,
    archived_at: nullable(Time, { description: "When the user was archived; null while active." }),
    archived_by_user_id,
    anonymized_at: nullable(Time, { description: "When the person was taken out of it, for ever." }),
    custom_user_fields: Type.Optional(
      Type.Array(ref(CustomUserFieldData), {
        description: "What the company's own fields say; in lists where `include` asks for it.",
      }),
    ),
    groups: Type.Optional(
      closed(
        { member: Type.Array(ref(GroupName)), manager: Type.Array(ref(GroupName)) },
        { description: "In lists where `include` asks for it." },
      ),
    ),
    last_sign_in_at: Type.Optional(
      nullable(Time, { description: "When the user last signed in; in lists alone, as nobody edits it." }),
    ),
  }),
);
export type UserProfile = Static<typeof UserProfile>;

const sorts = ["id", "-id", "name", "-created_at"] as const;
export type UserSort = (typeof sorts)[number];

export const UserProfileQuery = Type.Object({
  ...CursorQuery,
  "filter[email]": Type.Optional(Type.String({ description: "The exact e-mail, upper or lower case." })),
  "filter[ext_uid]": Type.Optional(Type.String({ description: "The id in another system." })),
  "filter[sso_id]": Type.Optional(Type.String({ description: "The id at the identity provider." })),
  "filter[role_id]": Type.Optional(Type.Integer({ minimum: 1, description: "Users with this role." })),
  "filter[group_id]": Type.Optional(Type.Integer({ minimum: 1, description: "Members of this group." })),
  "filter[archived]": Type.Optional(
    Type.Boolean({ description: "`true` for archived users, `false` for active ones; left out for all." }),
  ),
  "filter[q]": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "How the name or the e-mail begins, upper or lower case.",
    }),
  ),
  sort: Type.Optional(
    Type.Unsafe<UserSort>({
      type: "string",
      enum: sorts,
      default: "-id",
      description: "The order; `-` is descending.",
    }),
  ),
  include: Type.Optional(
    Type.String({
      pattern: "^(groups|custom_user_fields)(,(groups|custom_user_fields))*$",
      description: "Can be `groups`, `custom_user_fields`, or both with a comma between.",
    }),
  ),
  count: Type.Optional(Type.Boolean({ description: "`true` to be told how many there are in all." })),
});
export type UserProfileQuery = Static<typeof UserProfileQuery>;

const profileText = Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 255 })));

const writable = {
  ext_uid: profileText,
  job_title: profileText,
  business_unit: profileText,
  department: profileText,
  location: profileText,
  locale,
  hire_date,
  manager_name: profileText,
  mobile_phone_number: profileText,
  custom_user_fields: Type.Optional(
    Type.Array(
      closed({
        custom_user_field_id: Type.Optional(Id),
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
        value: Type.String({ maxLength: 500 }),
      }),
      { maxItems: 1000, description: "By id, or by name; an unknown name makes a new field." },
    ),
  ),
};

export const NewUserProfile = closed(
  { name, email, role_id: Id, ...writable },
  { examples: [{ name: "Ada Lovelace", email: "ada@example.com", role_id: 32 }] },
);
export const UserProfileUpdate = closed(
  { name: Type.Optional(name), email: Type.Optional(email), role_id, ...writable },
  { examples: [{ job_title: "Analyst", custom_user_fields: [{ name: "T-shirt", value: "M" }] }] },
);

/** What is left of a user who was erased: a receipt to keep. */
export const Erasure = component(
  "UserErasure",
  closed({
    id: Id,
    at: Time,
    removed: Type.Array(
      closed({
        what: Type.String({ description: "What was removed, or taken the name off." }),
        rows: Type.Integer({ description: "How many of it." }),
      }),
    ),
  }),
);

/** All that is stored about one user, table by table. */
export const PersonalData = closed({
  exported_at: Time,
  user: ref(UserProfile),
  stored: Type.Array(
    closed({
      table: Type.String({ description: "Such as `assignments` or `attempt_answers`." }),
      rows: Type.Unsafe<object[]>({
        type: "array",
        items: { type: "object", additionalProperties: true },
        description: "The rows as they are stored, the newest first.",
      }),
      truncated: Type.Boolean({ description: "Whether there are older rows than these 10,000." }),
    }),
  ),
});

export const CustomUserField = component("CustomUserField", closed({ id: Id, name: Type.String() }));

export const CustomUserFieldQuery = Type.Object(CursorQuery);
