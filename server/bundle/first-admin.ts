import { sql } from "kysely";
import { moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import type { Users } from "../db/schema.ts";

/** A company's first administrator, out of the way of an import. */
export interface FirstAdmin {
  readonly id: number;
  readonly email: string;
  readonly email_key: string;
  readonly ext_uid: string | null;
}

/** The largest id that a table takes, larger than any that an import takes. */
const ASIDE_ID = 9_007_199_254_740_990;

/**
 * Moves the company's first administrator aside, with all that is theirs, so that neither their id nor their e-mail
 * stands in the way of the users that come. It is they whom `company create` made, in the moment of the company. Who
 * became one with a user of an earlier import has that user's moment, and does not give way again.
 * @returns undefined when the company has none.
 */
export async function setFirstAdminAside(tx: WriteTx): Promise<FirstAdmin | undefined> {
  const admin = await tx.sql
    .selectFrom("users")
    .innerJoin("companies", (join) =>
      join
        .onRef("companies.company_id", "=", "users.company_id")
        .onRef("companies.created_at", "=", "users.created_at"),
    )
    .select(["users.id", "users.email", "users.email_key", "users.ext_uid"])
    .where("users.company_id", "=", tx.company.id)
    .where("companies.company_id", "=", tx.company.id)
    .orderBy("users.id")
    .executeTakeFirst();
  if (admin === undefined) return undefined;
  // No e-mail is without an @, so this stands in nobody's way.
  await moveUser(tx, { from: admin.id, to: ASIDE_ID, keys: { email_key: String(ASIDE_ID), ext_uid: null } });
  return admin;
}

/**
 * Settles the first administrator once the users are imported: they become one with the user who has their e-mail, or
 * go back to their id where it is free.
 * @returns whether they are settled; if not, only the id that the import leaves will tell which id is theirs.
 */
export async function settleFirstAdmin(tx: WriteTx, admin: FirstAdmin): Promise<boolean> {
  const users = await tx.sql
    .selectFrom("users")
    .select(["id", "email_key"])
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb.or([eb("email_key", "=", admin.email_key), eb("id", "=", admin.id)]))
    .execute();
  const same = users.find(({ email_key }) => email_key === admin.email_key);
  if (same !== undefined) {
    await becomeOne(tx, same.id);
    return true;
  }
  if (users.length > 0) return false;
  await moveUser(tx, { from: ASIDE_ID, to: admin.id, keys: admin });
  return true;
}

/** Gives the first administrator a new id, behind every imported one. The counters have to be set. */
export async function giveNewId(tx: WriteTx, admin: FirstAdmin, at: string): Promise<number> {
  const to = await moveCounter(tx, { kind: "users", ids: 1, total: 0, at });
  await moveUser(tx, { from: ASIDE_ID, to, keys: admin });
  return to;
}

/** The key and the password stay, and what the administrator had in the company; else the imported user's word counts. */
async function becomeOne(tx: WriteTx, to: number): Promise<void> {
  const company_id = tx.company.id;
  await sql`
    delete from custom_user_field_values as own
    where company_id = ${company_id} and user_id = ${ASIDE_ID} and exists (
      select from custom_user_field_values as given
      where given.company_id = ${company_id} and given.user_id = ${to}
        and given.custom_user_field_id = own.custom_user_field_id
    )`.execute(tx.sql);
  await handOver(tx, ASIDE_ID, to);
  await tx.sql.deleteFrom("users").where("company_id", "=", company_id).where("id", "=", ASIDE_ID).execute();
}

interface Move {
  readonly from: number;
  readonly to: number;
  /** What must be unique, and so can't be in the old row and the new one at once. */
  readonly keys: Pick<Users, "email_key" | "ext_uid">;
}

/** An id is a key that others refer to, so it is not updated: a copy under the new id takes all over. */
async function moveUser(tx: WriteTx, { from, to, keys }: Move): Promise<void> {
  const company_id = tx.company.id;
  const row = await tx.sql
    .selectFrom("users")
    .selectAll()
    .where("company_id", "=", company_id)
    .where("id", "=", from)
    .executeTakeFirstOrThrow();
  const placeholders = { email_key: String(-to), ext_uid: null };
  await tx.sql
    .insertInto("users")
    .values({ ...row, id: to, ...placeholders })
    .execute();
  await handOver(tx, from, to);
  await tx.sql.deleteFrom("users").where("company_id", "=", company_id).where("id", "=", from).execute();
  await tx.sql
    .updateTable("users")
    .set({ email_key: keys.email_key, ext_uid: keys.ext_uid })
    .where("company_id", "=", company_id)
    .where("id", "=", to)
    .execute();
}

/** Everywhere that a user is named; a test compares it with the catalogue. The audit log stays as it was written. */
export const userColumns = [
  ["passwords", "user_id"],
  ["sessions", "user_id"],
  ["sign_in_devices", "user_id"],
  ["sign_in_links", "user_id"],
  ["content_authors", "user_id"],
  ["attempts", "user_id"],
  ["attempt_answers", "graded_by"],
  ["attempt_answers", "claimed_by"],
  ["certificates", "user_id"],
  ["lessons", "owner_id"],
  ["lesson_drafts", "updated_by"],
  ["lesson_versions", "published_by"],
  ["paths", "owner_id"],
  ["path_drafts", "updated_by"],
  ["path_versions", "published_by"],
  ["files", "created_by_user_id"],
  ["uploads", "created_by_user_id"],
  ["api_keys", "made_by_user_id"],
  ["custom_user_field_values", "user_id"],
  ["memberships", "user_id"],
  ["assignments", "assignee_id"],
  ["lesson_progress", "user_id"],
  ["lesson_completions", "user_id"],
  ["library_uses", "user_id"],
  ["mails", "user_id"],
  ["mail_notices", "user_id"],
  ["mail_preferences", "user_id"],
  ["users", "archived_by_user_id"],
  ["groups", "archived_by_user_id"],
  ["lessons", "archived_by_user_id"],
  ["paths", "archived_by_user_id"],
  ["paths", "publisher_id"],
  ["courses", "archived_by_user_id"],
  ["courses", "owner_id"],
] as const;

async function handOver(tx: WriteTx, from: number, to: number): Promise<void> {
  for (const [table, column] of userColumns) {
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${to}
      where company_id = ${tx.company.id} and ${sql.ref(column)} = ${from}`.execute(tx.sql);
  }
}
