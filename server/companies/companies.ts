import { sql } from "kysely";
import type { Database, Tx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";

/** What every request knows of the company it acts for. */
export interface Company {
  readonly id: number;
  readonly subdomain: string;
  readonly time_zone: string;
  readonly requests_per_minute: number;
  readonly has_api: boolean;
  readonly has_learning_library: boolean;
  /** The address that the links in answers begin with. */
  readonly base_url: string;
}

/** A company that is not loaded yet: enough to set the wall and read its row. */
export function companyOfId(id: number): Company {
  return {
    id,
    subdomain: "",
    time_zone: "UTC",
    requests_per_minute: 1,
    has_api: false,
    has_learning_library: false,
    base_url: "",
  };
}

/** The company's row, with the links' base made from PUBLIC_URL. */
export async function findCompany(tx: Tx, publicUrl: string): Promise<Company | undefined> {
  const [row] = await selectCompany(tx, { company_id: tx.company.id });
  return row && { ...row, base_url: publicUrl.replaceAll("{subdomain}", row.subdomain) };
}

const selectCompany = prepare<{ company_id: number }, Omit<Company, "base_url">>((db, place) =>
  db
    .selectFrom("companies")
    .select([
      "company_id as id",
      "subdomain",
      "time_zone",
      "requests_per_minute",
      "has_api",
      "has_learning_library",
    ])
    .where("company_id", "=", place("company_id")),
);

/** Whether a company can be called so: 1 to 63 of a-z, 0-9 and -, not - at the ends. */
export function isSubdomain(text: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
}

/** Finds a company by its subdomain. */
export async function findCompanyBySubdomain(
  database: Database,
  subdomain: string,
  publicUrl: string,
): Promise<Company | undefined> {
  const owner = await database.global((db) =>
    db.selectFrom("subdomains").select("company").where("subdomain", "=", subdomain).executeTakeFirst(),
  );
  if (owner === undefined) return undefined;
  return database.read(companyOfId(owner.company), (tx) => findCompany(tx, publicUrl));
}

/** The subdomains of all companies, in alphabetical order. */
export async function listSubdomains(database: Database): Promise<{ subdomain: string; company: number }[]> {
  return database.global((db) =>
    db.selectFrom("subdomains").select(["subdomain", "company"]).orderBy("subdomain").execute(),
  );
}

/** All companies as requests see them, one after the other: for work that is done for each. */
export async function* walkCompanies(database: Database, publicUrl: string): AsyncGenerator<Company> {
  for (const { company: id } of await listSubdomains(database)) {
    const company = await database.read(companyOfId(id), (tx) => findCompany(tx, publicUrl));
    if (company !== undefined) yield company;
  }
}

/**
 * Works in every company, one after the other. One where that fails keeps no other from it.
 * @param work gives how much it has done.
 * @returns how much was done in all.
 * @throws AggregateError of what was thrown, in the end.
 */
export async function workInEachCompany(
  database: Database,
  publicUrl: string,
  work: (company: Company) => Promise<number>,
): Promise<number> {
  let done = 0;
  const errors: unknown[] = [];
  for await (const company of walkCompanies(database, publicUrl)) {
    try {
      done += await work(company);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join("; "));
  return done;
}

/** The number of a new company. */
export async function takeCompanyId(database: Database): Promise<number> {
  return database.global(async (db) => {
    const { rows } = await sql<{ id: number }>`select nextval('company_ids') as id`.execute(db);
    const [row] = rows;
    if (row === undefined) throw new Error("the sequence gave no number");
    return row.id;
  });
}
