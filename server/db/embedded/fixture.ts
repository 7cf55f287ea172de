import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { Client } from "pg";
import type { DatabaseAddress } from "./address.ts";
import { openCluster } from "./cluster.ts";
import { openDataFolder, statIfThere } from "./folder.ts";
import type { Role } from "./lock.ts";
import { clearLeftover } from "./leftover.ts";
import type { RunAs } from "./program.ts";
import { openEmbedded } from "./embedded.ts";
import { endProcess } from "./process.ts";
import { PATIENCE_MS, until } from "../../test/patience.ts";

export const execute = promisify(execFile);
export const quiet = (): void => undefined;

const NEW_FOLDER = join(tmpdir(), "lectern embedded ü-");

/** What another process runs: it opens the folder, says so, and closes it at SIGTERM. */
const LECTERN = `
const [code, dataDir, role] = process.argv.slice(1);
const { openEmbedded } = await import(code);
const say = (kind, text) => console.log(kind + " " + JSON.stringify(text));
process.on("SIGTERM", () => say("early", ""));
try {
  const database = await openEmbedded(dataDir, role, (line) => say("log", line));
  const alive = setInterval(() => undefined, 1000);
  process.on("SIGTERM", async () => {
    say("stopping", "");
    await database[Symbol.asyncDispose]();
    clearInterval(alive);
    say("stopped", "");
  });
  say("ready", database.owner.port);
} catch (error) {
  say("error", error.name + ": " + error.message);
  process.exitCode = 1;
}`;

/** A new empty folder, removed after the test together with the PostgreSQL that may still work in it. */
export async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(NEW_FOLDER);
  t.after(() => removeFolder(folder));
  return folder;
}

/** A data folder with a database in it that is the test's own, to do with as it likes. */
export async function makeData(t: TestContext): Promise<string> {
  return await fill(await makeFolder(t));
}

const whole: string[] = [];

/** The same for a test that leaves it whole: it is handed on to the next one, as making one takes a second. */
export async function borrowData(t: TestContext): Promise<string> {
  const data = whole.pop() ?? (await fill(await mkdtemp(NEW_FOLDER)));
  t.after(async () => {
    await stopLeftover(data);
    if ("passed" in t && t.passed === true) whole.push(data);
    else await removeFolder(dirname(data));
  });
  return data;
}

/** To be called after all tests of a file. */
export async function removeBorrowed(): Promise<void> {
  for (const data of whole) await removeFolder(dirname(data));
}

async function fill(folder: string): Promise<string> {
  const data = join(folder, "data");
  await (await openEmbedded(data, "server", quiet))[Symbol.asyncDispose]();
  return data;
}

async function removeFolder(folder: string): Promise<void> {
  await stopLeftover(join(folder, "data"));
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Starts the folder's PostgreSQL alone, as somebody else would, who listens on no port. It is ended after the test. */
export async function startBare(t: TestContext, data: string): Promise<ChildProcess> {
  const { binaries, folder, runAs } = await openCluster(await openDataFolder(data), quiet);
  const words = ["-D", "/proc/self/cwd", "-c", "listen_addresses=", "-k", "."];
  const bare = spawn(binaries.postgres, words, { ...runAs, cwd: folder.cluster, stdio: "ignore" });
  t.after(() => endProcess(bare.pid ?? 0, [["SIGQUIT", 5_000]]));
  const pidFile = join(folder.cluster, "postmaster.pid");
  await until("the bare PostgreSQL", async () =>
    /ready/.test(await readFile(pidFile, "utf8").catch(() => "")),
  );
  return bare;
}

/** How long the folder's PostgreSQL alone takes from its start until it is ready, in milliseconds. It has ended then. */
export async function timeBareStart(t: TestContext, data: string): Promise<number> {
  const begun = performance.now();
  const bare = await startBare(t, data);
  const tookMs = performance.now() - begun;
  bare.kill("SIGINT");
  await once(bare, "exit");
  return tookMs;
}

/** Those that this test has started. They are ended before its folder is cleared. */
const others: OtherLectern[] = [];

/** Another process that has opened a data folder. */
export class OtherLectern {
  readonly child: ChildProcess;
  readonly #lines: string[] = [];

  constructor(child: ChildProcess) {
    this.child = child;
    if (child.stdout === null) throw new Error("the child's output is piped");
    createInterface(child.stdout).on("line", (line) => {
      this.#lines.push(line);
      child.emit("said");
    });
  }

  /** Waits until it says something of a kind, and gives what it says. */
  async says(kind: string): Promise<unknown> {
    for (;;) {
      const line = this.#lines.find((text) => text.startsWith(`${kind} `));
      if (line !== undefined) return JSON.parse(line.slice(kind.length + 1));
      const signal = AbortSignal.timeout(PATIENCE_MS);
      try {
        await once(this.child, "said", { signal });
      } catch (error) {
        throw new Error(`no "${kind}" but ${JSON.stringify(this.#lines)}`, { cause: error });
      }
    }
  }

  hasSaid(start: string): boolean {
    return this.#lines.some((text) => text.startsWith(start));
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill(signal);
    await once(this.child, "exit");
  }
}

interface OtherOptions extends RunAs {
  /** The embedded.ts of another checkout. */
  readonly code?: string;
  /** What to run Node by, with words before it. */
  readonly by?: readonly string[];
  /** Code to run before. */
  readonly prelude?: string;
}

export function startOther(data: string, role: Role, options: OtherOptions = {}): OtherLectern {
  const { code = new URL("embedded.ts", import.meta.url).href, by = [], prelude = "", ...runAs } = options;
  const script = prelude + LECTERN;
  const words = [...by, process.execPath, "--input-type=module", "-e", script, code, data, role];
  const child = spawn(words[0] ?? process.execPath, words.slice(1), {
    ...runAs,
    cwd: "/",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const other = new OtherLectern(child);
  others.push(other);
  return other;
}

/** Runs one statement and gives its rows' first columns. */
export async function ask(address: DatabaseAddress, sql: string): Promise<unknown[]> {
  const client = new Client(address);
  client.on("error", quiet);
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
    return rows.map(([value]) => value);
  } finally {
    await client.end();
  }
}

export async function postmasterPid(data: string): Promise<number> {
  return Number((await readFile(join(data, "postgres", "postmaster.pid"), "utf8")).split("\n")[0]);
}

async function stopLeftover(data: string): Promise<void> {
  for (const other of others.splice(0)) await other.end("SIGKILL");
  if ((await statIfThere(data)) === undefined) return;
  try {
    await clearLeftover(await openDataFolder(data), quiet);
  } catch {
    // Nothing was made there, which some tests are about.
  }
}
