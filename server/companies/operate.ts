import { audit } from "../db/audit.ts";
import { getTotal } from "../db/counters.ts";
import type { Database } from "../db/db.ts";
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
  for (const { company } of await listSubdomains(database)) companies.push(await getCompany(database, company));
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
  if (Object.keys(columns).length > 0) {
    await database.write(company, commandActor, async (tx) => {
      await tx.sql.updateTable("companies").set(columns).where("company_id", "=", company.id).execute();
      await audit(tx, {
        action: "update_company",
        resource_type: "company",
        resource_id: company.id,
        after: columns,
        at: tx.now.toISOString(),
      });
    });
  }
  return getCompany(database, company.id);
}

async function getCompany(database: Database, id: number): Promise<CompanyListItem> {
  return database.read(companyOfId(id), async (tx) => {
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
      .where("company_id", "=", id)
      .executeTakeFirstOrThrow();
    return { ...row, users: await getTotal(tx, "users") };
  });
}
