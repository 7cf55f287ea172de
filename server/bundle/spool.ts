import { createReadStream } from "node:fs";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OperatorError } from "../operator-error.ts";
import type { Part } from "./parts.ts";
import { Splitter } from "./splitter.ts";

/** Bytes that are read at once. */
const CHUNK_BYTES = 64 * 1024;

/** Where a bundle comes from. */
export type Source = { readonly file: string } | AsyncIterable<Uint8Array>;

/**
 * A bundle that was read once, from the first byte to the last, and lies on disk taken apart: a file for each of its
 * arrays, a line for each element. So the arrays can be read in the order in which they depend on each other, whatever
 * their order in the bundle was, with no more than a part of one in memory; and no transaction waits for a slow source.
 */
export class Spool implements AsyncDisposable {
  readonly #folder: string;
  readonly #files = new Map<Part, FileHandle>();
  #company: Readonly<Record<string, unknown>> = {};

  /**
   * Reads a bundle. Dispose it to remove its files.
   * @throws OperatorError for what is no bundle, or can't be read.
   */
  static async read(source: Source): Promise<Spool> {
    const spool = new Spool(await mkdtemp(join(tmpdir(), `lectern-import-${process.pid}-`)));
    try {
      await spool.#fill(source);
      return spool;
    } catch (error) {
      await spool[Symbol.asyncDispose]();
      throw explain(error, source);
    }
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** What the bundle says of the company itself. */
  get company(): Readonly<Record<string, unknown>> {
    return this.#company;
  }

  /** The elements of an array, some hundred at a time. */
  async *elements(part: Part): AsyncGenerator<readonly unknown[]> {
    if (!this.#files.has(part)) return;
    let rest = "";
    const stream = createReadStream(this.#path(part), { encoding: "utf8", highWaterMark: CHUNK_BYTES });
    for await (const chunk of stream) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      yield lines.map((line): unknown => JSON.parse(line));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#files.values()) await file.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #fill(source: Source): Promise<void> {
    const lines = new Map<Part, string[]>();
    const splitter = new Splitter((part, element) => {
      // JSON has no line breaks of its own, so a line is an element.
      const line = `${JSON.stringify(element)}\n`;
      const known = lines.get(part);
      if (known === undefined) lines.set(part, [line]);
      else known.push(line);
    });
    for await (const chunk of "file" in source ? readFile(source.file) : source) {
      splitter.write(chunk);
      await this.#append(lines);
    }
    splitter.end();
    this.#company = splitter.company;
  }

  async #append(lines: Map<Part, string[]>): Promise<void> {
    for (const [part, added] of lines) {
      const file = this.#files.get(part) ?? (await open(this.#path(part), "wx", 0o600));
      this.#files.set(part, file);
      await file.write(added.join(""));
    }
    lines.clear();
  }

  #path(part: Part): string {
    return join(this.#folder, part);
  }
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) yield chunk;
}

function explain(error: unknown, source: Source): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "ENOSPC") {
    return new OperatorError(
      `${tmpdir()} is full: set TMPDIR to a folder with as much room as the bundle takes`,
    );
  }
  const isOfFile = "file" in source && "path" in error && error.path === source.file;
  return isOfFile || error.code === "EISDIR"
    ? new OperatorError(`The bundle can't be read: ${error.message}`)
    : error;
}
