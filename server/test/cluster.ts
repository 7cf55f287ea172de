import { mkdtemp, rm } from "node:fs/promises";
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
  const folder = await mkdtemp(join(tmpdir(), "lectern-test-"));
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
