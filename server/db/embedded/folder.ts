import type { Stats } from "node:fs";
import { access, constants, mkdir, stat, statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isCode } from "./process.ts";
import { OperatorError } from "../../operator-error.ts";

/** Where the parts of a data folder lie. */
export interface DataFolder {
  readonly path: string;
  readonly cluster: string;
  readonly password: string;
  readonly log: string;
  readonly lock: string;
}

const MIB = 2 ** 20;
/** PostgreSQL needs room for its log of changes before it can do anything, even to recover. */
const LEAST_FREE_MIB = 200;

/** Makes the data folder if it is missing. Throws an OperatorError when it cannot be used. */
export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  const path = resolve(dataDir);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(
      `The data folder ${path} cannot be written (${reason}). Give this user the right to, or choose another DATA_DIR.`,
      { cause: error },
    );
  }
  const cluster = join(path, "postgres");
  await assertOwn(path, cluster);
  return {
    path,
    cluster,
    password: join(path, "postgres.password"),
    log: join(path, "postgres.log"),
    lock: join(path, "lectern.lock"),
  };
}

/** Throws an OperatorError when too little room is left where the data lies. */
export async function assertFreeSpace(folder: DataFolder): Promise<void> {
  const place = (await statIfThere(folder.cluster)) === undefined ? folder.path : folder.cluster;
  const { bavail, bsize } = await statfs(place);
  const freeMib = Math.floor((bavail * bsize) / MIB);
  if (freeMib < LEAST_FREE_MIB) throw diskFull(folder, `only ${freeMib} MiB are left`);
}

/** The one message for a disk without room, whoever found it so. */
export function diskFull(folder: DataFolder, finding: string): OperatorError {
  return new OperatorError(
    `The disk of ${folder.path} is full (${finding}). Free at least ${LEAST_FREE_MIB} MiB there, or move the folder and set DATA_DIR.`,
  );
}

/**
 * The mark by which a PostgreSQL of this folder is known among all processes. Command lines are open to everyone
 * on the machine, where the folder a process works in is not even to root in many containers.
 */
export async function clusterName(folder: DataFolder): Promise<string> {
  const { dev, ino } = await stat(folder.cluster);
  return `lectern-${dev}-${ino}`;
}

/** Like stat, but undefined for what is not there. */
export async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** PostgreSQL works only for the user whom its files belong to; root can become that user, others cannot. */
async function assertOwn(path: string, cluster: string): Promise<void> {
  const user = process.geteuid?.();
  const found = await statIfThere(cluster);
  if (user === 0 || found === undefined || found.uid === user) return;
  throw new OperatorError(
    `The database in ${path} belongs to user ${found.uid}, and this is user ${user}. ` +
      `Run Lectern as root or as user ${found.uid}, or once, as root: chown -R ${user} '${path}'.`,
  );
}
