import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { variables } from "../config.ts";
import { openEmbedded } from "../db/embedded/embedded.ts";
import type { Answer } from "./server.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/lectern.js", import.meta.url));
/** A process that says nothing for this long hangs: on a machine that others use too a start has taken half a minute. */
const PATIENCE_MS = 300_000;

/** What the environment sets for Lectern; all that is not here has its default. */
export type Settings = Readonly<Record<string, string>>;

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the command line, as a shell does, to its end. */
export async function runCommand(
  settings: Settings,
  args: readonly string[],
  input = "",
): Promise<CommandResult> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: environment(settings), stdio: "pipe" });
  child.stdin.end(input);
  const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  clearTimeout(late);
  return { code: child.exitCode, stdout, stderr };
}

/** What a server says when it is ready, with its address. */
const LISTENS = /^Lectern listens on (\S+)/;

/** Starts `lectern start`, `serve` or another command that goes on, in a process group of its own, as a terminal does, on a free port. */
export async function startLectern(
  settings: Settings,
  args: readonly string[] = ["serve"],
  ready = LISTENS,
): Promise<RunningLectern> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: environment({ PORT: "0", ...settings }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const lectern = new RunningLectern(child);
  try {
    const [, address = ""] = await lectern.says(ready);
    lectern.address = address;
    return lectern;
  } catch (error) {
    await lectern[Symbol.asyncDispose]();
    throw error;
  }
}

/** A Lectern of its own process. Disposing it kills it, with all processes of its group, if it still runs. */
export class RunningLectern implements AsyncDisposable {
  address = "";
  /** All that it has written so far, to either output. */
  readonly lines: string[] = [];
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = once(child, "exit").then(() => child.exitCode);
    for (const output of [child.stdout, child.stderr]) {
      if (output === null) throw new Error("its outputs are pipes");
      createInterface(output).on("line", (line) => {
        this.lines.push(line);
        child.emit("said");
      });
    }
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("it was not started");
    return this.#child.pid;
  }

  /** Waits for a line, and gives what the expression finds in it. */
  async says(expression: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      for (const line of this.lines) {
        const found = expression.exec(line);
        if (found !== null) return found;
      }
      const said = once(this.#child, "said", { signal: AbortSignal.timeout(PATIENCE_MS) });
      const hasEnded = await Promise.race([said, this.ended]).then((what) => !Array.isArray(what));
      if (hasEnded) throw new Error(`It ended without ${String(expression)}:\n${this.lines.join("\n")}`);
    }
  }

  /** Sends a signal to it alone, as a service manager does. @returns its exit code. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    process.kill(this.pid, signal);
    return this.ended;
  }

  /** Sends a signal to all of its process group, as Ctrl-C in a terminal does. @returns its exit code. */
  async interrupt(): Promise<number | null> {
    process.kill(-this.pid, "SIGINT");
    return this.ended;
  }

  /** Calls its API. */
  async request(path: string, { method = "GET", authorization, body }: Call = {}): Promise<Answer> {
    const answer = await fetch(this.address + path, {
      method,
      headers: {
        ...(authorization && { authorization }),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const written = await answer.text();
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
    return {
      status: answer.status,
      body: isJson ? JSON.parse(written) : written,
      headers: Object.fromEntries(answer.headers),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    process.kill(-this.pid, "SIGKILL");
    await this.ended;
  }
}

interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly authorization?: string;
  readonly body?: object | undefined;
}

/** Removes a data folder, with the PostgreSQL that a killed Lectern has left in it. */
export async function removeData(dataDir: string): Promise<void> {
  if (existsSync(dataDir)) {
    const embedded = await openEmbedded(dataDir, "server", () => undefined);
    await embedded[Symbol.asyncDispose]();
  }
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
}

export function basic(subdomain: string, key: string): string {
  return `Basic ${Buffer.from(`${subdomain}:${key}`).toString("base64")}`;
}

/** Nothing that this process's environment sets for Lectern may change a test. */
function environment(settings: Settings): NodeJS.ProcessEnv {
  const names = new Set(Object.values(variables).map(({ name }): string => name));
  const rest = Object.entries(process.env).filter(([name]) => !names.has(name) && !name.startsWith("NODE_"));
  return { ...Object.fromEntries(rest), ...settings };
}
