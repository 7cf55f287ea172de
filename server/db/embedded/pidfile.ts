import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { clusterName, type DataFolder } from "./folder.ts";
import { birthOf, isCode, readIfThere } from "./process.ts";

/** What postmaster.pid says of a PostgreSQL that may run. */
interface PidFile {
  readonly pid: number;
  readonly port: number;
  readonly status: string;
}

/** Whose a process is: started by a Lectern for this cluster, nothing of this cluster's, or perhaps its by other hands. */
export type Origin = "lectern" | "none" | "unclear";

const PORT_LINE = 3;
const STATUS_LINE = 7;

/** Gives the port of the PostgreSQL that a Lectern runs on this folder and that lets sessions in. */
export async function findReadyPort(folder: DataFolder): Promise<number | undefined> {
  const found = await readPidFile(folder);
  if (found === undefined || found.status !== "ready") return undefined;
  return (await originOf(found.pid, folder)) === "lectern" ? found.port : undefined;
}

/** Whose a process is, as far as anybody on this machine can tell. */
export async function originOf(pid: number, folder: DataFolder): Promise<Origin> {
  const commandLine = await readIfThere(`/proc/${pid}/cmdline`);
  if (commandLine === undefined || (await birthOf(pid)) === undefined) return "none";
  const words = commandLine.split("\0");
  if (words.includes(`cluster_name=${await clusterName(folder)}`)) return "lectern";
  if (words.some((word) => word.startsWith("cluster_name=lectern-"))) return "none";
  if (!/^post(gres|master)/.test(basename(words[0] ?? ""))) return "none";
  return (await worksElsewhere(pid, folder)) ? "none" : "unclear";
}

async function worksElsewhere(pid: number, folder: DataFolder): Promise<boolean> {
  try {
    // Through the link itself, as its text means nothing in another mount namespace.
    const [there, here] = await Promise.all([stat(`/proc/${pid}/cwd/`), stat(folder.cluster)]);
    return there.dev !== here.dev || there.ino !== here.ino;
  } catch (error) {
    if (isCode(error, "EACCES", "EPERM")) return false;
    if (isCode(error, "ENOENT", "ESRCH")) return true;
    throw error;
  }
}

/** Gives undefined when there is no such file, or one that a power cut has left without content. */
export async function readPidFile(folder: DataFolder): Promise<PidFile | undefined> {
  const lines = (await readIfThere(pidFileOf(folder)))?.split("\n");
  // A PostgreSQL that serves one terminal (`postgres --single`) writes its number with a minus.
  const pid = Math.abs(Number(lines?.[0]));
  if (lines === undefined || !Number.isSafeInteger(pid) || pid === 0) return undefined;
  return { pid, port: Number(lines[PORT_LINE]), status: lines[STATUS_LINE]?.trim() ?? "" };
}

export function pidFileOf(folder: DataFolder): string {
  return join(folder.cluster, "postmaster.pid");
}
