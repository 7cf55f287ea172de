import { rm } from "node:fs/promises";
import type { DataFolder } from "./folder.ts";
import { originOf, pidFileOf, readPidFile } from "./pidfile.ts";
import { FAST_STOP } from "./postmaster.ts";
import { endProcess } from "./process.ts";
import { OperatorError } from "../../operator-error.ts";

/**
 * Ends the PostgreSQL that a killed Lectern has left behind, and removes a postmaster.pid that names a process which
 * is no PostgreSQL of this folder. Only for the holder of the folder's lock. Throws an OperatorError when somebody
 * else seems to run one here.
 */
export async function clearLeftover(folder: DataFolder, log: (line: string) => void): Promise<void> {
  const found = await readPidFile(folder);
  if (found !== undefined) await endLeftover(found.pid, folder, log);
  // PostgreSQL would take any living process of its user, and a zombie, for the one that the file means, and does not
  // start with a file that a power cut has left empty.
  await rm(pidFileOf(folder), { force: true });
}

async function endLeftover(pid: number, folder: DataFolder, log: (line: string) => void): Promise<void> {
  const origin = await originOf(pid, folder);
  if (origin === "none") return;
  if (origin === "unclear") {
    throw new OperatorError(
      `A PostgreSQL (process ${pid}) that Lectern has not started runs on ${folder.cluster}, or on a folder that ` +
        `Lectern may not look at. Stop it first. If it is another one's, remove ${pidFileOf(folder)}.`,
    );
  }
  log(`Stopping the PostgreSQL (process ${pid}) that a killed Lectern has left behind.`);
  if (await endProcess(pid, FAST_STOP)) return;
  throw new OperatorError(
    `The PostgreSQL (process ${pid}) of a killed Lectern does not stop. Stop it with kill -9, then start Lectern again.`,
  );
}
