import { createHash, randomUUID } from "node:crypto";
import { link, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { birthOf, isCode, readIfThere } from "./process.ts";

/** `server` keeps the database running; `command` comes and goes. */
export type Role = "server" | "command";

export interface Holder {
  readonly pid: number;
  readonly role: Role;
}

/** The right to start and stop the PostgreSQL of a data folder, until it is released. */
export class HeldLock {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async release(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}

const RETRY_PAUSE_MS = 10;

/**
 * Takes the lock of a data folder, or says which living process has it. A lock whose process is dead counts for
 * nothing, also when another process has got its number since.
 */
export async function takeLock(file: string, role: Role): Promise<HeldLock | Holder> {
  const text = `${process.pid}\n${await birthOf(process.pid)}\n${role}\n${randomUUID()}\n`;
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, text, { flag: "wx", mode: 0o644 });
  try {
    return (await claim(file, draft)) ?? new HeldLock(file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Gives undefined when the lock is ours. The draft is linked, so the lock is never seen empty or half written. */
async function claim(file: string, draft: string): Promise<Holder | undefined> {
  for (;;) {
    if (await linkNew(draft, file)) return undefined;
    const text = await readIfThere(file);
    if (text === undefined) continue;
    const holder = await livingHolder(text);
    if (holder !== undefined) return holder;
    if (await replaceDead(file, text, draft)) return undefined;
    await sleep(RETRY_PAUSE_MS);
  }
}

/**
 * Of several starters that find the same dead lock only one may replace it: the one that holds the lock on that
 * very lock. It looks again before it does, as the one before it may have been here. Whoever dies in between
 * leaves a dead lock like any other.
 */
async function replaceDead(file: string, dead: string, draft: string): Promise<boolean> {
  const right = `${file}.${createHash("sha256").update(dead).digest("hex").slice(0, 16)}`;
  if ((await claim(right, draft)) !== undefined) return false;
  try {
    if ((await readIfThere(file)) !== dead) return false;
    const successor = `${draft}.next`;
    await link(draft, successor);
    await rename(successor, file);
    return true;
  } finally {
    await rm(right, { force: true });
  }
}

async function livingHolder(text: string): Promise<Holder | undefined> {
  const [pidText, birth, role] = text.split("\n");
  const pid = Number(pidText);
  if (!Number.isSafeInteger(pid) || pid <= 0 || (await birthOf(pid)) !== birth) return undefined;
  return { pid, role: role === "server" ? "server" : "command" };
}

async function linkNew(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
}
