import { type RawBuilder, sql } from "kysely";
import type { Kind } from "../db/counters.ts";
import type { FurtherPart } from "./parts.ts";

type PgType =
  | "bigint"
  | "integer"
  | "text"
  | "boolean"
  | "timestamptz"
  | "date"
  | "jsonb"
  | "bytea"
  | "tsvector"
  | "text[]"
  | "bigint[]";

/** A table, or columns of one, that move row by row. */
export interface FurtherTable {
  readonly table: string;
  /** What names a row in its company, in the order of the export. */
  readonly keys: readonly string[];
  readonly keyTypes: Readonly<Record<string, PgType>>;
  readonly columns: Readonly<Record<string, PgType>>;
  /** The rows are there already, and these columns are added to them. */
  readonly completes: boolean;
  /** Which rows an export writes; all of them without it. */
  readonly isWorthSaying?: RawBuilder<unknown>;
  /** The counter that `id` is taken from. */
  readonly kind?: Kind;
}

const lesson = {
  title: "text",
  description: "text",
  language: "text",
  retake_score: "integer",
  public: "boolean",
  content: "jsonb",
  tag_ids: "bigint[]",
} as const;
const published = {
  note: "text",
  diff: "jsonb",
  published_at: "timestamptz",
  published_by: "bigint",
  learners: "text",
  due_by: "timestamptz",
  told_at: "timestamptz",
} as const;
const draft = { based_on: "integer", updated_at: "timestamptz", updated_by: "bigint" } as const;
const content = { owner_id: "bigint", language: "text", published_version: "integer" } as const;

export const furtherTables: Readonly<Record<FurtherPart, FurtherTable>> = {
  role_privileges: completing("roles", ["id"], {
    columns: { privileges: "text[]" },
    isWorthSaying: sql`privileges is not null`,
  }),
  user_details: completing("users", ["id"], {
    columns: { anonymized_at: "timestamptz", last_sign_in_at: "timestamptz" },
    isWorthSaying: sql`num_nonnulls(anonymized_at, last_sign_in_at) > 0`,
  }),
  group_rules: completing("groups", ["id"], {
    columns: { rule: "jsonb", rule_error: "text" },
    isWorthSaying: sql`num_nonnulls(rule, rule_error) > 0`,
  }),
  memberships_by_rule: {
    ...completing("memberships", ["group_id", "user_id"], {
      columns: { by_rule: "boolean" },
      isWorthSaying: sql`by_rule`,
    }),
    keys: ["group_id", "role", "user_id"],
    keyTypes: { group_id: "bigint", role: "text", user_id: "bigint" },
  },
  group_assignment_due_dates: completing("group_assignments", ["id"], {
    columns: { due_days: "integer", due_by: "timestamptz" },
    isWorthSaying: sql`num_nonnulls(due_days, due_by) > 0`,
  }),
  lesson_details: completing("lessons", ["id"], {
    columns: content,
    isWorthSaying: sql`num_nonnulls(owner_id, published_version) > 0 or language <> 'en'`,
  }),
  path_details: completing("paths", ["id"], {
    columns: {
      ...content,
      counts_elsewhere: "boolean",
      valid_months: "integer",
      valid_until_day: "text",
      renewal_days: "integer",
    },
    isWorthSaying: sql`(num_nonnulls(owner_id, published_version, valid_months, valid_until_day) > 0
      or language <> 'en' or not counts_elsewhere or renewal_days <> 30)`,
  }),
  path_item_dates: completing("path_items", ["path_id", "position"], {
    columns: { wait_until: "date" },
    isWorthSaying: sql`wait_until is not null`,
  }),
  content_authors: {
    ...inserting("content_authors", ["content_id", "user_id"], {}),
    keys: ["content_type", "content_id", "user_id"],
    keyTypes: { content_type: "text", content_id: "bigint", user_id: "bigint" },
  },
  lesson_drafts: inserting("lesson_drafts", ["lesson_id"], { ...lesson, ...draft }),
  lesson_versions: inserting("lesson_versions", ["lesson_id", "number"], { ...lesson, ...published }),
  path_drafts: inserting("path_drafts", ["path_id"], { settings: "jsonb", contents: "jsonb", ...draft }),
  path_versions: inserting("path_versions", ["path_id", "number"], {
    settings: "jsonb",
    contents: "jsonb",
    ...published,
  }),
  search_documents: {
    ...inserting("search_documents", ["content_id"], { language: "text", words: "tsvector", text: "text" }),
    keys: ["content_type", "content_id"],
    keyTypes: { content_type: "text", content_id: "bigint" },
  },
  attempts: {
    ...inserting("attempts", ["id"], {
      user_id: "bigint",
      lesson_id: "bigint",
      version: "integer",
      assignment_id: "bigint",
      round: "integer",
      status: "text",
      score: "integer",
      page_id: "text",
      seconds_spent: "integer",
      seed: "text",
      last_active_at: "timestamptz",
      started_at: "timestamptz",
      finished_at: "timestamptz",
      graded_at: "timestamptz",
    }),
    kind: "attempts",
  },
  attempt_answers: {
    ...inserting("attempt_answers", ["attempt_id"], {
      answer: "jsonb",
      revision: "integer",
      is_final: "boolean",
      saved_at: "timestamptz",
      points: "integer",
      rubric: "jsonb",
      comment: "text",
      graded_by: "bigint",
      graded_at: "timestamptz",
    }),
    keys: ["attempt_id", "question_id"],
    keyTypes: { attempt_id: "bigint", question_id: "text" },
  },
  certificates: {
    ...inserting("certificates", ["id"], {
      number: "text",
      user_id: "bigint",
      path_id: "bigint",
      assignment_id: "bigint",
      user_name: "text",
      path_title: "text",
      issued_at: "timestamptz",
      expires_at: "timestamptz",
      revoked_at: "timestamptz",
      renewal_opened_at: "timestamptz",
    }),
    kind: "certificates",
  },
  file_blobs: {
    ...inserting("file_blobs", ["upload_id"], { size: "bigint", part_size: "bigint", stored_as: "text[]" }),
    keys: ["upload_id", "sha256"],
    keyTypes: { upload_id: "bigint", sha256: "bytea" },
    isWorthSaying: sql`released_at is null`,
  },
  files: {
    ...inserting("files", ["id"], {
      name: "text",
      kind: "text",
      created_by_user_id: "bigint",
      created_at: "timestamptz",
      unreferenced_since: "timestamptz",
    }),
    kind: "files",
  },
  file_contents: {
    ...inserting("file_contents", ["file_id"], {
      media_type: "text",
      width: "integer",
      height: "integer",
      upload_id: "bigint",
      sha256: "bytea",
    }),
    keys: ["file_id", "variant"],
    keyTypes: { file_id: "bigint", variant: "text" },
  },
  file_references: {
    ...inserting("file_references", ["resource_id"], {}),
    keys: ["resource_type", "resource_id", "version", "file_id"],
    keyTypes: { resource_type: "text", resource_id: "bigint", version: "integer", file_id: "bigint" },
  },
  mail_preferences: {
    ...inserting("mail_preferences", ["user_id"], {}),
    keys: ["user_id", "category"],
    keyTypes: { user_id: "bigint", category: "text" },
  },
};

/** Rows that come with this part alone; their keys are numbers. */
function inserting(
  table: string,
  keys: readonly string[],
  columns: Readonly<Record<string, PgType>>,
): FurtherTable {
  return { table, keys, keyTypes: numbers(keys), columns, completes: false };
}

/** Columns of rows that an older part brings. */
function completing(
  table: string,
  keys: readonly string[],
  more: Pick<FurtherTable, "columns" | "isWorthSaying">,
): FurtherTable {
  return { table, keys, keyTypes: numbers(keys), completes: true, ...more };
}

function numbers(keys: readonly string[]): Record<string, PgType> {
  return Object.fromEntries(keys.map((key) => [key, "bigint"]));
}
