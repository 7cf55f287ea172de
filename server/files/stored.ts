import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import type { ByteRange, Store } from "./store.ts";

/** Bytes that lie in the store in parts, each of part_size bytes but the last one. */
export interface Stored {
  readonly upload_id: number;
  readonly size: number;
  readonly part_size: number;
  /** The names of the parts, in order. */
  readonly stored_as: readonly string[];
}

/** A name that no other part of the upload has. */
export function newPartName(label: string | number): string {
  return `${label}-${randomBytes(8).toString("hex")}`;
}

/** Where all that an upload has brought lies. */
export function uploadPrefix(company_id: number, upload_id: number): string {
  return `${company_id}/${upload_id}/`;
}

/** A stream of stored bytes, or of a range of them. It opens one part after the other. */
export function readStored(
  store: Store,
  { company_id, ...stored }: Stored & { readonly company_id: number },
  range: ByteRange = { start: 0, end: stored.size - 1 },
): Readable {
  const prefix = uploadPrefix(company_id, stored.upload_id);
  return Readable.from(readParts(store, { ...stored, prefix }, range), { objectMode: false });
}

async function* readParts(
  store: Store,
  { prefix, part_size, stored_as }: Stored & { readonly prefix: string },
  { start, end }: ByteRange,
): AsyncGenerator<Buffer> {
  const first = Math.floor(start / part_size);
  for (const [index, name] of stored_as.slice(first, Math.floor(end / part_size) + 1).entries()) {
    const offset = (first + index) * part_size;
    const part = { start: Math.max(start - offset, 0), end: Math.min(end - offset, part_size - 1) };
    yield* await store.open(prefix + name, part);
  }
}

/** Removes all that an upload has brought but the parts that are named. */
export async function sweepUpload(
  store: Store,
  prefix: string,
  keep: ReadonlySet<string> = new Set(),
): Promise<void> {
  for (const key of await store.list(prefix)) {
    if (!keep.has(key.slice(prefix.length))) await store.remove(key);
  }
}
