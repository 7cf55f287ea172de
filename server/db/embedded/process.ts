import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 20;
/** Where the state and the start time stand in /proc/<pid>/stat, counted from the end of the command's name. */
const STATE_FIELD = 0;
const START_FIELD = 19;

/**
 * Gives a mark that tells this process from every other one that gets the same number later: when it started,
 * and in which boot of the machine. Undefined when no such process lives. A dead one that its parent has not
 * asked about yet (a zombie, for ever so where process 1 is no real init) does not live.
 */
export async function birthOf(pid: number): Promise<string | undefined> {
  const stat = await readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name stands in parentheses and may itself hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[STATE_FIELD];
  if (state === "Z" || state === "X") return undefined;
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
  return `${fields[START_FIELD]}@${boot.trim()}`;
}

/** Sends the signals in turn, each with its time to work. Says whether the process ended. */
export async function endProcess(
  pid: number,
  steps: readonly (readonly [signal: NodeJS.Signals, limitMs: number])[],
): Promise<boolean> {
  const birth = await birthOf(pid);
  if (birth === undefined) return true;
  for (const [signal, limitMs] of steps) {
    if ((await birthOf(pid)) !== birth) return true;
    signalIfThere(pid, signal);
    const deadline = Date.now() + limitMs;
    while (Date.now() < deadline) {
      await sleep(POLL_MS);
      if ((await birthOf(pid)) !== birth) return true;
    }
  }
  return false;
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isCode(error, "ESRCH")) throw error;
  }
}

/** Reads a small text. Undefined when it is not there, or when its process just went. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR", "ESRCH")) return undefined;
    throw error;
  }
}

/** Says whether an error carries one of these codes: the system's (`ENOENT`) or PostgreSQL's (`57P03`). */
export function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}
