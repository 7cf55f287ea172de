import { companyOfId, listSubdomains } from "../companies/companies.ts";
import type { Database, Tx } from "../db/db.ts";
import type { Secrets } from "../secrets.ts";

/** Companies that are asked, so that a start stays short where there are many. */
const MOST_ASKED = 1_000;

/** Whether the secrets of webhooks were sealed under another key, as the first that has one tells. */
export async function isSealedUnderAnotherKey(database: Database, secrets: Secrets): Promise<boolean> {
  const companies = await listSubdomains(database);
  for (const { company } of companies.slice(0, MOST_ASKED)) {
    const sealed = await database.read(companyOfId(company), findSealed);
    if (sealed !== undefined) return secrets.open("webhooks", sealed) === undefined;
  }
  return false;
}

/** The newest, as who gives a webhook a new secret has seen to it. */
async function findSealed(tx: Tx): Promise<string | undefined> {
  const endpoint = await tx.sql
    .selectFrom("webhook_endpoints")
    .select("secret")
    .where("company_id", "=", tx.company.id)
    .where("secret", "is not", null)
    .where("deleted_at", "is", null)
    .orderBy("updated_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return endpoint?.secret ?? undefined;
}
