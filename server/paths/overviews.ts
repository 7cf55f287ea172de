import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import { links } from "../links.ts";
import type { Language } from "../search/languages.ts";
import type { Tag } from "../tags/schema.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import type { PathOverview } from "./v2-schema.ts";

/** The columns of a path that version 2 shows. */
export interface OverviewRow {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly language: Language;
  readonly enforced_order: boolean;
  readonly public: boolean;
  readonly is_certification: boolean;
  readonly valid_months: number | null;
  readonly valid_until_day: string | null;
  readonly renewal_days: number;
  readonly counts_elsewhere: boolean;
  readonly owner_id: number | null;
  readonly published_version: number | null;
  readonly published_at: string | null;
  readonly publisher_id: number | null;
  readonly created_at: string;
  readonly last_updated_at: string | null;
  readonly archived_at: string | null;
  readonly archived_by_user_id: number | null;
}

/** Paths that meet the conditions, the newest first. */
export async function selectOverviews(
  tx: Tx,
  conditions: readonly RawBuilder<SqlBool>[],
  limit: number,
): Promise<OverviewRow[]> {
  const { rows } = await sql<OverviewRow>`
    select id, title, description, language, enforced_order, public, is_certification, valid_months, valid_until_day,
      renewal_days, counts_elsewhere, owner_id, published_version, published_at, publisher_id, created_at,
      last_updated_at, archived_at, archived_by_user_id
    from paths
    where paths.company_id = ${tx.company.id} and ${sql.join([...conditions], sql` and `)}
    order by paths.id desc limit ${limit}`.execute(tx.sql);
  return rows;
}

/** A path as version 2 shows it, without its steps. */
export function toOverview(tx: Tx, row: OverviewRow, tags: Static<typeof Tag>[] = []): PathOverview {
  return {
    ...row,
    resource_type: "path",
    published_at: utcTimeOrNull(row.published_at),
    created_at: utcTime(row.created_at),
    last_updated_at: utcTimeOrNull(row.last_updated_at),
    archived_at: utcTimeOrNull(row.archived_at),
    tags,
    links: links(tx.company.base_url, "path", row),
  };
}
