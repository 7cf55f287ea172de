import { moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";

/** The ids of a file and an upload, and the part of the upload that is here. */
export interface FileIds {
  readonly file_id: number;
  readonly upload_id: number;
  readonly part: number;
}

const SIZE = 5;
/** One part more than is here, so that nobody completes an upload whose bytes are nowhere. */
const UPLOAD_SIZE = 2 * SIZE;
const HASH_BYTES = 32;

/**
 * Puts a row into every table of files. The counters of files have to be locked. The bytes themselves are nowhere: the
 * walks look at rows alone.
 */
export async function fillFiles(
  tx: WriteTx,
  { mark, lesson_id, user_id }: { mark: string; lesson_id: number; user_id: number },
  at: string,
): Promise<FileIds> {
  const company_id = tx.company.id;
  const upload_id = await moveCounter(tx, { kind: "uploads", ids: 1, total: 1, at });
  const file_id = await moveCounter(tx, { kind: "files", ids: 1, total: 1, at });
  await moveCounter(tx, { kind: "file_bytes", total: UPLOAD_SIZE + SIZE, at });
  const by = { created_by_user_id: user_id, created_at: at };
  await tx.sql
    .insertInto("uploads")
    .values({
      company_id,
      id: upload_id,
      name: `${mark}.txt`,
      size: UPLOAD_SIZE,
      part_size: SIZE,
      touched_at: at,
      ...by,
    })
    .execute();
  await tx.sql
    .insertInto("upload_parts")
    .values({ company_id, upload_id, number: 1, size: SIZE, stored_as: "1-0" })
    .execute();
  const blob = { company_id, upload_id, sha256: Buffer.alloc(HASH_BYTES, `${mark}${file_id}`) };
  await tx.sql
    .insertInto("file_blobs")
    .values({ ...blob, size: SIZE, part_size: SIZE, stored_as: ["1-1"] })
    .execute();
  await tx.sql
    .insertInto("files")
    .values({ company_id, id: file_id, name: `${mark} file.txt`, kind: "document", ...by })
    .execute();
  await tx.sql
    .insertInto("file_contents")
    .values({ ...blob, file_id, variant: "original", media_type: "text/plain" })
    .execute();
  await tx.sql
    .insertInto("file_references")
    .values({ company_id, file_id, resource_type: "lesson", resource_id: lesson_id, version: 0 })
    .execute();
  return { file_id, upload_id, part: 1 };
}
