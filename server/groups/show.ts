import { utcTime, utcTimeOrNull } from "../time.ts";
import { readRule } from "./rules.ts";
import type { GroupProfile } from "./v2-schema.ts";

/** The columns of a group that version 2 shows. */
export const groupColumns = [
  "groups.id",
  "groups.name",
  "groups.rule",
  "groups.rule_error",
  "groups.created_at",
  "groups.archived_at",
] as const;

export interface GroupRow extends Pick<
  GroupProfile,
  "id" | "name" | "rule_error" | "created_at" | "archived_at"
> {
  readonly rule: unknown;
}

/** A group as version 2 shows it. */
export function toGroupProfile(row: GroupRow): GroupProfile {
  return {
    id: row.id,
    name: row.name,
    rule: readRule(row.rule) ?? null,
    rule_error: row.rule_error,
    created_at: utcTime(row.created_at),
    archived_at: utcTimeOrNull(row.archived_at),
  };
}
