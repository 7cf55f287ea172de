import type { Expression, Kysely } from "kysely";
import type { Static } from "typebox";
import { toArchiveState } from "../db/archive.ts";
import type { Tx } from "../db/db.ts";
import type { DB } from "../db/schema.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import type { UserSummary } from "./schema.ts";
import type { UserProfile } from "./v2-schema.ts";

/** The columns of a user that answers show. */
export interface UserRow {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly role_id: number;
  readonly ext_uid: string | null;
  readonly job_title: string | null;
  readonly business_unit: string | null;
  readonly department: string | null;
  readonly location: string | null;
  readonly locale: Static<typeof UserSummary>["locale"];
  readonly hire_date: string | null;
  readonly manager_name: string | null;
  readonly archived_at: string | null;
  readonly archived_by_user_id: number | null;
}

/** The query for users as answers show them; the caller adds which. The company may be one that is told later. */
export function selectUsers(tx: {
  readonly sql: Kysely<DB>;
  readonly company: { readonly id: number | Expression<number> };
}) {
  return tx.sql
    .selectFrom("users")
    .innerJoin("roles", (join) =>
      join.onRef("roles.company_id", "=", "users.company_id").onRef("roles.id", "=", "users.role_id"),
    )
    .select([
      "users.id",
      "users.name",
      "users.email",
      "roles.name as role",
      "users.role_id",
      "users.ext_uid",
      "users.job_title",
      "users.business_unit",
      "users.department",
      "users.location",
      "users.locale",
      "users.hire_date",
      "users.manager_name",
      "users.archived_at",
      "users.archived_by_user_id",
    ])
    .where("users.company_id", "=", tx.company.id)
    .where("roles.company_id", "=", tx.company.id);
}

/** A user as lists of version 1 and groups show them. */
export function toUserSummary(tx: Tx, row: UserRow): Static<typeof UserSummary> {
  return {
    id: row.id,
    resource_type: "user",
    name: row.name,
    email: row.email,
    role: row.role,
    role_id: row.role_id,
    ext_uid: row.ext_uid,
    job_title: row.job_title,
    business_unit: row.business_unit,
    department: row.department,
    location: row.location,
    locale: row.locale,
    hire_date: row.hire_date,
    manager_name: row.manager_name,
    ...toArchiveState(tx, row),
  };
}

/** The columns of a user that version 2 shows. */
export interface ProfileRow extends UserRow {
  readonly sso_id: string | null;
  readonly mobile_phone_number: string | null;
  readonly created_at: string;
  readonly anonymized_at: string | null;
}

/** The query for users as version 2 shows them; the caller adds which. */
export function selectProfiles(tx: Parameters<typeof selectUsers>[0]) {
  return selectUsers(tx).select([
    "users.sso_id",
    "users.mobile_phone_number",
    "users.created_at",
    "users.anonymized_at",
  ]);
}

/** A row as version 2 shows it. */
export function toProfile(row: ProfileRow): UserProfile {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    role_id: row.role_id,
    role: row.role,
    ext_uid: row.ext_uid,
    sso_id: row.sso_id,
    job_title: row.job_title,
    business_unit: row.business_unit,
    department: row.department,
    location: row.location,
    locale: row.locale,
    hire_date: row.hire_date,
    manager_name: row.manager_name,
    mobile_phone_number: row.mobile_phone_number,
    created_at: utcTime(row.created_at),
    archived_at: utcTimeOrNull(row.archived_at),
    archived_by_user_id: row.archived_by_user_id,
    anonymized_at: utcTimeOrNull(row.anonymized_at),
  };
}
