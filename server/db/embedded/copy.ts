import { randomUUID } from "node:crypto";
import { chmod, cp, lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isCode } from "./process.ts";
import { OperatorError } from "../../operator-error.ts";

/** Only root may write here, or another user could have root start programs of their own. */
const SHARED_FOLDER = "/var/cache/lectern";

/**
 * Copies the programs of PostgreSQL to where every user can read and none but root can write, once for a version.
 * Throws an OperatorError when that is impossible.
 */
export async function copyForAll(native: string, version: string): Promise<string> {
  const copy = join(SHARED_FOLDER, `postgres-${version}`);
  try {
    await makeSharedFolder();
    if (!(await isWholeCopy(native, copy))) await makeCopy(native, copy);
    return copy;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(
      `PostgreSQL does not run as root, no other user can read ${native}, and it cannot be copied to ${copy} (${reason}). ` +
        `Put Lectern where every user can read it, run it as an ordinary user, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

async function makeSharedFolder(): Promise<void> {
  await mkdir(SHARED_FOLDER, { recursive: true });
  const found = await lstat(SHARED_FOLDER);
  if (!found.isDirectory() || found.uid !== 0) throw new Error(`${SHARED_FOLDER} is not a folder of root's`);
  // The umask may have taken the right to read, and an administrator may have given one to write.
  await chmod(SHARED_FOLDER, 0o755);
}

/** A power cut can leave files without their content under their final name, so a copy is compared by size. */
async function isWholeCopy(native: string, copy: string): Promise<boolean> {
  try {
    const [want, have] = await Promise.all([sizes(native), sizes(copy)]);
    return want.length === have.length && want.every((entry, index) => entry === have[index]);
  } catch (error) {
    if (isCode(error, "ENOENT")) return false;
    throw error;
  }
}

async function sizes(root: string): Promise<string[]> {
  const names = await readdir(root, { recursive: true });
  const entries = names.map(async (name) => {
    const entry = await lstat(join(root, name));
    return entry.isFile() ? `${name} ${entry.size}` : name;
  });
  return (await Promise.all(entries)).toSorted();
}

/** Another starter may make the same copy at the same time: the first to give it its name wins. */
async function makeCopy(native: string, copy: string): Promise<void> {
  const draft = `${copy}.${randomUUID()}`;
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await openForReading(draft);
    await rm(copy, { recursive: true, force: true });
    await rename(draft, copy);
  } catch (error) {
    if (!isCode(error, "ENOTEMPTY", "EEXIST")) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The copy keeps the modes of node_modules, which a strict umask may have closed to others. */
async function openForReading(root: string): Promise<void> {
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || entry.parentPath.endsWith("/bin");
    await chmod(path, isProgram ? 0o755 : 0o644);
  }
}
