import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import type { FileWork } from "./depot.ts";
import { uploadPrefix } from "./stored.ts";

/** Which bytes of the company. */
interface BlobKey {
  readonly upload_id: number;
  readonly sha256: Buffer;
}

/**
 * Releases those of some bytes that no file has any more: from then on who brings the same bytes brings them anew, and
 * the collector removes these. Needs the counter of file_bytes locked, as who adds a file has, too.
 * @returns how many bytes are free now.
 */
export async function releaseBlobs(tx: WriteTx, blobs: readonly BlobKey[], at: string): Promise<number> {
  const { rows } = await sql<{ size: number }>`
    update file_blobs set released_at = ${at}
    from unnest(
      ${blobs.map(({ upload_id }) => upload_id)}::bigint[],
      ${blobs.map(({ sha256 }) => sha256)}::bytea[]
    ) as unused (upload_id, sha256)
    where file_blobs.company_id = ${tx.company.id}
      and file_blobs.upload_id = unused.upload_id and file_blobs.sha256 = unused.sha256
      and file_blobs.released_at is null
      and not exists (
        select from file_contents
        where file_contents.company_id = ${tx.company.id}
          and file_contents.upload_id = unused.upload_id and file_contents.sha256 = unused.sha256
      )
    returning file_blobs.size`.execute(tx.sql);
  return rows.reduce((sum, { size }) => sum + size, 0);
}

/** Released bytes that are removed in one go. */
const MOST_AT_ONCE = 100;

/** Removes released bytes from the store, and then forgets them. Done again after a crash it does no harm. */
export async function removeReleasedBlobs({ depot, company, write }: FileWork): Promise<number> {
  const released = await write((tx) =>
    tx.sql
      .selectFrom("file_blobs")
      .select(["upload_id", "sha256", "stored_as"])
      .where("company_id", "=", tx.company.id)
      .where("released_at", "is not", null)
      .orderBy("released_at")
      .limit(MOST_AT_ONCE)
      .execute(),
  );
  for (const { upload_id, sha256, stored_as } of released) {
    const prefix = uploadPrefix(company.id, upload_id);
    for (const name of stored_as) await depot.store.remove(prefix + name);
    await write((tx) =>
      tx.sql
        .deleteFrom("file_blobs")
        .where("company_id", "=", tx.company.id)
        .where("upload_id", "=", upload_id)
        .where("sha256", "=", sha256)
        .where("released_at", "is not", null)
        .execute(),
    );
  }
  return released.length;
}
