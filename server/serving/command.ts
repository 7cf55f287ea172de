import type { CreatedCompany } from "../companies/create.ts";
import { readConfig } from "../config.ts";
import type { Database } from "../db/db.ts";
import { checkDatabase, connectForCommand, openAddresses, prepareDatabase } from "./database.ts";
import { publicUrlOf } from "./public-url.ts";

/** Tells the operator something, apart from what a command prints as its result. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Prints a command's result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What whoever made a company is shown of it. */
export function describeKey({ company, api_key }: CreatedCompany): string {
  return `\n  Company    ${company.subdomain}\n  API key    ${api_key}   (shown this once)`;
}

/**
 * Runs a command on the database of the configuration, whether a server runs on it or not.
 * @param as the owner only for what the serving role may not, such as deleting the audit log with its company.
 */
export async function withDatabase<T>(
  run: (database: Database, publicUrl: string) => Promise<T>,
  as: "serving" | "owner" = "serving",
): Promise<T> {
  const config = readConfig();
  await using addresses = await openAddresses(config, "command", say);
  // The embedded database may have been made just now; another one is migrated when its operator says so.
  if (config.databaseUrl === undefined) await prepareDatabase(config, addresses, say);
  await checkDatabase(config, addresses);
  await using database = await connectForCommand(config, addresses, as);
  return await run(database, publicUrlOf(config));
}
