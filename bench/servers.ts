import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A server in a process of its own. Dispose it to stop it. */
export interface Server extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
}

const START_TIMEOUT_MS = 20_000;
const STEP_MS = 50;

/** The product as it is run, logging each request into a file. */
export async function startOurs(url: string, folder: string): Promise<Server> {
  return start([lectern, "serve"], {
    env: toEnvironment(url, folder),
    output: join(folder, "ours.log"),
    says: /listens on http:\/\/[^ ]+:([0-9]+)\n/,
  });
}

/** What does the product's jobs, such as sending webhooks. It listens on no port. */
export async function startWorker(url: string, folder: string): Promise<Server> {
  return start([lectern, "work"], {
    // It knows by this that the receiver on its own machine is no secret.
    env: { ...toEnvironment(url, folder), PUBLIC_URL: "http://127.0.0.1" },
    output: nextOutput(folder, "worker"),
    says: /^Lectern does the jobs()\n/m,
  });
}

/** What it is measured against. */
export async function startBare(url: string, folder: string): Promise<Server> {
  return start([pathOf("bare.ts"), url], {
    env: process.env,
    output: join(folder, "bare.log"),
    says: /^port ([0-9]+)\n/,
  });
}

/** What the worker is measured against, for some companies. It listens on no port. */
export async function startBareWebhooks(
  url: string,
  folder: string,
  companies: readonly number[],
): Promise<Server> {
  return start([pathOf("bare-webhooks.ts"), url, ...companies.map(String)], {
    env: process.env,
    output: nextOutput(folder, "bare-webhooks"),
    says: /^delivers()\n/,
  });
}

/** What webhooks are sent to. */
export async function startReceiver(folder: string): Promise<Server> {
  return start([pathOf("receiver.ts")], {
    env: process.env,
    output: join(folder, "receiver.log"),
    says: /^port ([0-9]+)\n/,
  });
}

/** How much memory a process holds, in MiB. */
export async function residentMemory({ pid }: Server): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+([0-9]+) kB/m.exec(status)?.[1]) / 1024;
}

const lectern = pathOf("../bin/lectern.js");

function pathOf(program: string): string {
  return fileURLToPath(new URL(program, import.meta.url));
}

/** All of the product's processes share a folder, with what their secrets are sealed by. */
function toEnvironment(url: string, folder: string): NodeJS.ProcessEnv {
  const shared = { DATABASE_URL: url, DATA_DIR: join(folder, "lectern"), HOST: "", PORT: "0" };
  return { ...process.env, ...shared, LOG_LEVEL: "info", WORKERS: "1" };
}

let outputs = 0;

/** A file of its own for each process that is started more than once. */
function nextOutput(folder: string, name: string): string {
  outputs += 1;
  return join(folder, `${name}-${outputs}.log`);
}

interface Program {
  readonly env: NodeJS.ProcessEnv;
  readonly output: string;
  readonly says: RegExp;
}

async function start(args: readonly string[], { env, output, says }: Program): Promise<Server> {
  const file = await open(output, "w");
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", file.fd, "inherit"] });
  await file.close();
  const { pid } = child;
  if (pid === undefined) throw new Error(`${args.join(" ")} can't be started`);
  const port = await becomesReady(child, output, says);
  return { port, pid, [Symbol.asyncDispose]: () => stop(child) };
}

async function becomesReady(child: ChildProcess, output: string, says: RegExp): Promise<number> {
  const until = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < until && child.exitCode === null) {
    const port = says.exec(await readFile(output, "utf8"))?.[1];
    if (port !== undefined) return Number(port);
    await sleep(STEP_MS);
  }
  await stop(child);
  throw new Error(`a server did not start: see ${output}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
