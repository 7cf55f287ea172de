import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { addressOf, tryToPrepare, type DatabaseAddress } from "./address.ts";
import { endLeftBackends } from "./backends.ts";
import type { Cluster } from "./cluster.ts";
import { clusterName, diskFull } from "./folder.ts";
import { readPidFile } from "./pidfile.ts";
import { endProcess } from "./process.ts";
import { OWN_FOLDER, startProgram, type Program } from "./program.ts";
import { OperatorError } from "../../operator-error.ts";

/** A running PostgreSQL that this process has started. */
export interface Postmaster {
  readonly address: DatabaseAddress;
  readonly program: Program;
}

/** Recovery after a crash reads up to max_wal_size of changes, from a slow disk if need be. */
const READY_LIMIT_MS = 300_000;
const READY_POLL_MS = 10;
/** Backends of a killed postmaster go on for a moment, and the port of a crashed one may be in use for a while. */
const CONFLICT_LIMIT_MS = 30_000;
const CONFLICT_PAUSE_MS = 100;
const LEFTOVER_GRACE_MS = 500;
/** What PostgreSQL says of conflicts that pass. */
const LEFTOVERS = "pre-existing shared memory block";
const PORT_TAKEN = "Address already in use";
/** Fast shutdown writes everything out first; what has not ended by then is cut off and recovers at the next start. */
const FAST_LIMIT_MS = 60_000;
const IMMEDIATE_LIMIT_MS = 10_000;
/** Fast shutdown ends the sessions that there are; immediate shutdown leaves the rest to recovery. */
export const FAST_STOP = [
  ["SIGINT", FAST_LIMIT_MS],
  ["SIGQUIT", IMMEDIATE_LIMIT_MS],
  ["SIGKILL", IMMEDIATE_LIMIT_MS],
] as const;
/** Smart shutdown lets no session in and waits for those that there are, however long they need. */
export const SMART_STOP = [["SIGTERM", Number.POSITIVE_INFINITY]] as const;

/**
 * Said at every start and not written into the cluster, so a new Lectern brings its own. What is not here can be
 * set in postgresql.conf. Without DETAIL and STATEMENT the log keeps nobody's data.
 */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "256MB",
  maintenance_work_mem: "128MB",
  max_wal_size: "2GB",
  checkpoint_timeout: "15min",
  random_page_cost: "1.1",
  fsync: "on",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  lc_messages: "C",
  log_error_verbosity: "terse",
  log_min_error_statement: "panic",
};

/**
 * Starts PostgreSQL and waits until the database `lectern` answers. Without a port, a free one is taken. Throws an
 * OperatorError with PostgreSQL's last words when it does not start.
 */
export async function startPostmaster(cluster: Cluster, fixedPort?: number): Promise<Postmaster> {
  const begun = Date.now();
  for (;;) {
    const port = fixedPort ?? (await freePort());
    const program = await launch(cluster, port);
    const address = addressOf(port, cluster.password);
    if (await isReady(program, cluster, address)) return { address, program };
    const end = await program.ended;
    const lines = await program.lastLines();
    const hasLeftovers = lines.includes(LEFTOVERS);
    const isPassing = hasLeftovers || lines.includes(PORT_TAKEN);
    if (!isPassing || Date.now() > begun + CONFLICT_LIMIT_MS) throw startFailure(cluster, end, lines);
    if (hasLeftovers && Date.now() > begun + LEFTOVER_GRACE_MS) await endLeftBackends(cluster.folder);
    await sleep(CONFLICT_PAUSE_MS);
  }
}

async function launch(cluster: Cluster, port: number): Promise<Program> {
  const settings = { ...SETTINGS, port, cluster_name: await clusterName(cluster.folder) };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const place = { folder: cluster.folder.cluster, runAs: cluster.runAs, logFile: cluster.folder.log };
  return await startProgram(cluster.binaries.postgres, ["-D", OWN_FOLDER, ...options], place);
}

/** Says false when the program ended by itself. One that can never be used is ended before the error is passed on. */
async function isReady(program: Program, cluster: Cluster, address: DatabaseAddress): Promise<boolean> {
  try {
    return await becomesReady(program, cluster, address);
  } catch (error) {
    if (program.pid !== undefined) await endProcess(program.pid, FAST_STOP);
    throw error;
  }
}

/** PostgreSQL is asked only when its file says that it is ready: it logs every earlier attempt as an error. */
async function becomesReady(program: Program, cluster: Cluster, address: DatabaseAddress): Promise<boolean> {
  const deadline = Date.now() + READY_LIMIT_MS;
  while (program.running) {
    const found = await readPidFile(cluster.folder);
    const says = found?.pid === program.pid ? found?.status : "nothing";
    const refusal = says === "ready" ? await tryToPrepare(address) : new Error(`it says "${says}"`);
    if (refusal === undefined) return true;
    if (Date.now() > deadline) {
      throw new OperatorError(`PostgreSQL is not ready after ${READY_LIMIT_MS / 1000} s: ${refusal.message}`);
    }
    await sleep(READY_POLL_MS);
  }
  return false;
}

function startFailure(cluster: Cluster, end: string, lines: string): OperatorError {
  if (lines.includes("No space left on device")) return diskFull(cluster.folder, "No space left on device");
  return new OperatorError(
    `PostgreSQL does not start (${end}). The last lines of ${cluster.folder.log}:\n${lines}`,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}
