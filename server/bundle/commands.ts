import { once } from "node:events";
import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Command } from "commander";
import { onCompany } from "../companies/commands.ts";
import { readConfig } from "../config.ts";
import { print, say } from "../serving/command.ts";
import { openSecrets } from "../serving/secrets.ts";
import { exportBundle } from "./export.ts";
import { importBundle } from "./import.ts";

/** import and export. */
export function addBundleCommands(program: Command): void {
  program
    .command("import")
    .description("bring a whole company in from a bundle: all of it, or nothing")
    .argument("<file>", "the bundle, or - for standard input")
    .requiredOption("--subdomain <subdomain>", "into which company")
    .option("--json", "print what was imported as JSON")
    .action(runImport);
  program
    .command("export")
    .description("write a whole company as a bundle")
    .argument("[file]", "where to, or - for standard output", "-")
    .requiredOption("--subdomain <subdomain>", "which company")
    .action(runExport);
}

interface ImportOptions {
  readonly subdomain: string;
  readonly json?: true;
}

async function runImport(file: string, { subdomain, json }: ImportOptions): Promise<void> {
  const summary = await onCompany(subdomain, (database, company) =>
    importBundle(database, company, file === "-" ? process.stdin : { file }),
  );
  if (json) return print(JSON.stringify(summary));
  const counts = Object.entries(summary).map(([kind, count]) => `${count} ${kind}`);
  print(`Imported into ${subdomain}: ${counts.join(", ")}.`);
}

async function runExport(file: string, { subdomain }: { readonly subdomain: string }): Promise<void> {
  const target: Writable = file === "-" ? process.stdout : createWriteStream(file, { mode: 0o600 });
  const secrets = await openSecrets(readConfig());
  await onCompany(subdomain, (database, company) =>
    exportBundle({ database, secrets }, company, async (chunk) => {
      if (!target.write(chunk)) await once(target, "drain");
    }),
  );
  if (file === "-") return;
  target.end();
  await finished(target);
  say(`Exported ${subdomain} to ${file}.`);
}
