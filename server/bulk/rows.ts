import { Type, type Static } from "typebox";
import { ajv, distinct, isStorable, type Schema, toFieldError } from "../http/input.ts";
import type { FieldError } from "../http/problem.ts";
import { closed } from "../http/schema.ts";
import { UserProfileUpdate } from "../users/v2-schema.ts";

/** What bulk work is done on. */
export const bulkKinds = ["users", "memberships", "assignments"] as const;
export type BulkKind = (typeof bulkKinds)[number];

const Id = Type.Optional(Type.Integer({ minimum: 1 }));
const shortText = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));
const remove = Type.Optional(
  Type.Boolean({ description: "`true` takes it away; otherwise the row adds it." }),
);

/** Names a user: by id, or by e-mail, or by ext_uid. */
const user = { user_id: Id, email: shortText, ext_uid: shortText };

/** A user who is made, or changed where somebody has the ext_uid or else the e-mail. */
export const UserRow = closed({
  ...UserProfileUpdate.properties,
  role: Type.Optional(Type.String({ description: "The role's name, in place of role_id." })),
});
export type UserRow = Static<typeof UserRow>;

/** A member or manager who is put into a group, or taken out of it. */
export const MembershipRow = closed({
  group_id: Id,
  group_name: shortText,
  ...user,
  role: Type.Optional(
    Type.Unsafe<"member" | "manager">({ type: "string", enum: ["member", "manager"], default: "member" }),
  ),
  remove,
});
export type MembershipRow = Static<typeof MembershipRow>;

/** Something that a user is assigned, or that is taken away from them. */
export const AssignmentRow = closed({
  ...user,
  assignable_type: Type.Unsafe<"Lesson" | "LearningPaths::Path" | "Course">({
    type: "string",
    enum: ["Lesson", "LearningPaths::Path", "Course"],
  }),
  assignable_id: Type.Integer({ minimum: 1 }),
  due_by: Type.Optional(Type.Unsafe<string | null>({ type: ["string", "null"], format: "moment" })),
  remove,
});
export type AssignmentRow = Static<typeof AssignmentRow>;

/** The same as plain schemas, by which cells of a CSV are read. */
export const rowSchemas: Readonly<Record<BulkKind, Schema>> = {
  users: Object(UserRow),
  memberships: Object(MembershipRow),
  assignments: Object(AssignmentRow),
};

/** Tell whether a row is one of its kind. */
export const isRow = {
  users: ajv.compile<UserRow>(UserRow),
  memberships: ajv.compile<MembershipRow>(MembershipRow),
  assignments: ajv.compile<AssignmentRow>(AssignmentRow),
} as const;

/** A row as it was sent. What is wrong with its shape is found when it comes in: the rest when it is worked off. */
export interface GivenRow {
  readonly row: number;
  readonly given: object;
  readonly errors: readonly FieldError[];
}

/** What became of a row. `id` names the user or assignment that it is about. */
export interface Outcome {
  readonly row: number;
  readonly outcome: "created" | "updated" | "removed" | "unchanged" | "refused";
  readonly id: number | null;
  readonly errors: readonly FieldError[];
}

/** Looks at the shape of a row. A row that is none of its kind keeps nothing of what was sent. */
export function readRow(kind: BulkKind, row: number, given: unknown): GivenRow {
  const check = isRow[kind];
  if (check(given)) {
    // Not before: what nests to any depth is none of these, and can't be written as JSON again.
    if (!isStorableRow(given)) return wrongRow(row, UNSTORABLE);
    return { row, given, errors: findUnnamed(kind, given) };
  }
  const errors = distinct((check.errors ?? []).map((error) => toStorable(toFieldError(error, "row"))));
  return { row, given: {}, errors };
}

export const UNSTORABLE = "holds a character that no text has (NUL or half of a pair)";

/** A row that can't be read at all. */
export function wrongRow(row: number, message: string): GivenRow {
  return { row, given: {}, errors: [{ field: "row", message }] };
}

/** A field's name may be whatever was sent as a key. */
function toStorable(error: FieldError): FieldError {
  const isFit = isStorable(error.field) && error.field.length <= MOST_FIELD_CHARACTERS;
  return isFit ? error : { ...error, field: "row" };
}

/** The names of our fields are shorter; of what is none of ours no more is kept. */
const MOST_FIELD_CHARACTERS = 100;

/** PostgreSQL takes no NUL and no half of a pair; JSON writes both as escapes. */
function isStorableRow(given: object): boolean {
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i.test(JSON.stringify(given));
}

/** Whom and what a row has to name. */
function findUnnamed(kind: BulkKind, given: object): FieldError[] {
  const has = (key: string) => Object.hasOwn(given, key);
  if (kind === "users") {
    return has("ext_uid") || has("email") ? [] : [{ field: "email", message: "is required, or ext_uid" }];
  }
  const errors: FieldError[] = [];
  const names = ["user_id", "email", "ext_uid"].filter(has);
  if (names.length !== 1) {
    errors.push({ field: "user_id", message: "or email or ext_uid has to name the user: give one of them" });
  }
  if (kind === "memberships" && has("group_id") === has("group_name")) {
    errors.push({ field: "group_id", message: "or group_name has to name the group: give one of them" });
  }
  return errors;
}

export function refuse(row: number, ...errors: readonly FieldError[]): Outcome {
  return { row, outcome: "refused", id: null, errors };
}
