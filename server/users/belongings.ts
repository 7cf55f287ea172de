import { sql } from "kysely";
import { followCertificatesOf } from "../certificates/events.ts";
import { courseEvents } from "../courses/events.ts";
import { moveCounter, moveTotals } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { follow } from "../events/changes.ts";
import { deleteFilesOfUser, filesCounters } from "../files/files.ts";
import { removeFileReferences } from "../files/references.ts";
import { noteMemberships } from "../groups/events.ts";
import { removeMails } from "../mail/erase.ts";
import { lessonEvents } from "../lessons/events.ts";
import { pathEvents } from "../paths/events.ts";

/** How many rows were removed, or changed so that they name nobody any more, by what they are. */
export type Removed = Record<string, number>;

/** The counters to lock before anything of a user is removed: nobody may add to it meanwhile. */
export const belongingCounters = [
  "users",
  "groups",
  "custom_user_field_values",
  "attempts",
  "certificates",
  "sessions",
  "sign_in_links",
  "mails",
  "courses",
  "lessons",
  "paths",
  ...filesCounters,
] as const;

/** Removes by what somebody signs in, what answers to their requests are kept, and what they were mailed. */
export async function removeSignIn(tx: WriteTx, user_id: number): Promise<Removed> {
  const removed = await deleteOf(tx, user_id, ["sessions", "sign_in_links", "sign_in_devices", "passwords"]);
  Object.assign(removed, await removeMails(tx, user_id));
  await tx.sql
    .deleteFrom("idempotency_keys")
    .where("company_id", "=", tx.company.id)
    .where("caller", "=", `user/${user_id}`)
    .execute();
  return removed;
}

/** Removes what the company's custom fields say of somebody. Needs their counter locked. */
export async function removeCustomData(tx: WriteTx, user_id: number, at: string): Promise<Removed> {
  const removed = await deleteOf(tx, user_id, ["custom_user_field_values"]);
  const { custom_user_field_values: count = 0 } = removed;
  await moveCounter(tx, { kind: "custom_user_field_values", total: -count, at });
  return removed;
}

/** Takes somebody out of all groups. Needs the counter of groups locked. */
export async function removeMemberships(tx: WriteTx, user_id: number): Promise<Removed> {
  const rows = await tx.sql
    .deleteFrom("memberships")
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .returning(["group_id", "user_id", "role"])
    .execute();
  noteMemberships(tx, "deleted", rows);
  return { memberships: rows.length };
}

/** Blanks what bulk jobs were given about somebody: the rows stay, so that their jobs still add up. */
export async function blankBulkRows(tx: WriteTx, user_id: number): Promise<Removed> {
  const { rows } = await sql`
    update bulk_rows set given = '{}'
    from bulk_jobs
    where bulk_rows.company_id = ${tx.company.id} and bulk_rows.resource_id = ${user_id}
      and bulk_jobs.company_id = ${tx.company.id} and bulk_jobs.id = bulk_rows.job_id and bulk_jobs.kind = 'users'
    returning bulk_rows.row`.execute(tx.sql);
  return { bulk_rows: rows.length };
}

/**
 * Removes what somebody has learned beside their assignments: attempts with their answers, and certificates. Needs
 * their counters locked.
 */
export async function removeLearning(tx: WriteTx, user_id: number, at: string): Promise<Removed> {
  // Locked first: an answer that is being saved is waited for, and then finds nothing to be saved in.
  const attempts = await tx.sql
    .selectFrom("attempts")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .orderBy("id")
    .forUpdate()
    .execute();
  const ids = attempts.map(({ id }) => id);
  for (const resource_id of await listAttemptsWithFiles(tx, ids)) {
    await removeFileReferences(tx, { resource_type: "attempt", resource_id });
  }
  const answers = await tx.sql
    .deleteFrom("attempt_answers")
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("attempt_id", "=", eb.fn.any(eb.val(ids))))
    .executeTakeFirst();
  await followCertificatesOf(tx, user_id);
  const removed = await deleteOf(tx, user_id, ["attempts", "certificates", "library_uses"]);
  const gone = (["attempts", "certificates"] as const).map((kind) => ({
    kind,
    total: -(removed[kind] ?? 0),
  }));
  await moveTotals(tx, gone, at);
  return { attempt_answers: Number(answers.numDeletedRows), ...removed };
}

/**
 * Removes what somebody has uploaded and nothing shows, or nothing shows any more. Needs the counters of files locked.
 */
export async function removeFiles(tx: WriteTx, user_id: number, at: string): Promise<Removed> {
  return { files: await deleteFilesOfUser(tx, user_id, at) };
}

/** Takes somebody's name off what they have written; it stays, without an owner. */
export async function disown(tx: WriteTx, user_id: number): Promise<Removed> {
  const removed: Removed = {};
  for (const [table, events] of [
    ["courses", courseEvents],
    ["lessons", lessonEvents],
    ["paths", pathEvents],
  ] as const) {
    const owned = await tx.sql
      .selectFrom(table)
      .select("id")
      .where("company_id", "=", tx.company.id)
      .where("owner_id", "=", user_id)
      .execute();
    const ids = owned.map(({ id }) => id);
    await follow(tx, events, ids);
    const { numUpdatedRows } = await tx.sql
      .updateTable(table)
      .set({ owner_id: null })
      .where("company_id", "=", tx.company.id)
      .where("owner_id", "=", user_id)
      .executeTakeFirst();
    removed[`owner_of_${table}`] = Number(numUpdatedRows);
  }
  const { numUpdatedRows } = await tx.sql
    .updateTable("api_keys")
    .set({ made_by_user_id: null })
    .where("company_id", "=", tx.company.id)
    .where("made_by_user_id", "=", user_id)
    .executeTakeFirst();
  return { ...removed, maker_of_api_keys: Number(numUpdatedRows) };
}

/** Blanks what the audit log holds of somebody, and where they acted from. */
export async function blankAudit(tx: WriteTx, user_id: number): Promise<void> {
  await sql`select blank_audit_of_user(${tx.company.id}, ${user_id})`.execute(tx.sql);
}

type TableOfUser =
  | "attempts"
  | "certificates"
  | "content_authors"
  | "custom_user_field_values"
  | "library_uses"
  | "passwords"
  | "sessions"
  | "sign_in_devices"
  | "sign_in_links";

/** Removes somebody's rows from tables that name them by `user_id`. */
export async function deleteOf(
  tx: WriteTx,
  user_id: number,
  tables: readonly TableOfUser[],
): Promise<Removed> {
  const removed: Removed = {};
  for (const table of tables) {
    const { numDeletedRows } = await tx.sql
      .deleteFrom(table)
      .where("company_id", "=", tx.company.id)
      .where("user_id", "=", user_id)
      .executeTakeFirst();
    removed[table] = Number(numDeletedRows);
  }
  return removed;
}

async function listAttemptsWithFiles(tx: WriteTx, ids: readonly number[]): Promise<number[]> {
  const rows = await tx.sql
    .selectFrom("file_references")
    .select("resource_id")
    .distinct()
    .where("company_id", "=", tx.company.id)
    .where("resource_type", "=", "attempt")
    .where((eb) => eb("resource_id", "=", eb.fn.any(eb.val([...ids]))))
    .execute();
  return rows.map(({ resource_id }) => resource_id);
}
