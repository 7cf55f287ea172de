import { mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedded } from "../db/embedded/embedded.ts";

/** A PostgreSQL in a temporary folder. */
export interface StartedCluster {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts one. Stopping it removes the folder. */
export async function startCluster(): Promise<StartedCluster> {
  const folder = await mkdtemp(join(await quickFolder(), "lectern-test-"));
  const embedded = await openEmbedded(folder, "server", () => undefined);
  const { user, password, host, port, database } = embedded.owner;
  return {
    url: `postgres://${user}:${password}@${host}:${port}/${database}`,
    async stop() {
      await embedded[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const MEMORY_FOLDER = "/dev/shm";
const ENOUGH_BYTES = 4 * 2 ** 30;

/** Making and dropping hundreds of databases waits for the disk: where there is room, they lie in memory. */
async function quickFolder(): Promise<string> {
  const memory = await statfs(MEMORY_FOLDER).catch(() => undefined);
  return memory !== undefined && memory.bavail * memory.bsize > ENOUGH_BYTES ? MEMORY_FOLDER : tmpdir();
}
