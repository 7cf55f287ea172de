import { type Command, InvalidArgumentError, Option } from "commander";
import { readConfig } from "../config.ts";
import { removeFilesOfCompany } from "../files/store.ts";
import { OperatorError } from "../operator-error.ts";
import type { Database } from "../db/db.ts";
import { print, withDatabase } from "../serving/command.ts";
import { isTimeZone } from "../time.ts";
import { hashPassword } from "../users/passwords.ts";
import { createApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";
import { type Company, findCompanyBySubdomain, isSubdomain } from "./companies.ts";
import { commandActor, createCompany, DEFAULT_REQUESTS_PER_MINUTE } from "./create.ts";
import { deleteCompany } from "./delete.ts";
import { listCompanies, updateCompany } from "./operate.ts";
import { readPassword } from "./password-input.ts";

/** company create | list | update | delete, and api-key create | list | revoke. */
export function addCompanyCommands(program: Command): void {
  const company = program.command("company").description("make, list, change and delete companies");
  addSettings(company.command("create"))
    .description("make a company with its first administrator and an API key")
    .requiredOption("--subdomain <subdomain>", "its name in sign-ins and addresses", readSubdomain)
    .requiredOption("--name <name>", "its name", readName)
    .requiredOption("--admin-name <name>", "the administrator's name", readPersonName)
    .requiredOption("--admin-email <email>", "the administrator's e-mail", readEmail)
    .option("--admin-password <password>", "the administrator's password; asked for when it is left out")
    .option("--admin-password-stdin", "read the password from standard input")
    .option("--json", "print what was made as JSON")
    .action(create);
  company.command("list").description("list the companies").option("--json", "as JSON").action(list);
  addSettings(company.command("update"))
    .description("change a company")
    .requiredOption("--subdomain <subdomain>", "which company")
    .option("--name <name>", "its new name", readName)
    .addOption(
      new Option("--with-learning-library", "switch the learning library on").conflicts(
        "withoutLearningLibrary",
      ),
    )
    .addOption(new Option("--with-api", "switch the API on").conflicts("withoutApi"))
    .option("--json", "print the company as JSON")
    .action(update);
  company
    .command("delete")
    .description("delete a company and everything of it")
    .requiredOption("--subdomain <subdomain>", "which company")
    .option("--yes", "really: there is no way back but a backup")
    .action(remove);
  addApiKeyCommands(program.command("api-key").description("make, list and revoke API keys"));
}

function addSettings(command: Command): Command {
  return command
    .option("--time-zone <zone>", "its time zone, such as Europe/Berlin", readTimeZone)
    .option("--requests-per-minute <number>", "its rate limit", readPositive)
    .option("--without-learning-library", "switch the learning library off")
    .option("--without-api", "switch the API off");
}

function addApiKeyCommands(command: Command): void {
  command
    .command("create")
    .description("make a key; it is shown this once")
    .requiredOption("--subdomain <subdomain>", "which company")
    .option("--name <name>", "what it is for", readName, "Command line")
    .option("--json", "as JSON")
    .action(createKey);
  command
    .command("list")
    .description("list the keys, without the keys themselves")
    .requiredOption("--subdomain <subdomain>", "which company")
    .option("--json", "as JSON")
    .action(listKeys);
  command
    .command("revoke")
    .description("end a key: every process refuses it within a second")
    .argument("<id>", "the key's id, from the list", readPositive)
    .requiredOption("--subdomain <subdomain>", "which company")
    .action(revokeKey);
}

interface Settings {
  readonly subdomain: string;
  readonly name?: string;
  readonly timeZone?: string;
  readonly requestsPerMinute?: number;
  readonly withLearningLibrary?: true;
  readonly withoutLearningLibrary?: true;
  readonly withApi?: true;
  readonly withoutApi?: true;
  readonly json?: true;
}

interface NewCompanyOptions extends Settings {
  readonly name: string;
  readonly adminName: string;
  readonly adminEmail: string;
  readonly adminPassword?: string;
  readonly adminPasswordStdin?: true;
}

async function create(options: NewCompanyOptions): Promise<void> {
  const password_hash = await hashPassword(await readPassword(options));
  const made = await withDatabase((database) =>
    createCompany(database, {
      subdomain: options.subdomain,
      name: options.name,
      time_zone: options.timeZone ?? "UTC",
      requests_per_minute: options.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE,
      has_api: options.withoutApi === undefined,
      has_learning_library: options.withoutLearningLibrary === undefined,
      admin: { name: options.adminName, email: options.adminEmail, password_hash },
    }),
  );
  if (options.json) return print(JSON.stringify(made));
  print(
    `Made company ${made.company.subdomain} (${made.company.id}) with administrator ${made.admin.email}.`,
  );
  print(`API key, shown this once: ${made.api_key}`);
}

async function list({ json }: { readonly json?: true }): Promise<void> {
  const companies = await withDatabase(listCompanies);
  if (json) return print(JSON.stringify(companies));
  if (companies.length === 0) print("There is no company yet. Make one: lectern company create --help");
  for (const { id, subdomain, name, users } of companies)
    print(`${id}\t${subdomain}\t${name}\t${users} users`);
}

async function update(options: Settings): Promise<void> {
  const changed = await onCompany(options.subdomain, (database, company) =>
    updateCompany(database, company, {
      name: options.name,
      time_zone: options.timeZone,
      requests_per_minute: options.requestsPerMinute,
      has_api: toFlag(options.withApi, options.withoutApi),
      has_learning_library: toFlag(options.withLearningLibrary, options.withoutLearningLibrary),
    }),
  );
  print(options.json ? JSON.stringify(changed) : `Changed ${changed.subdomain}.`);
}

function toFlag(on: true | undefined, off: true | undefined): boolean | undefined {
  if (on === undefined && off === undefined) return undefined;
  return on === true;
}

async function remove({
  subdomain,
  yes,
}: {
  readonly subdomain: string;
  readonly yes?: true;
}): Promise<void> {
  if (yes === undefined) {
    throw new OperatorError(
      `This deletes ${subdomain} with all its people and results. To do it, add --yes.`,
    );
  }
  const id = await onCompany(
    subdomain,
    async (database, company) => {
      await deleteCompany(database, company);
      return company.id;
    },
    "owner",
  );
  await removeFilesOfCompany(readConfig(), id);
  print(`Deleted ${subdomain}.`);
}

async function createKey(options: {
  readonly subdomain: string;
  readonly name: string;
  readonly json?: true;
}) {
  const { id, key, prefix } = await onCompany(options.subdomain, (database, company) =>
    database.write(company, commandActor, (tx) =>
      createApiKey(tx, { name: options.name, made_by_user_id: null }),
    ),
  );
  print(
    options.json
      ? JSON.stringify({ id, name: options.name, prefix, api_key: key })
      : `API key, shown this once: ${key}`,
  );
}

async function listKeys({
  subdomain,
  json,
}: {
  readonly subdomain: string;
  readonly json?: true;
}): Promise<void> {
  const keys = await onCompany(subdomain, (database, company) => database.read(company, listApiKeys));
  if (json) return print(JSON.stringify(keys));
  for (const key of keys) {
    const state =
      key.revoked_at === null ? `last used ${key.last_used_at ?? "never"}` : `revoked ${key.revoked_at}`;
    print(`${key.id}\t${key.prefix}…\t${key.name}\tmade ${key.created_at}\t${state}`);
  }
}

async function revokeKey(id: number, { subdomain }: { readonly subdomain: string }): Promise<void> {
  const revoked = await onCompany(subdomain, (database, company) =>
    database.write(company, commandActor, (tx) => revokeApiKey(tx, id)),
  );
  if (!revoked) throw new OperatorError(`${subdomain} has no key ${id} in use. See: lectern api-key list`);
  print(`Revoked key ${id}.`);
}

/** Runs a command on one company. @throws OperatorError when there is none of that subdomain. */
export async function onCompany<T>(
  subdomain: string,
  run: (database: Database, company: Company) => Promise<T>,
  as: "serving" | "owner" = "serving",
): Promise<T> {
  return withDatabase(async (database, publicUrl) => {
    const company = await findCompanyBySubdomain(database, subdomain, publicUrl);
    if (company === undefined)
      throw new OperatorError(`There is no company ${subdomain}. See: lectern company list`);
    return run(database, company);
  }, as);
}

function readSubdomain(given: string): string {
  if (!isSubdomain(given)) {
    throw new InvalidArgumentError("Use 1 to 63 of a-z, 0-9 and -, not - at the ends.");
  }
  return given;
}

function readName(given: string): string {
  if (given.trim() === "" || given.length > 255) throw new InvalidArgumentError("Use 1 to 255 characters.");
  return given;
}

function readPersonName(given: string): string {
  if (/^ |[!@#$%^&*+=()|[\];`]/.test(given)) {
    throw new InvalidArgumentError(
      "A name can't begin with a space or have one of ! @ # $ % ^ & * + = ( ) | [ ] ; `",
    );
  }
  return readName(given);
}

function readEmail(given: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(given) || given.length > 254)
    throw new InvalidArgumentError("This is no e-mail address.");
  return given;
}

function readTimeZone(given: string): string {
  if (!isTimeZone(given)) throw new InvalidArgumentError("Use an IANA name, such as Europe/Berlin or UTC.");
  return given;
}

function readPositive(given: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(given)) throw new InvalidArgumentError("Use a positive whole number.");
  return Number(given);
}
