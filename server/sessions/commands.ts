import type { Command } from "commander";
import { onCompany } from "../companies/commands.ts";
import { commandActor } from "../companies/create.ts";
import type { WriteTx } from "../db/db.ts";
import { OperatorError } from "../operator-error.ts";
import { print } from "../serving/command.ts";
import { toEmailKey } from "../users/users.ts";
import { makeLink } from "./links.ts";

/** user reset-link */
export function addSignInCommands(program: Command): void {
  const user = program.command("user").description("let people in again");
  user
    .command("reset-link")
    .description(
      "print a link that sets a password and signs in, once; also where passwords are switched off",
    )
    .requiredOption("--subdomain <subdomain>", "which company")
    .requiredOption("--email <email>", "whose")
    .option("--json", "as JSON")
    .action(resetLink);
}

interface ResetLinkOptions {
  readonly subdomain: string;
  readonly email: string;
  readonly json?: true;
}

async function resetLink({ subdomain, email, json }: ResetLinkOptions): Promise<void> {
  const made = await onCompany(subdomain, (database, company) =>
    database.write(company, commandActor, async (tx) => makeLink(tx, "reset", await getUserId(tx, email))),
  );
  print(json ? JSON.stringify(made) : `${made.url}\nIt works once, until ${made.expires_at}.`);
}

/** @throws OperatorError when nobody active has the e-mail. */
async function getUserId(tx: WriteTx, email: string): Promise<number> {
  const user = await tx.sql
    .selectFrom("users")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("email_key", "=", toEmailKey(email))
    .where("archived_at", "is", null)
    .executeTakeFirst();
  if (user === undefined) throw new OperatorError(`Nobody active of ${tx.company.subdomain} has ${email}.`);
  return user.id;
}
