import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import type { Profile } from "./rules.ts";

/** Whose profiles, and which custom fields of them. */
export interface ProfileRequest {
  /** These users; or else a page of all, behind an id. */
  readonly users: readonly number[] | { readonly after: number; readonly limit: number };
  readonly field_ids: readonly number[];
}

/** What rules ask of users, in the order of their ids: two statements at most, however many users. */
export async function listProfiles(tx: Tx, { users, field_ids }: ProfileRequest): Promise<Profile[]> {
  const rows = await selectProfiles(tx, users);
  const custom = await listCustomValues(
    tx,
    rows.map(({ id }) => id),
    field_ids,
  );
  return rows.map((row) => ({ ...row, custom: custom.get(row.id) ?? nothing }));
}

const nothing: ReadonlyMap<number, string> = new Map();

async function selectProfiles(tx: Tx, users: ProfileRequest["users"]): Promise<Omit<Profile, "custom">[]> {
  const which =
    "after" in users
      ? sql`id > ${users.after} order by id limit ${users.limit}`
      : sql`id = any(${users}::bigint[]) order by id`;
  const { rows } = await sql<Omit<Profile, "custom">>`
    select id, name, email, role_id, job_title, business_unit, department, location, locale, hire_date,
      manager_name, archived_at
    from users
    where company_id = ${tx.company.id} and ${which}`.execute(tx.sql);
  return rows;
}

async function listCustomValues(
  tx: Tx,
  user_ids: readonly number[],
  field_ids: readonly number[],
): Promise<Map<number, Map<number, string>>> {
  const byUser = new Map<number, Map<number, string>>();
  if (field_ids.length === 0 || user_ids.length === 0) return byUser;
  const { rows } = await sql<{ user_id: number; field: number; value: string }>`
    select user_id, custom_user_field_id as field, value
    from custom_user_field_values
    where company_id = ${tx.company.id} and user_id = any(${user_ids}::bigint[])
      and custom_user_field_id = any(${field_ids}::bigint[])`.execute(tx.sql);
  for (const { user_id, field, value } of rows) {
    const values = byUser.get(user_id) ?? new Map<number, string>();
    byUser.set(user_id, values.set(field, value));
  }
  return byUser;
}
