import type { Readable } from "node:stream";
import type { Config } from "../config.ts";
import { FolderStore } from "./folder-store.ts";

/** The bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where bytes lie under keys such as `7/12/3-5f0c…`: company, upload, part. No company's keys begin as another's do.
 * Nothing is ever changed in place: what stands under a key is whole and stays the same.
 */
export interface Store extends Disposable {
  /** Stores a stream of exactly `size` bytes; if it fails or ends early nothing is there. Both ways the stream is used up. */
  put(key: string, body: Readable, size: number): Promise<void>;
  /** A stream of what stands under a key. @throws when nothing does. */
  open(key: string, range?: ByteRange): Promise<Readable>;
  /** Removes what stands under a key; that nothing does is no error. */
  remove(key: string): Promise<void>;
  /** The keys that begin with a prefix, which ends with a slash. */
  list(prefix: string): Promise<string[]>;
}

/** Removes all that a company has, as the company is gone. */
export async function removeFilesOfCompany(config: Config, company_id: number): Promise<void> {
  using store = await openStore(config);
  for (const key of await store.list(`${company_id}/`)) await store.remove(key);
}

/** Opens the store that the configuration names. */
export async function openStore(config: Config): Promise<Store> {
  if (config.filesStore === "folder") return new FolderStore(config.dataDir);
  // Loaded only where it is used: the client of S3 takes some 30 MiB of memory.
  const { S3Store } = await import("./s3-store.ts");
  return new S3Store(config);
}
