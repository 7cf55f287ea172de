/** The arrays of a bundle, in the order in which an export writes them. An import takes them in any order. */
export const parts = [
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

export type Part = (typeof parts)[number];

/** The key that an export begins with. Its number goes up when a bundle can no longer be read by an older version. */
export const FORMAT_KEY = "lectern_bundle";
export const FORMAT = 1;

/** The key of what the company itself has: see `CompanyItem`. */
export const COMPANY_KEY = "company";
