import { audit } from "../db/audit.ts";
import { getTotal, lockCounters } from "../db/counters.ts";
import type { Database, Tx } from "../db/db.ts";
import { moveToMorningIn } from "../mail/notices.ts";
import { utcTime } from "../time.ts";
import { type Company, companyOfId, listSubdomains } from "./companies.ts";
import { commandActor } from "./create.ts";

/** A company as an operator sees it. */
export interface CompanyListItem {
  readonly id: number;
  readonly subdomain: string;
  readonly name: string;
  readonly time_zone: string;
  readonly requests_per_minute: number;
  readonly has_api: boolean;
  readonly has_learning_library: boolean;
  readonly created_at: string;
  readonly users: number;
}

/** All companies, each read behind its own wall. */
export async function listCompanies(database: Database): Promise<CompanyListItem[]> {
  const companies: CompanyListItem[] = [];
  for (const { company } of await listSubdomains(database)) {
    companies.push(await database.read(companyOfId(company), getCompany));
  }
  return companies;
}

/** What an operator may change of a company; what is undefined stays. */
export interface CompanyChanges {
  readonly name: string | undefined;
  readonly time_zone: string | undefined;
  readonly requests_per_minute: number | undefined;
  readonly has_api: boolean | undefined;
  readonly has_learning_library: boolean | undefined;
}

/** Changes a company; its processes follow within a second. */
export async function updateCompany(
  database: Database,
  company: Company,
  changes: CompanyChanges,
): Promise<CompanyListItem> {
  const columns = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return database.write(company, commandActor, async (tx) => {
    if (changes.time_zone !== undefined) await lockCounters(tx, "mails");
    const row = tx.sql.selectFrom("companies").select("company_id").where("company_id", "=", company.id);
    await row.forUpdate().executeTakeFirstOrThrow();
    const before = await getCompany(tx);
    if (Object.keys(columns).length === 0) return before;
    await tx.sql.updateTable("companies").set(columns).where("company_id", "=", company.id).execute();
    const after = await getCompany(tx);
    if (after.time_zone !== before.time_zone) await moveToMorningIn(tx, after.time_zone);
    const at = tx.now.toISOString();
    await audit(tx, {
      action: "update_company",
      resource_type: "company",
      resource_id: company.id,
      before,
      after,
      at,
    });
    return after;
  });
}

async function getCompany(tx: Tx): Promise<CompanyListItem> {
  const row = await tx.sql
    .selectFrom("companies")
    .select([
      "company_id as id",
      "subdomain",
      "name",
      "time_zone",
      "requests_per_minute",
      "has_api",
      "has_learning_library",
      "created_at",
    ])
    .where("company_id", "=", tx.company.id)
    .executeTakeFirstOrThrow();
  return { ...row, created_at: utcTime(row.created_at), users: await getTotal(tx, "users") };
}
