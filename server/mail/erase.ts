import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";

/** Removes what is said of addresses that nobody has any more: who is given one of them one day is to be mailed. */
export async function removeRefusals(tx: WriteTx): Promise<void> {
  await sql`
    delete from mail_addresses_refused refused
    where refused.company_id = ${tx.company.id} and not exists (
      select from users where users.company_id = ${tx.company.id} and users.email_key = refused.email_key
    )`.execute(tx.sql);
}

/** Removes what somebody was mailed and was to be mailed, what they did not want, and what is said of their address. */
export async function removeMails(tx: WriteTx, user_id: number): Promise<Record<string, number>> {
  const user = await tx.sql
    .selectFrom("users")
    .select("email_key")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .executeTakeFirst();
  const refused = await tx.sql
    .deleteFrom("mail_addresses_refused")
    .where("company_id", "=", tx.company.id)
    .where("email_key", "=", user?.email_key ?? "")
    .executeTakeFirst();
  // They may have had other addresses. Which these were nobody knows, so they are not counted as theirs.
  await removeRefusals(tx);
  const removed: Record<string, number> = { mail_addresses_refused: Number(refused.numDeletedRows) };
  // Notices first: they name their letter.
  for (const table of ["mail_notices", "mails", "mail_preferences"] as const) {
    const { numDeletedRows } = await tx.sql
      .deleteFrom(table)
      .where("company_id", "=", tx.company.id)
      .where("user_id", "=", user_id)
      .executeTakeFirst();
    removed[table] = Number(numDeletedRows);
  }
  return removed;
}
