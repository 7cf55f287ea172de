import type { DatabaseAddress } from "./address.ts";
import type { Cluster } from "./cluster.ts";
import type { HeldLock, Role } from "./lock.ts";
import { FAST_STOP, SMART_STOP, startPostmaster, type Postmaster } from "./postmaster.ts";
import { endProcess } from "./process.ts";
import { OperatorError } from "../../operator-error.ts";

interface Ownership {
  readonly cluster: Cluster;
  readonly role: Role;
  readonly lock: HeldLock;
  readonly log: (line: string) => void;
}

/** One crash may be anything; so many in so short a time do not pass by themselves. */
const CRASH_LIMIT = 5;
const CRASH_WINDOW_MS = 60_000;
/** A stop that takes longer says so: a command's waits for the commands that use its PostgreSQL meanwhile. */
const STOP_QUIET_MS = 1_000;

/** A PostgreSQL that this process has started, starts again after a crash, and stops. */
export class OwnedDatabase implements AsyncDisposable {
  readonly owner: DatabaseAddress;
  readonly failed: Promise<OperatorError>;
  readonly #ownership: Ownership;
  #postmaster: Postmaster;
  #isStopping = false;
  #stopped: Promise<void> | undefined;
  /** A restart under way, which a stop lets finish. */
  #restarted: Promise<unknown> = Promise.resolve();

  constructor(ownership: Ownership, postmaster: Postmaster) {
    this.owner = postmaster.address;
    this.#ownership = ownership;
    this.#postmaster = postmaster;
    this.failed = new Promise((resolve) => {
      void this.#guard(resolve);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Starts PostgreSQL again whenever it ends unasked, on its port, so connection pools find it. */
  async #guard(giveUp: (error: OperatorError) => void): Promise<void> {
    const { cluster, log } = this.#ownership;
    let crashes: number[] = [];
    let end = await this.#postmaster.program.ended;
    while (!this.#isStopping) {
      const now = Date.now();
      crashes = [...crashes.filter((time) => now - time < CRASH_WINDOW_MS), now];
      if (crashes.length >= CRASH_LIMIT) {
        giveUp(tooManyCrashes(cluster, end));
        return;
      }
      log(`PostgreSQL has ended unexpectedly (${end}) and is started again.`);
      end = (await this.#restart()) ?? (await this.#postmaster.program.ended);
    }
  }

  /** Gives the reason when it fails. */
  async #restart(): Promise<string | undefined> {
    const restart = startPostmaster(this.#ownership.cluster, this.owner.port);
    this.#restarted = restart.catch(() => undefined);
    try {
      this.#postmaster = await restart;
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** A server's end ends all sessions. A command's lets the commands go on that use this PostgreSQL meanwhile. */
  async #stop(): Promise<void> {
    this.#isStopping = true;
    await this.#restarted;
    const { role, lock, log } = this.#ownership;
    const { program } = this.#postmaster;
    if (program.pid !== undefined && program.running) {
      const word = setTimeout(() => log("Waiting for PostgreSQL to stop."), STOP_QUIET_MS);
      await endProcess(program.pid, role === "server" ? FAST_STOP : SMART_STOP);
      clearTimeout(word);
      await program.ended;
    }
    await lock.release();
  }
}

function tooManyCrashes(cluster: Cluster, end: string): OperatorError {
  return new OperatorError(
    `PostgreSQL has crashed ${CRASH_LIMIT} times within ${CRASH_WINDOW_MS / 1000} s (the last time: ${end}). See ${cluster.folder.log}.`,
  );
}
