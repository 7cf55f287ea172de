import { importedTable, type Rule } from "./rows.ts";

/** The tables that a bundle is written to, with the rules whose breach an import can name. */

export const roles = importedTable({
  name: "roles",
  columns: { bigint: ["id"], text: ["name"] },
  rules: [{ columns: ["id"], at: "/id", otherwise: takenId("role") }],
});

export const customUserFields = importedTable({
  name: "custom_user_fields",
  columns: { bigint: ["id"], text: ["name", "name_key"] },
  rules: [
    { columns: ["id"], at: "/id", otherwise: takenId("custom user field") },
    { columns: ["name_key"], at: "/name", otherwise: "is the name of another custom user field" },
  ],
});

export const users = importedTable({
  name: "users",
  columns: {
    bigint: ["id", "role_id", "archived_by_user_id"],
    text: [
      "name",
      "email",
      "email_key",
      "ext_uid",
      "sso_id",
      "job_title",
      "business_unit",
      "department",
      "location",
      "locale",
      "manager_name",
      "mobile_phone_number",
    ],
    date: ["hire_date"],
    timestamptz: ["archived_at", "created_at"],
  },
  rules: [
    { columns: ["id"], at: "/id", otherwise: takenId("user") },
    { columns: ["email_key"], at: "/email", otherwise: "is another user's e-mail" },
    { columns: ["role_id"], ...names("role", "roles"), at: "/role_id" },
    { columns: ["ext_uid"], at: "/ext_uid", otherwise: "is another user's ext_uid" },
  ],
});

export const customUserFieldValues = importedTable({
  name: "custom_user_field_values",
  columns: { bigint: ["id", "user_id", "custom_user_field_id"], text: ["value"] },
  rules: [
    { columns: ["id"], at: "/id", otherwise: takenId("value") },
    {
      columns: ["custom_user_field_id"],
      ...names("custom user field", "custom_user_fields"),
      at: "/custom_user_field_id",
    },
    {
      columns: ["user_id", "custom_user_field_id"],
      at: "/custom_user_field_id",
      otherwise: "has a value of this user already",
    },
  ],
});

const assignableExists: Rule<"assignable_id" | "assignable_type"> = {
  columns: ["assignable_id", "assignable_type"],
  isIn: { table: "assignables", columns: ["assignable_id", "assignable_type"] },
  at: "/assignable_id",
  otherwise: unknown("lesson, path or course"),
};

export const libraryUses = importedTable({
  name: "library_uses",
  columns: {
    bigint: ["user_id", "assignable_id"],
    text: ["assignable_type"],
    integer: ["views", "completions"],
  },
  rules: [
    assignableExists,
    {
      columns: ["user_id", "assignable_type", "assignable_id"],
      at: "/assignable_id",
      otherwise: "stands there twice",
    },
  ],
});

export const groups = importedTable({
  name: "groups",
  columns: {
    bigint: ["id", "archived_by_user_id"],
    text: ["name"],
    timestamptz: ["archived_at", "created_at"],
  },
  rules: [{ columns: ["id"], at: "/id", otherwise: takenId("group") }],
});

export const memberships = importedTable({
  name: "memberships",
  columns: { bigint: ["group_id", "user_id"], text: ["role"] },
  rules: [
    { columns: ["user_id"], ...names("user", "users"), at: "/id" },
    { columns: ["group_id", "role", "user_id"], at: "/id", otherwise: "stands there twice" },
  ],
});

export const tags = importedTable({
  name: "tags",
  columns: { bigint: ["id"], text: ["name"] },
  rules: [{ columns: ["id"], at: "/id", otherwise: takenId("tag") }],
});

export const assignables = importedTable({
  name: "assignables",
  columns: {
    bigint: ["assignable_id", "assignees_count", "completed_count", "total_completions", "via_assignment"],
    text: ["assignable_type"],
  },
  rules: [{ columns: ["assignable_id", "assignable_type"], at: "/id", otherwise: takenId("of its kind") }],
});

export const taggings = importedTable({
  name: "taggings",
  columns: { bigint: ["tag_id", "taggable_id"], text: ["taggable_type"] },
  rules: [
    { columns: ["tag_id"], ...names("tag", "tags"), at: "/id" },
    { columns: ["tag_id", "taggable_type", "taggable_id"], at: "/id", otherwise: "stands there twice" },
  ],
});

const contentIds = ["id", "archived_by_user_id"] as const;
const contentTexts = ["title", "description"] as const;
const contentTimes = ["created_at", "last_updated_at", "archived_at"] as const;

// Their ids are looked at in `assignables`, where each of them has a row.
export const lessons = importedTable({
  name: "lessons",
  columns: {
    bigint: contentIds,
    text: contentTexts,
    integer: ["retake_score"],
    boolean: ["public"],
    timestamptz: contentTimes,
  },
  rules: [],
});

export const paths = importedTable({
  name: "paths",
  columns: {
    bigint: [...contentIds, "publisher_id"],
    text: contentTexts,
    boolean: ["public", "enforced_order", "is_certification"],
    timestamptz: [...contentTimes, "published_at"],
  },
  rules: [],
});

export const pathItems = importedTable({
  name: "path_items",
  columns: {
    bigint: ["path_id", "lesson_id", "nested_path_id", "item_id"],
    integer: ["position", "amount"],
    text: ["resource_type", "effect", "condition", "unit", "description"],
  },
  rules: [
    { columns: ["lesson_id"], ...names("lesson", "lessons"), at: "/id" },
    { columns: ["nested_path_id"], ...names("path", "paths"), at: "/id" },
    { columns: ["item_id", "resource_type"], at: "/id", otherwise: takenId("step of its kind") },
  ],
});

export const courses = importedTable({
  name: "courses",
  columns: {
    bigint: [...contentIds, "owner_id"],
    text: contentTexts,
    boolean: ["public"],
    timestamptz: contentTimes,
  },
  rules: [],
});

export const courseLessons = importedTable({
  name: "course_lessons",
  columns: { bigint: ["course_id", "lesson_id"], integer: ["position"] },
  rules: [{ columns: ["lesson_id"], ...names("lesson", "lessons"), at: "/id" }],
});

export const groupAssignments = importedTable({
  name: "group_assignments",
  columns: { bigint: ["id", "group_id", "assignable_id"], text: ["assignable_type"] },
  rules: [
    { columns: ["id"], at: "/id", otherwise: takenId("group assignment") },
    { columns: ["group_id"], ...names("group", "groups"), at: "/group_id" },
    assignableExists,
    {
      columns: ["group_id", "assignable_type", "assignable_id"],
      at: "/assignable_id",
      otherwise: "is assigned to this group already",
    },
  ],
});

export const assignments = importedTable({
  name: "assignments",
  columns: {
    bigint: ["id", "assignee_id", "assignable_id", "group_id"],
    text: ["assignable_type", "status"],
    timestamptz: ["assigned_at", "due_by", "reassigned_at", "started_at", "completed_at", "updated_at"],
    integer: ["score"],
  },
  rules: [
    { columns: ["id"], at: "/id", otherwise: takenId("assignment") },
    { columns: ["assignee_id"], ...names("user", "users"), at: "/assignee_id" },
    assignableExists,
    {
      columns: ["assignee_id", "assignable_type", "assignable_id"],
      at: "/assignable_id",
      otherwise: "is assigned to this user already",
    },
  ],
});

export const lessonProgress = importedTable({
  name: "lesson_progress",
  columns: {
    bigint: ["assignment_id", "lesson_id", "user_id"],
    text: ["status"],
    timestamptz: ["started_at", "completed_at"],
    integer: ["score"],
  },
  rules: [{ columns: ["lesson_id"], ...names("lesson", "lessons"), at: "" }],
});

export const assignmentResults = importedTable({
  name: "assignment_results",
  columns: {
    bigint: ["assignment_id"],
    integer: ["round", "score"],
    timestamptz: ["due_by", "started_at", "completed_at"],
    jsonb: ["contents"],
  },
  rules: [{ columns: ["assignment_id", "round"], at: "/round", otherwise: "stands there twice" }],
});

/** An id that can't be given a second time. */
function takenId(what: string): string {
  return `is taken by another ${what}, of the company or of the file`;
}

/** An id that stands for nothing. */
function unknown(what: string): string {
  return `names no ${what} of the file or the company`;
}

/** The part of a rule that says that an id has to stand for something. */
function names(what: string, where: string) {
  return { isIn: { table: where, columns: ["id"] }, otherwise: unknown(what) };
}
