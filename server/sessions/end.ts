import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import { IDLE_LIMIT_MS } from "./find.ts";

/**
 * Ends the sessions of some users and voids the links that they were sent: what archiving does, and a new password.
 * Every process refuses them within a second.
 * @param except the session that stays.
 */
export async function endSessionsOf(tx: WriteTx, user_ids: readonly number[], except = 0): Promise<void> {
  if (user_ids.length === 0) return;
  for (const table of ["sessions", "sign_in_links"] as const) {
    await tx.sql
      .deleteFrom(table)
      .where("company_id", "=", tx.company.id)
      .where("user_id", "in", user_ids)
      .$if(table === "sessions", (query) => query.where("id", "<>", except))
      .execute();
  }
}

/**
 * Voids the links that were sent to people's former e-mails, where others may read them. What is still to be mailed, or
 * is sent again, brings another token to the e-mail that they have then. The counter of links is locked.
 */
export async function voidTokens(tx: WriteTx, user_ids: readonly number[]): Promise<void> {
  if (user_ids.length === 0) return;
  await tx.sql
    .updateTable("sign_in_links")
    .set({ hash: null, expires_at: null })
    .where("company_id", "=", tx.company.id)
    .where("user_id", "in", user_ids)
    .execute();
}

/**
 * Deletes the company's sessions that are past their absolute limit, and of a user those that nobody used for long or
 * that are more than they may have. Each sign-in does it, so the table holds no more than is of use.
 */
export async function deleteEndedSessions(
  tx: WriteTx,
  { user_id, keep }: { readonly user_id: number; readonly keep: number },
): Promise<void> {
  const { now } = tx;
  await tx.sql
    .deleteFrom("sessions")
    .where("company_id", "=", tx.company.id)
    .where("expires_at", "<=", now.toISOString())
    .execute();
  await sql`
    delete from sessions
    where company_id = ${tx.company.id} and user_id = ${user_id} and (
      last_seen_at <= ${new Date(now.getTime() - IDLE_LIMIT_MS).toISOString()}
      or id in (
        select id from sessions
        where company_id = ${tx.company.id} and user_id = ${user_id}
        order by id desc offset ${keep}
      )
    )`.execute(tx.sql);
}
