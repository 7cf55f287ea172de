import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import { links } from "../links.ts";
import type { Language } from "../search/languages.ts";
import type { Tag } from "../tags/schema.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import type { LessonOverview } from "./v2-schema.ts";

/** The columns of a lesson that version 2 shows. */
export interface OverviewRow {
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly language: Language;
  readonly retake_score: number;
  readonly public: boolean;
  readonly owner_id: number | null;
  readonly published_version: number | null;
  readonly created_at: string;
  readonly last_updated_at: string | null;
  readonly archived_at: string | null;
  readonly archived_by_user_id: number | null;
  readonly assignees_count: number;
  readonly completed_count: number;
  readonly total_completions: number;
}

/** Lessons that meet the conditions, the newest first. */
export async function selectOverviews(
  tx: Tx,
  conditions: readonly RawBuilder<SqlBool>[],
  limit: number,
): Promise<OverviewRow[]> {
  const { rows } = await sql<OverviewRow>`
    select lessons.id, title, description, language, retake_score, public, owner_id, published_version, created_at,
      last_updated_at, archived_at, archived_by_user_id, assignees_count, completed_count, total_completions
    from lessons
    join assignables on assignables.company_id = ${tx.company.id} and assignables.assignable_type = 'Lesson'
      and assignables.assignable_id = lessons.id
    where lessons.company_id = ${tx.company.id} and ${sql.join([...conditions], sql` and `)}
    order by lessons.id desc limit ${limit}`.execute(tx.sql);
  return rows;
}

/** A lesson as version 2 shows it. */
export function toOverview(
  tx: Tx,
  row: OverviewRow,
  {
    tags = [],
    include,
  }: { readonly tags: Static<typeof Tag>[] | undefined; readonly include?: "counts" | undefined },
): Static<typeof LessonOverview> {
  const { assignees_count, completed_count, total_completions, ...lesson } = row;
  const counts = { assignees: assignees_count, completed: completed_count, total_completions };
  return {
    ...lesson,
    resource_type: "lesson",
    created_at: utcTime(row.created_at),
    last_updated_at: utcTimeOrNull(row.last_updated_at),
    archived_at: utcTimeOrNull(row.archived_at),
    tags,
    links: links(tx.company.base_url, "lesson", row),
    ...(include === "counts" ? { counts } : {}),
  };
}
