import { zonedTimeOrNull } from "../time.ts";
import { audit } from "./audit.ts";
import { lockCounters } from "./counters.ts";
import type { Tx, WriteTx } from "./db.ts";

/** The tables whose rows can be archived, with what the API calls a row of each. */
const resourceTypes = {
  users: "user",
  groups: "group",
  lessons: "lesson",
  paths: "path",
  courses: "course",
} as const;

/** Which row of which table. */
interface Content {
  readonly table: keyof typeof resourceTypes;
  readonly id: number;
  /** The time of the write, where the caller has locked the counters of more than this table. */
  readonly at?: string;
}

/** Archives content; what is archived already, or does not exist, stays as it is. */
export async function archiveContent(tx: WriteTx, { table, id, ...write }: Content): Promise<void> {
  const at = write.at ?? (await lockCounters(tx, table));
  const { numUpdatedRows } = await tx.sql
    .updateTable(table)
    .set({ archived_at: at, archived_by_user_id: tx.actor.user_id })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .where("archived_at", "is", null)
    .executeTakeFirst();
  const resource_type = resourceTypes[table];
  if (numUpdatedRows > 0n) {
    await audit(tx, { action: `archive_${resource_type}`, resource_type, resource_id: id, at });
  }
}

/** Restores content; what is active, or does not exist, stays as it is. */
export async function restoreContent(tx: WriteTx, { table, id, ...write }: Content): Promise<void> {
  const at = write.at ?? (await lockCounters(tx, table));
  const { numUpdatedRows } = await tx.sql
    .updateTable(table)
    .set({ archived_at: null, archived_by_user_id: null })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .where("archived_at", "is not", null)
    .executeTakeFirst();
  const resource_type = resourceTypes[table];
  if (numUpdatedRows > 0n) {
    await audit(tx, { action: `restore_${resource_type}`, resource_type, resource_id: id, at });
  }
}

/** Content as lists of version 1 and the contents of paths show it. */
export function toSummary(tx: Tx, row: SummaryRow) {
  return { id: row.id, title: row.title, ...toArchiveState(tx, row) };
}

interface ArchiveRow {
  readonly archived_at: string | null;
  readonly archived_by_user_id: number | null;
}

interface SummaryRow extends ArchiveRow {
  readonly id: number;
  readonly title: string;
}

/** A row's archive state as answers show it: in the company's time zone. */
export function toArchiveState(tx: Tx, row: ArchiveRow) {
  return {
    archived_at: zonedTimeOrNull(row.archived_at, tx.company.time_zone),
    archived_by_user_id: row.archived_by_user_id,
  };
}
