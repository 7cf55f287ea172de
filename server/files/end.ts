import { moveTotals } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import type { FileWork } from "./depot.ts";
import { sweepUpload, uploadPrefix } from "./stored.ts";

/**
 * Ends an upload, so that nothing more comes in and nobody completes it. Needs the counters of uploads locked.
 * @returns false while it is being completed.
 */
export async function endUpload(tx: WriteTx, id: number, at: string): Promise<boolean> {
  const ended = await tx.sql
    .updateTable("uploads")
    .set({ ended_at: at })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .where((eb) => eb.or([eb("held_until", "is", null), eb("held_until", "<", at)]))
    .returning(["size", "file_id"])
    .executeTakeFirst();
  if (ended === undefined) return false;
  if (ended.file_id === null) {
    const gone = [
      { kind: "file_bytes", total: -ended.size },
      { kind: "uploads", total: -1 },
    ] as const;
    await moveTotals(tx, gone, at);
  }
  return true;
}

/** Removes what an ended upload has brought, and then the upload. Done again it does no harm. */
export async function sweepEndedUpload(work: FileWork, id: number): Promise<void> {
  await sweepParts(work, id);
  await work.write(async (tx) => {
    await deleteParts(tx, id);
    await tx.sql
      .deleteFrom("uploads")
      .where("company_id", "=", tx.company.id)
      .where("id", "=", id)
      .where("ended_at", "is not", null)
      .execute();
  });
}

/**
 * Removes what an upload has brought and its file does not keep: the company had the same already, or it was written
 * anew. Nothing more may come in.
 */
export async function sweepParts(work: FileWork, id: number): Promise<void> {
  const kept = await work.write((tx) => namesOfBlobs(tx, id));
  await sweepUpload(work.depot.store, uploadPrefix(work.company.id, id), kept);
}

/** Forgets the parts of an upload, as they have become a file's or are removed. */
export async function deleteParts(tx: WriteTx, upload_id: number): Promise<void> {
  await tx.sql
    .deleteFrom("upload_parts")
    .where("company_id", "=", tx.company.id)
    .where("upload_id", "=", upload_id)
    .execute();
}

/** The names of the parts that files keep of what an upload has brought. */
async function namesOfBlobs(tx: Tx, upload_id: number): Promise<Set<string>> {
  const blobs = await tx.sql
    .selectFrom("file_blobs")
    .select("stored_as")
    .where("company_id", "=", tx.company.id)
    .where("upload_id", "=", upload_id)
    .execute();
  return new Set(blobs.flatMap(({ stored_as }) => stored_as));
}
