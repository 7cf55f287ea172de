import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { open, rename, type FileHandle } from "node:fs/promises";
import { statIfThere } from "./folder.ts";

/** The user a program runs as; empty for our own. */
export interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

export interface ProgramPlace {
  /** The folder it works in, which it may be unable to reach by name. */
  readonly folder: string;
  readonly runAs: RunAs;
  readonly logFile: string;
  readonly input?: FileHandle;
}

const MIB = 2 ** 20;
const LOG_LIMIT_BYTES = 10 * MIB;
const TAIL_LINES = 12;
const TAIL_BYTES = 8192;

/** Nothing of our own environment may turn PostgreSQL's head (PGDATA, PGPORT, LC_MESSAGES, TZ). */
export const PROGRAM_ENVIRONMENT = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" };

/**
 * The name of its own folder for a program of PostgreSQL. This link is followed without a look at the folders
 * above, so it works below /root for a user who may not search there.
 */
export const OWN_FOLDER = "/proc/self/cwd";

/** A running program of PostgreSQL. */
export class Program {
  /** Settles when it has ended, with words on how. */
  readonly ended: Promise<string>;
  readonly pid: number | undefined;
  readonly #child: ChildProcess;
  readonly #logFile: string;
  readonly #logStart: number;

  constructor(child: ChildProcess, logFile: string, logStart: number) {
    this.#child = child;
    this.#logFile = logFile;
    this.#logStart = logStart;
    this.pid = child.pid;
    this.ended = endOf(child);
  }

  get running(): boolean {
    return this.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get succeeded(): boolean {
    return this.#child.exitCode === 0;
  }

  /** The last lines that it has written to the log. */
  async lastLines(): Promise<string> {
    await using log = await open(this.#logFile);
    const { size } = await log.stat();
    const start = Math.max(this.#logStart, size - TAIL_BYTES);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start);
    return buffer.toString("utf8", 0, bytesRead).trim().split("\n").slice(-TAIL_LINES).join("\n");
  }
}

/**
 * Starts a program of PostgreSQL. It writes straight to the log file and has a session of its own, so Ctrl-C in a
 * terminal does not reach it: Lectern first ends the requests under way, then stops it. The folder is entered
 * before the user is changed, which is what makes OWN_FOLDER work.
 */
export async function startProgram(
  file: string,
  args: readonly string[],
  place: ProgramPlace,
): Promise<Program> {
  await rotate(place.logFile);
  await using log = await open(place.logFile, "a", 0o600);
  const { size } = await log.stat();
  const child = spawn(file, args, {
    ...place.runAs,
    cwd: place.folder,
    env: PROGRAM_ENVIRONMENT,
    detached: true,
    stdio: [place.input?.fd ?? "ignore", log.fd, log.fd],
  });
  return new Program(child, place.logFile, size);
}

async function endOf(child: ChildProcess): Promise<string> {
  try {
    await once(child, "exit");
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`;
}

async function rotate(logFile: string): Promise<void> {
  const found = await statIfThere(logFile);
  if (found !== undefined && found.size > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`);
}
