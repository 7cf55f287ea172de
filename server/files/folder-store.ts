import { randomUUID } from "node:crypto";
import { createWriteStream, type Dirent } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { exactly } from "./exactly.ts";
import type { ByteRange, Store } from "./store.ts";

/** Only the service reads what people uploaded. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** The store of a folder: a key is a path in it. */
export class FolderStore implements Store {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = resolve(dataDir, "files");
  }

  async put(key: string, body: Readable, size: number): Promise<void> {
    const path = this.#path(key);
    // Under a name that `list` shows, so that what a crash leaves is swept with the rest of the upload.
    const unfinished = `${path}.${randomUUID()}`;
    const made = await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
    try {
      await writeWhole(unfinished, body, size);
      await rename(unfinished, path);
      await syncFolders(dirname(path), made);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    // Opened before it is answered: that it is not there is an error now, and not in the middle of an answer.
    const file = await open(this.#path(key), "r");
    return file.createReadStream({ ...range });
  }

  async remove(key: string): Promise<void> {
    const path = this.#path(key);
    await rm(path, { force: true });
    // The upload's folder goes with its last part; it is not empty yet before.
    await rmdir(dirname(path)).catch(() => undefined);
  }

  async list(prefix: string): Promise<string[]> {
    const entries = await this.#entries(prefix);
    const files = entries.filter((entry) => entry.isFile());
    return files.map(({ parentPath, name }) => join(parentPath, name).slice(this.#folder.length + 1));
  }

  [Symbol.dispose](): void {}

  async #entries(prefix: string): Promise<Dirent[]> {
    try {
      return await readdir(this.#path(prefix), { recursive: true, withFileTypes: true });
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  #path(key: string): string {
    return join(this.#folder, key);
  }
}

/** What is written is on the disk before it is closed. */
async function writeWhole(path: string, body: Readable, size: number): Promise<void> {
  await pipeline(body, exactly(size), createWriteStream(path, { flags: "wx", mode: FILE_MODE, flush: true }));
}

/** Makes the new name survive a power cut, with those of the folders that were made for it. */
async function syncFolders(path: string, made: string | undefined): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
  if (made !== undefined && path.length >= made.length) await syncFolders(dirname(path), made);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
