import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Company } from "../companies/companies.ts";
import { conflict, unavailable, unprocessable } from "../http/problem.ts";
import { scan, ScannerFailed } from "./clamd.ts";
import type { Depot } from "./depot.ts";
import type { Picture } from "./images.ts";
import { ALLOWED, HEAD_BYTES, mustBeText, sniff, type Sniffed, TextCheck } from "./sniff.ts";
import { newPartName, readStored, type Stored, uploadPrefix } from "./stored.ts";

/** What a file can be had as, stored and ready to be written down. */
export interface Content extends Stored {
  readonly variant: Picture["variant"];
  readonly media_type: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly sha256: Buffer;
}

/** A file that an upload has turned out to be. */
export interface Examined {
  readonly sniffed: Sniffed;
  readonly contents: readonly Content[];
}

const RETRY_AFTER_SECONDS = 30;
/** A larger picture is no picture for a lesson; it is held in memory while it is written anew. */
const MOST_IMAGE_BYTES = 52_428_800;

/** What was uploaded, and what its uploader says of it. */
export interface Uploaded extends Stored {
  readonly name: string;
  readonly expected: Buffer | null;
}

/**
 * Looks at all that was uploaded: its SHA-256, what it is, whether it is safe. A picture is written anew.
 * @throws Problem 409 for another SHA-256 than announced; 422 for what may not be uploaded, is broken or has a virus;
 * 503 while the virus scanner is away.
 */
export async function examine(depot: Depot, company: Company, uploaded: Uploaded): Promise<Examined> {
  const open = (end = uploaded.size - 1) =>
    readStored(depot.store, { ...uploaded, company_id: company.id }, { start: 0, end });
  const head = await buffer(open(Math.min(HEAD_BYTES, uploaded.size) - 1));
  const sniffed = await sniff(head, uploaded.name);
  if (sniffed === undefined) throw unprocessable(`This is no file that can be uploaded: ${ALLOWED}`);
  if (sniffed.kind === "image" && uploaded.size > MOST_IMAGE_BYTES) {
    throw unprocessable(`This picture has more than ${MOST_IMAGE_BYTES} bytes: make it smaller`);
  }
  const { sha256, isText } = await readAll(depot, open());
  if (uploaded.expected?.equals(sha256) === false) {
    throw conflict("What has come has another SHA-256 than was announced: send the parts again");
  }
  if (mustBeText(sniffed) && !isText) throw unprocessable(`This is no file that can be uploaded: ${ALLOWED}`);
  const { upload_id, size, part_size, stored_as } = uploaded;
  const whole = {
    upload_id,
    size,
    part_size,
    stored_as,
    sha256,
    variant: "original",
    width: null,
    height: null,
  } as const;
  if (sniffed.kind !== "image") return { sniffed, contents: [{ ...whole, media_type: sniffed.media_type }] };
  const prefix = uploadPrefix(company.id, upload_id);
  return {
    sniffed,
    contents: await storePictures(depot, { ...sniffed, prefix, upload_id }, () => buffer(open())),
  };
}

async function readAll(depot: Depot, bytes: Readable): Promise<{ sha256: Buffer; isText: boolean }> {
  const hash = createHash("sha256");
  const text = new TextCheck();
  const read = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      hash.update(chunk);
      text.take(chunk);
      yield chunk;
    }
  };
  if (depot.clamdAddress === undefined) for await (const _ of read());
  else await scanAll(depot.clamdAddress, read());
  return { sha256: hash.digest(), isText: text.finish() };
}

async function scanAll(address: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  try {
    const verdict = await scan(address, bytes);
    if (!verdict.isClean) throw unprocessable(`The virus scanner found ${verdict.found} in this file`);
  } catch (error) {
    if (!(error instanceof ScannerFailed)) throw error;
    const message = "The virus scanner could not look at this file: complete the upload again later";
    throw unavailable(message, RETRY_AFTER_SECONDS, error);
  }
}

async function storePictures(
  { store }: Depot,
  { media_type, prefix, upload_id }: Sniffed & { readonly prefix: string; readonly upload_id: number },
  read: () => Promise<Buffer>,
): Promise<Content[]> {
  const contents: Content[] = [];
  // Loaded with the first picture: libvips takes time and memory that most processes never need.
  const { rewritePicture } = await import("./images.ts");
  await rewritePicture(media_type, read, async ({ bytes, ...picture }) => {
    const name = newPartName(picture.variant);
    const size = bytes.length;
    await store.put(prefix + name, Readable.from([bytes]), size);
    const sha256 = createHash("sha256").update(bytes).digest();
    contents.push({ ...picture, sha256, upload_id, size, part_size: size, stored_as: [name] });
  });
  return contents;
}
