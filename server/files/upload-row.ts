import type { Tx, WriteTx } from "../db/db.ts";
import { conflict, notFound } from "../http/problem.ts";

/** Why nothing can be done to an upload that a process has in hand. */
export const BUSY = "This upload is being completed: wait for its file";

export interface UploadRow {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly sha256: Buffer | null;
  readonly part_size: number;
  readonly created_by_user_id: number | null;
  readonly created_at: string;
  readonly held_until: string | null;
  readonly file_id: number | null;
}

/** The upload's row, unless it has ended or is another person's. @throws Problem 404 */
export async function getUploadRow(tx: Tx, id: number): Promise<UploadRow> {
  const row = await selectUpload(tx, id).executeTakeFirst();
  if (row === undefined || !isOwn(tx, row)) throw notFound("Upload");
  return row;
}

/** The same, and nobody changes it until the transaction ends. */
export async function lockUploadRow(tx: WriteTx, id: number): Promise<UploadRow> {
  const row = await selectUpload(tx, id).forUpdate().executeTakeFirst();
  if (row === undefined || !isOwn(tx, row)) throw notFound("Upload");
  return row;
}

/** Whether somebody may see and remove an upload or a file: their own, or with files.write for all every one. */
export function isOwn(
  tx: Tx,
  { created_by_user_id }: { readonly created_by_user_id: number | null },
): boolean {
  if (tx.viewer.scope("files.write") === "all") return true;
  return tx.viewer.user_id !== null && created_by_user_id === tx.viewer.user_id;
}

export function countParts({ size, part_size }: Pick<UploadRow, "size" | "part_size">): number {
  return Math.ceil(size / part_size);
}

/** The row of an upload that still goes on. @throws Problem 404; 409 for one that is complete or being completed. */
export async function getOpenUploadRow(tx: WriteTx, id: number): Promise<UploadRow> {
  const upload = await lockUploadRow(tx, id);
  if (upload.file_id !== null)
    throw conflict(`This upload is complete: it has become file ${upload.file_id}`);
  if (upload.held_until !== null && new Date(upload.held_until) > tx.now) throw conflict(BUSY);
  return upload;
}

function selectUpload(tx: Tx, id: number) {
  return tx.sql
    .selectFrom("uploads")
    .select([
      "id",
      "name",
      "size",
      "sha256",
      "part_size",
      "created_by_user_id",
      "created_at",
      "held_until",
      "file_id",
    ])
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .where("ended_at", "is", null);
}
