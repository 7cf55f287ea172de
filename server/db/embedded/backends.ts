import { readdir } from "node:fs/promises";
import { clusterName, statIfThere, type DataFolder } from "./folder.ts";
import { endProcess, readIfThere } from "./process.ts";

const END_LIMIT_MS = 5_000;

/**
 * Ends the sessions that a killed PostgreSQL has left behind. Most end by themselves, but one in the middle of a
 * long computation does not look up, and no new PostgreSQL starts while it lives. What they had not committed is
 * undone by recovery. Only when no PostgreSQL runs on the folder.
 */
export async function endLeftBackends(folder: DataFolder): Promise<void> {
  const title = `postgres: ${await clusterName(folder)}: `;
  const owner = (await statIfThere(folder.cluster))?.uid;
  for (const name of await readdir("/proc")) {
    const pid = Number(name);
    if (!Number.isSafeInteger(pid) || !(await readIfThere(`/proc/${pid}/cmdline`))?.startsWith(title))
      continue;
    // Any process may give itself any title, but not any user.
    if ((await statIfThere(`/proc/${pid}`))?.uid === owner)
      await endProcess(pid, [["SIGQUIT", END_LIMIT_MS]]);
  }
}
