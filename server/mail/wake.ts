import { type Kysely, sql } from "kysely";
import type { DB } from "../db/schema.ts";

/** The task that sends what is due. */
export const MAIL_TASK = "send_mails";

/** Wakes the mailer once the transaction commits: what is to go out at once does not wait for the minute to end. */
export async function wakeMailer(db: Kysely<DB>): Promise<void> {
  await sql`select wake_worker(${MAIL_TASK}, '{}', ${MAIL_TASK})`.execute(db);
}
