import type { Tx, WriteTx } from "../../db/db.ts";
import { makeLink } from "../../sessions/links.ts";
import { findOwner } from "../../sessions/passwords.ts";
import { allowsPasswords } from "../../sso/providers.ts";
import { accountCreatedMail } from "../../users/mail-account-created.ts";
import { formatDate } from "../rendering/format.ts";
import { type Teller, teller } from "./telling.ts";

/** Tells people that they have an account. */
export const accountTellers: readonly Teller[] = [
  teller(accountCreatedMail, async (tx, notices, { user_id, locale, time_zone }) => {
    const company_name = await getCompanyName(tx);
    const { url, expires_at } = await openAccount(tx, user_id);
    const valid_until = expires_at && formatDate(locale, time_zone, expires_at);
    return notices.map(({ key }) => ({ key, facts: { company_name, valid_until }, url, about: "account" }));
  }),
];

/** Where somebody gets into their account: by a link that sets a first password, or where they sign in. */
async function openAccount(
  tx: WriteTx,
  user_id: number,
): Promise<{ readonly url: string; readonly expires_at: string | null }> {
  const { hash } = await findOwner(tx, user_id);
  if (hash === null && (await allowsPasswords(tx))) return makeLink(tx, "invitation", user_id);
  return { url: `${tx.company.base_url}/sign-in?company=${tx.company.subdomain}`, expires_at: null };
}

/** What the company calls itself. */
export async function getCompanyName(tx: Tx): Promise<string> {
  const { name } = await tx.sql
    .selectFrom("companies")
    .select("name")
    .where("company_id", "=", tx.company.id)
    .executeTakeFirstOrThrow();
  return name;
}
