import { setTimeout as sleep } from "node:timers/promises";
import { addressOf, tryToConnect, type DatabaseAddress } from "./address.ts";
import { openCluster, readPassword } from "./cluster.ts";
import { openDataFolder, type DataFolder } from "./folder.ts";
import { HeldLock, takeLock, type Holder, type Role } from "./lock.ts";
import { OwnedDatabase } from "./owned.ts";
import { clearLeftover } from "./leftover.ts";
import { findReadyPort } from "./pidfile.ts";
import { startPostmaster } from "./postmaster.ts";
import { OperatorError } from "../../operator-error.ts";

/** The PostgreSQL of a data folder, in use. Disposing it stops PostgreSQL, if it was this process that started it. */
export interface EmbeddedDatabase extends AsyncDisposable {
  /** Signs in as the owner of everything in the cluster. Stays the same when PostgreSQL had to be started again. */
  readonly owner: DatabaseAddress;
  /** Settles only when PostgreSQL has crashed and cannot be brought back: the process should end, with this message. */
  readonly failed: Promise<OperatorError>;
}

type Log = (line: string) => void;

/** How long we wait for another process to be done with the folder, or to have PostgreSQL ready. */
const HOLDER_LIMIT_MS = 60_000;
/** Most waits are shorter than this and not worth a line. */
const HOLDER_QUIET_MS = 1_000;
const HOLDER_POLL_MS = 50;

/**
 * Opens the PostgreSQL of a data folder, which is made if it is missing: starts it, or uses the one that a running
 * command or server has started. A server always starts its own, so that it never ends with somebody's command.
 * Throws an OperatorError that says what to do when that is impossible.
 */
export async function openEmbedded(dataDir: string, role: Role, log: Log): Promise<EmbeddedDatabase> {
  const folder = await openDataFolder(dataDir);
  const begun = Date.now();
  let isTold = false;
  for (;;) {
    const lock = await takeLock(folder.lock, role);
    if (lock instanceof HeldLock) return await startOwn(folder, role, lock, log);
    const attached = role === "command" ? await attach(folder) : undefined;
    if (attached !== undefined) return attached;
    const waitedMs = Date.now() - begun;
    if ((role === "server" && lock.role === "server") || waitedMs > HOLDER_LIMIT_MS)
      throw inUse(folder, lock);
    if (waitedMs > HOLDER_QUIET_MS && !isTold) {
      log(`Waiting for the ${describe(lock)} that uses ${folder.path}.`);
      isTold = true;
    }
    await sleep(HOLDER_POLL_MS);
  }
}

async function startOwn(folder: DataFolder, role: Role, lock: HeldLock, log: Log): Promise<EmbeddedDatabase> {
  try {
    const cluster = await openCluster(folder, log);
    await clearLeftover(folder, log);
    return new OwnedDatabase({ cluster, role, lock, log }, await startPostmaster(cluster));
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Gives undefined while the one who started PostgreSQL is still starting it, or already stopping it. */
async function attach(folder: DataFolder): Promise<EmbeddedDatabase | undefined> {
  const port = await findReadyPort(folder);
  if (port === undefined) return undefined;
  const owner = addressOf(port, await readPassword(folder));
  if ((await tryToConnect(owner)) !== undefined) return undefined;
  return { owner, failed: new Promise(() => undefined), [Symbol.asyncDispose]: async () => undefined };
}

function inUse(folder: DataFolder, holder: Holder): OperatorError {
  if (holder.role === "server") {
    return new OperatorError(
      `Another Lectern (process ${holder.pid}) is already running on ${folder.path}. Stop it first, or choose another DATA_DIR.`,
    );
  }
  return new OperatorError(
    `A ${describe(holder)} has been using ${folder.path} for more than ${HOLDER_LIMIT_MS / 1000} s. Try again when it has ended.`,
  );
}

function describe(holder: Holder): string {
  return `Lectern ${holder.role} (process ${holder.pid})`;
}
