import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { addressProblem, composeLetter, messageId, type Letter } from "./letter.ts";
import type { MailTransport, SendOutcome } from "./outcome.ts";

/** The part of a Message-ID that can be read in a file's name. */
const READABLE_MAX_CHARACTERS = 80;
/** As in `2026-11-21T14-33-40Z-`. */
const DATE_CHARACTERS = 21;

/** Writes mails into a folder instead of sending them, so that a first run works and shows them. */
export class FolderTransport implements MailTransport {
  readonly #folder: string;
  /** What the folder holds, by Message-ID; read once, so that ten thousand mails don't list it ten thousand times. */
  #known: Promise<Set<string>> | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async send(letter: Letter, onCommit: () => Promise<void>): Promise<SendOutcome> {
    const problem = addressProblem(letter.to.address);
    if (problem !== null) return { kind: "address_refused", by: "us", reason: problem };
    const { bytes } = await composeLetter(letter);
    const name = `${fileDate(letter.date)}-${fileStem(letter.message_id)}.eml`;
    try {
      const known = await (this.#known ??= this.#open());
      await onCommit();
      return await addFile(join(this.#folder, name), { bytes, known });
    } catch (error) {
      this.#known = null;
      if (!isFileError(error)) throw error;
      return {
        kind: "try_again",
        fault: "server",
        reason: `The folder for mails can't be written: ${error.message}.`,
      };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#known = null;
  }

  async #open(): Promise<Set<string>> {
    // Mails hold links that sign people in: nobody else on this machine may read them.
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = await readdir(this.#folder);
    return new Set(names.filter((name) => name.endsWith(".eml")).map(idOf));
  }
}

/** Writes a mail unless the folder has one of its Message-ID, which is claimed before anything is awaited. */
async function addFile(
  path: string,
  mail: { readonly bytes: Buffer; readonly known: Set<string> },
): Promise<SendOutcome> {
  const id = idOf(basename(path));
  if (mail.known.has(id)) return { kind: "sent", answer: "This mail was in the folder already." };
  mail.known.add(id);
  await writeWhole(path, mail.bytes);
  return { kind: "sent", answer: `Written to ${basename(path)}.` };
}

/** Under its own name a file is never half written. */
async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const temporary = join(dirname(path), `.${randomUUID()}.part`);
  try {
    await writeFile(temporary, bytes, { flag: "wx", mode: 0o600, flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "path" in error;
}

function idOf(name: string): string {
  return name.slice(DATE_CHARACTERS, -".eml".length);
}

function fileDate(date: Date): string {
  return date
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-");
}

/** Readable, without anything that means something to a file system, and still one for each Message-ID. */
function fileStem(id: string): string {
  const bare = messageId(id).slice(1, -1);
  const readable = bare.replace(/[^\w.@+-]/g, "_").slice(0, READABLE_MAX_CHARACTERS);
  return `${readable}-${createHash("sha256").update(bare).digest("hex").slice(0, 8)}`;
}
