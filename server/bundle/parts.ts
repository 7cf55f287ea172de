/** The arrays of a bundle in the API's own shapes, in the order in which an export writes them. */
export const coreParts = [
  "roles",
  "custom_user_fields",
  "users",
  "groups",
  "group_assignments",
  "tags",
  "lessons",
  "paths",
  "courses",
  "assignments",
] as const;

export type CorePart = (typeof coreParts)[number];

/** What further-tables.ts describes: rows and columns that came with version 2, in the order in which they depend. */
export const furtherParts = [
  "role_privileges",
  "user_details",
  "group_rules",
  "memberships_by_rule",
  "group_assignment_due_dates",
  "lesson_details",
  "path_details",
  "path_item_dates",
  "content_authors",
  "lesson_drafts",
  "lesson_versions",
  "path_drafts",
  "path_versions",
  "search_documents",
  "attempts",
  "attempt_answers",
  "certificates",
  "file_blobs",
  "files",
  "file_contents",
  "file_references",
  "mail_preferences",
] as const;

export type FurtherPart = (typeof furtherParts)[number];

/** All arrays of a bundle. An import takes them in any order, and an older bundle has the first ones alone. */
export const parts = [...coreParts, ...furtherParts];

export type Part = CorePart | FurtherPart;

/** The key that an export begins with. Its number goes up when a bundle can no longer be read by an older version. */
export const FORMAT_KEY = "lectern_bundle";
export const FORMAT = 1;

/** The key of what the company itself has: see `CompanyItem`. */
export const COMPANY_KEY = "company";
