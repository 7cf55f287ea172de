import { Argument, type Command } from "commander";
import { readConfig } from "../config.ts";
import { openDepot } from "../files/depot.ts";
import { describeKey, print, say, withDatabase } from "./command.ts";
import { openAddresses, prepareDatabase } from "./database.ts";
import { setMaintenance } from "./maintenance.ts";
import { openSecrets } from "./secrets.ts";

/** migrate, demo and maintenance. */
export function addDatabaseCommands(program: Command): void {
  program.command("migrate").description("bring the database to this version's schema").action(runMigrations);
  program
    .command("demo")
    .description("make a demo company to try things with")
    .option("--subdomain <subdomain>", "its subdomain", "demo")
    .option("--json", "print what was made as JSON")
    .action(demo);
  program
    .command("maintenance")
    .description("answer 503 to every API call, or stop doing so")
    .addArgument(new Argument("<state>", "whether it is in maintenance").choices(["on", "off"]))
    .action(switchMaintenance);
}

async function runMigrations(): Promise<void> {
  const config = readConfig();
  await using addresses = await openAddresses(config, "command", say);
  const applied = await prepareDatabase(config, addresses, say);
  print(applied.length === 0 ? "The database is up to date." : `Applied ${applied.join(", ")}`);
}

async function demo(options: { readonly subdomain: string; readonly json?: true }): Promise<void> {
  const config = readConfig();
  const { makeDemo } = await import("../demo/demo.ts");
  const secrets = await openSecrets(config);
  using files = await openDepot(config, secrets);
  const made = await withDatabase((database, publicUrl) =>
    makeDemo({ database, files, secrets, publicUrl }, options.subdomain),
  );
  print(options.json ? JSON.stringify(made) : describeKey(made));
}

async function switchMaintenance(state: "on" | "off"): Promise<void> {
  await withDatabase((database) => setMaintenance(database, state));
  print(`Maintenance is ${state}.`);
}
