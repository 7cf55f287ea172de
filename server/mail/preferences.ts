import type { Static } from "typebox";
import type { Tx, WriteTx } from "../db/db.ts";
import { holdUsers } from "../users/hold.ts";
import { mailCategories } from "./text.ts";
import type { Unsubscription } from "./unsubscribe.ts";
import type { MailPreferences, MailPreferencesUpdate } from "./v2-schema.ts";

/** Which mails somebody wants: all that they have not turned off. */
export async function getMailPreferences(tx: Tx, user_id: number): Promise<Static<typeof MailPreferences>> {
  const rows = await tx.sql
    .selectFrom("mail_preferences")
    .select("category")
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .execute();
  const unwanted = new Set(rows.map(({ category }) => category));
  return {
    assignments: !unwanted.has("assignments"),
    reminders: !unwanted.has("reminders"),
    results: !unwanted.has("results"),
    certificates: !unwanted.has("certificates"),
    team: !unwanted.has("team"),
    administration: !unwanted.has("administration"),
  };
}

/** Turns the categories that are named on or off. @returns what they want now. */
export async function changeMailPreferences(
  tx: WriteTx,
  user_id: number,
  changes: Static<typeof MailPreferencesUpdate>,
): Promise<Static<typeof MailPreferences>> {
  await stopMails(tx, {
    user_id,
    categories: mailCategories.filter((category) => changes[category] === false),
  });
  const wanted = mailCategories.filter((category) => changes[category] === true);
  if (wanted.length > 0) {
    await tx.sql
      .deleteFrom("mail_preferences")
      .where("company_id", "=", tx.company.id)
      .where("user_id", "=", user_id)
      .where("category", "in", wanted)
      .execute();
  }
  return getMailPreferences(tx, user_id);
}

/** Turns categories off, as often as is asked for. Of somebody who is gone nothing is noted. */
export async function stopMails(tx: WriteTx, { user_id, categories }: Unsubscription): Promise<void> {
  if (categories.length === 0) return;
  const [user] = await holdUsers(tx, [user_id]);
  if (user === undefined || user.anonymized_at !== null) return;
  await tx.sql
    .insertInto("mail_preferences")
    .values(categories.map((category) => ({ company_id: tx.company.id, user_id, category })))
    .onConflict((conflict) => conflict.columns(["company_id", "user_id", "category"]).doNothing())
    .execute();
}
