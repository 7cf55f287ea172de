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

/** The number of a new company. */
export async function takeCompanyId(database: Database): Promise<number> {
  return database.global(async (db) => {
    const { rows } = await sql<{ id: number }>`select nextval('company_ids') as id`.execute(db);
    const [row] = rows;
    if (row === undefined) throw new Error("the sequence gave no number");
    return row.id;
  });
}
