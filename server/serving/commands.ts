import cluster from "node:cluster";
import type { Command } from "commander";
import type { Ground } from "../demo/demo.ts";
import { listSubdomains } from "../companies/companies.ts";
import { type Config, readConfig } from "../config.ts";
import { openDepot } from "../files/depot.ts";
import type { CreatedCompany } from "../companies/create.ts";
import { describeKey, print, say } from "./command.ts";
import {
  type Addresses,
  checkDatabase,
  connectForCommand,
  openAddresses,
  prepareDatabase,
} from "./database.ts";
import { openSecrets } from "./secrets.ts";
import { publicUrlOf } from "./public-url.ts";
import { startServer } from "./serve.ts";
import { startJobs } from "./jobs.ts";
import { openTransport } from "./transport.ts";
import { runWorker, startWorkers } from "./workers.ts";

/** start, serve and work. */
export function addServingCommands(program: Command): void {
  program
    .command("start")
    .description(
      "everything in one: the database, migrations, a demo company on the first run, the API and the jobs",
    )
    .option("--workers <number>", "how many processes serve requests (or WORKERS)")
    .action((options: { workers?: string }) => (cluster.isWorker ? runWorker() : start(readWith(options))));
  program
    .command("serve")
    .description("the API, on a database that is migrated")
    .option("--workers <number>", "how many processes serve requests (or WORKERS)")
    .action((options: { workers?: string }) => (cluster.isWorker ? runWorker() : serve(readWith(options))));
  program.command("work").description("the jobs, on a database that is migrated").action(work);
}

function readWith({ workers }: { readonly workers?: string }): Config {
  return readConfig(workers === undefined ? {} : { WORKERS: workers });
}

async function start(config: Config): Promise<void> {
  await openTransport(config);
  await using stack = new AsyncDisposableStack();
  const stopped = untilStopped();
  const addresses = stack.use(await openAddresses(config, "server", say));
  await prepareDatabase(config, addresses, say);
  await checkDatabase(config, addresses);
  const database = stack.use(await connectForCommand(config, addresses));
  const secrets = await openSecrets(config);
  const files = stack.use(await openDepot(config, secrets));
  const made = await makeDemoOnFirstRun({ database, files, secrets, publicUrl: publicUrlOf(config) });
  const { address } = stack.use(await listen(config, addresses));
  stack.use(
    await startJobs({
      addresses,
      files,
      secrets,
      config: { ...config, publicUrl: config.publicUrl ?? address },
    }),
  );
  welcome(address, made);
  await Promise.race([stopped, fails(addresses)]);
}

async function serve(config: Config): Promise<void> {
  await openTransport(config);
  await using stack = new AsyncDisposableStack();
  const stopped = untilStopped();
  const addresses = stack.use(await openAddresses(config, "server", say));
  if (config.databaseUrl === undefined) await prepareDatabase(config, addresses, say);
  await checkDatabase(config, addresses);
  const { address } = stack.use(await listen(config, addresses));
  print(`Lectern listens on ${address}`);
  await Promise.race([stopped, fails(addresses)]);
}

async function work(): Promise<void> {
  const config = readConfig();
  if (config.publicUrl === undefined) {
    say("PUBLIC_URL is not set: links in mails and webhooks lead to this machine. Set it as for `serve`.");
  }
  await using stack = new AsyncDisposableStack();
  const stopped = untilStopped();
  const addresses = stack.use(await openAddresses(config, "command", say));
  await checkDatabase(config, addresses);
  const secrets = await openSecrets(config);
  const files = stack.use(await openDepot(config, secrets));
  stack.use(await startJobs({ config, addresses, files, secrets }));
  print("Lectern does the jobs");
  await Promise.race([stopped, fails(addresses)]);
}

/** One process serves by itself; several need one that watches over them. */
async function listen(
  config: Config,
  { servingUrl }: Addresses,
): Promise<AsyncDisposable & { readonly address: string }> {
  if (config.workers > 1) return startWorkers(config, servingUrl, say);
  return startServer({ config, servingUrl, metrics: (own) => own() });
}

/** Only a service without any company gets a demo: started again, it keeps what it has. */
async function makeDemoOnFirstRun(ground: Ground): Promise<CreatedCompany | undefined> {
  const companies = await listSubdomains(ground.database);
  if (companies.length > 0) return undefined;
  const { makeDemo } = await import("../demo/demo.ts");
  return makeDemo(ground, "demo");
}

function welcome(address: string, made: CreatedCompany | undefined): void {
  print(`Lectern listens on ${address}`);
  if (made === undefined) return;
  print(`${describeKey(made)}\n\nTry it:\n`);
  print(`  curl -u ${made.company.subdomain}:${made.api_key} ${address}/api/v1/users`);
  print(`\nThe API is described at ${address}/docs`);
}

/**
 * Resolves at the first SIGTERM or Ctrl-C. Those that follow change nothing: one Ctrl-C comes as several, from the
 * terminal and from npm, and must not cut off the requests that the first lets finish.
 */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => resolve());
  });
}

async function fails({ failed }: Addresses): Promise<never> {
  throw await failed;
}
