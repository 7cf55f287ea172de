import { randomBytes } from "node:crypto";
import { chown, lchown, mkdtemp, open, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { findBinaries, type Binaries } from "./binaries.ts";
import { assertFreeSpace, diskFull, statIfThere, type DataFolder } from "./folder.ts";
import { isCode, readIfThere } from "./process.ts";
import { OWN_FOLDER, startProgram, type RunAs } from "./program.ts";
import { OperatorError } from "../../operator-error.ts";

export const OWNER_ROLE = "lectern_owner";

/** A PostgreSQL's files, ready to be started. */
export interface Cluster {
  readonly folder: DataFolder;
  readonly binaries: Binaries;
  readonly runAs: RunAs;
  readonly password: string;
}

const PASSWORD_BYTES = 32;
/** A half made cluster may still be written to by an initdb that outlived its killed parent. */
const REMOVE_RETRIES = 10;

/**
 * Everything that a database could ever depend on is the same on every machine: UTF-8, sorted by code point, case
 * as in Unicode, by rules that come with PostgreSQL and not with the system's libraries.
 */
const INITDB_OPTIONS = [
  `--username=${OWNER_ROLE}`,
  "--encoding=UTF8",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--auth=scram-sha-256",
  "--data-checksums",
  "--no-instructions",
];

/** Finds the cluster of a data folder, or makes it. Only for the holder of the folder's lock. */
export async function openCluster(folder: DataFolder, log: (line: string) => void): Promise<Cluster> {
  const runAs = await userFor(folder);
  const binaries = await findBinaries(runAs);
  await removeHalfMade(folder);
  await assertFreeSpace(folder);
  const version = (await readIfThere(join(folder.cluster, "PG_VERSION")))?.trim();
  if (version === undefined) {
    if (!(await isFree(folder.cluster))) {
      throw new OperatorError(
        `${folder.cluster} is in the way: it is not a database. Move it away, or choose another DATA_DIR.`,
      );
    }
    log(`Making a new database in ${folder.path}.`);
    await makeCluster(folder, binaries, runAs);
  } else if (version !== binaries.major) {
    throw new OperatorError(
      `The database in ${folder.path} is of PostgreSQL ${version}, and this Lectern brings PostgreSQL ${binaries.major}. ` +
        "Dump it with the Lectern that made it and restore it into a new DATA_DIR, or use pg_upgrade: see docs/operating.md.",
    );
  }
  await giveTo(folder.cluster, runAs);
  return { folder, binaries, runAs, password: await readPassword(folder) };
}

/** Reads the owner's password. Throws an OperatorError when it is not to be had. */
export async function readPassword(folder: DataFolder): Promise<string> {
  const password = await readIfThere(folder.password);
  if (password !== undefined && password.trim() !== "") return password.trim();
  throw new OperatorError(
    `${folder.password} is missing: nobody can sign in to the database without it. Restore the file from your backup.`,
  );
}

/** PostgreSQL refuses to run as root: then it runs as the user who has the cluster already, or as `nobody`. */
async function userFor(folder: DataFolder): Promise<RunAs> {
  if (process.geteuid?.() !== 0) return {};
  const found = await statIfThere(folder.cluster);
  if (found !== undefined && found.uid !== 0) return { uid: found.uid, gid: found.gid };
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const nobody = users.find(([name]) => name === "nobody");
  if (nobody !== undefined) return { uid: Number(nobody[2]), gid: Number(nobody[3]) };
  throw new OperatorError(
    "PostgreSQL does not run as root, and there is no user `nobody` here. Run Lectern as an ordinary user, or set DATABASE_URL.",
  );
}

async function removeHalfMade(folder: DataFolder): Promise<void> {
  for (const name of await readdir(folder.path)) {
    if (!name.startsWith(`${basename(folder.cluster)}.new-`)) continue;
    await rm(join(folder.path, name), { recursive: true, force: true, maxRetries: REMOVE_RETRIES });
  }
}

/** The cluster gets its name when it is whole, and the password is on the disk before: a crash leaves no other state. */
async function makeCluster(folder: DataFolder, binaries: Binaries, runAs: RunAs): Promise<void> {
  const draft = await mkdtemp(`${folder.cluster}.new-`);
  try {
    await writePassword(folder, runAs);
    await giveTo(draft, runAs);
    await runInitdb(draft, folder, binaries, runAs);
    await rename(draft, folder.cluster);
    await using parent = await open(folder.path);
    await parent.sync();
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: REMOVE_RETRIES });
    throw error;
  }
}

async function isFree(path: string): Promise<boolean> {
  try {
    return (await readdir(path)).length === 0;
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return isCode(error, "ENOENT");
    throw error;
  }
}

async function writePassword(folder: DataFolder, runAs: RunAs): Promise<void> {
  await rm(folder.password, { force: true });
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  await writeFile(folder.password, `${password}\n`, { flag: "wx", mode: 0o600, flush: true });
  // The user of the cluster could sign in without it anyway, and initdb reads it as that user.
  if (runAs.uid !== undefined && runAs.gid !== undefined) await chown(folder.password, runAs.uid, runAs.gid);
}

async function runInitdb(draft: string, folder: DataFolder, binaries: Binaries, runAs: RunAs): Promise<void> {
  await using password = await open(folder.password);
  // By number, as initdb may not be able to reach the file by name.
  const options = [...INITDB_OPTIONS, "--pwfile=/proc/self/fd/0", `--pgdata=${OWN_FOLDER}`];
  const place = { folder: draft, runAs, logFile: folder.log, input: password };
  const initdb = await startProgram(binaries.initdb, options, place);
  const end = await initdb.ended;
  if (initdb.succeeded) return;
  const lines = await initdb.lastLines();
  if (lines.includes("No space left on device")) throw diskFull(folder, "No space left on device");
  throw new OperatorError(`The database in ${folder.path} could not be made (initdb: ${end}).\n${lines}`);
}

/** Gives a cluster that root has made or restored to the user who runs it. */
async function giveTo(cluster: string, { uid, gid }: RunAs): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  if ((await statIfThere(cluster))?.uid === uid) return;
  for (const name of await readdir(cluster, { recursive: true })) await lchown(join(cluster, name), uid, gid);
  await chown(cluster, uid, gid);
}
