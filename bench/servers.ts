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
  const env = { ...process.env, DATABASE_URL: url, HOST: "", PORT: "0", LOG_LEVEL: "info", WORKERS: "1" };
  const program = fileURLToPath(new URL("../bin/lectern.js", import.meta.url));
  return start([program, "serve"], {
    env,
    output: join(folder, "ours.log"),
    says: /listens on http:\/\/[^ ]+:([0-9]+)\n/,
  });
}

/** What it is measured against. */
export async function startBare(url: string, folder: string): Promise<Server> {
  const program = fileURLToPath(new URL("bare.ts", import.meta.url));
  return start([program, url], {
    env: process.env,
    output: join(folder, "bare.log"),
    says: /^port ([0-9]+)\n/,
  });
}

/** How much memory a process holds, in MiB. */
export async function residentMemory({ pid }: Server): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+([0-9]+) kB/m.exec(status)?.[1]) / 1024;
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
