import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import type { SignInMethods } from "../sessions/v2-schema.ts";
import { findProvider } from "./providers.ts";

/** How the people of a company sign in: what a page asks before it shows a form. */
export async function getSignInMethods(tx: Tx): Promise<Static<typeof SignInMethods>> {
  const company = await tx.sql
    .selectFrom("companies")
    .select(["subdomain", "name"])
    .where("company_id", "=", tx.company.id)
    .executeTakeFirstOrThrow();
  const provider = await findProvider(tx);
  return {
    company,
    password: provider?.allows_passwords ?? true,
    single_sign_on:
      provider === undefined
        ? null
        : `${tx.company.base_url}/api/v2/companies/${company.subdomain}/single_sign_on/start`,
  };
}
