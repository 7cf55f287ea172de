import { getTotal, lockCounters, moveCounter } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { conflict, forbidden, invalid } from "../http/problem.ts";
import { utcTime } from "../time.ts";
import type { Depot } from "./depot.ts";
import { endUpload } from "./end.ts";
import { BUSY, countParts, getUploadRow } from "./upload-row.ts";
import type { NewUpload, Upload } from "./v2-schema.ts";

/** A part has to arrive within the time that a request may take, over a slow line, too: 1.2 Mbit/s. */
const PART_BYTES = 4_194_304;
/** What one person, and a whole company, may have begun and not ended. Each keeps its size free in the quota. */
const MOST_UPLOADS_OF_A_PERSON = 20;
const MOST_UPLOADS = 1_000;
/** Half an hour of video from a phone's camera: who only learns uploads answers. */
const MOST_ANSWER_BYTES = 536_870_912;

/**
 * Begins an upload.
 * @throws Problem 422 for a file that is too large; 409 where the company's files would take too much, or too many
 * uploads are open; 403 for who may not upload.
 */
export async function createUpload(tx: WriteTx, depot: Depot, body: NewUpload): Promise<Upload> {
  checkSize(tx, depot, body.size);
  const at = await lockCounters(tx, "file_bytes", "uploads");
  if ((await getTotal(tx, "file_bytes")) + body.size > depot.quotaBytes) {
    throw conflict(
      `The company's files may take ${depot.quotaBytes} bytes together, and with this one they would take more: ` +
        "delete some, or ask the operator for more",
    );
  }
  await checkOpenUploads(tx);
  await moveCounter(tx, { kind: "file_bytes", total: body.size, at });
  const id = await moveCounter(tx, { kind: "uploads", ids: 1, total: 1, at });
  const created_by_user_id = tx.viewer.user_id;
  const sha256 = body.sha256 === undefined ? null : Buffer.from(body.sha256, "hex");
  await tx.sql
    .insertInto("uploads")
    .values({
      company_id: tx.company.id,
      id,
      name: body.name,
      size: body.size,
      sha256,
      part_size: PART_BYTES,
      created_by_user_id,
      created_at: at,
      touched_at: at,
    })
    .execute();
  return getUpload(tx, id);
}

/**
 * One upload and which of its parts are here.
 * @throws Problem 404, also for another person's.
 */
export async function getUpload(tx: Tx, id: number): Promise<Upload> {
  const upload = await getUploadRow(tx, id);
  const parts = await tx.sql
    .selectFrom("upload_parts")
    .select("number")
    .where("company_id", "=", tx.company.id)
    .where("upload_id", "=", id)
    .orderBy("number")
    .execute();
  const { name, size, part_size, file_id } = upload;
  return {
    id,
    resource_type: "upload",
    name,
    size,
    part_size,
    file_id,
    sha256: upload.sha256?.toString("hex") ?? null,
    parts: countParts(upload),
    arrived: parts.map(({ number }) => number),
    created_at: utcTime(upload.created_at),
  };
}

/**
 * Gives an upload up, or forgets one that is complete. What it has brought is swept after the transaction.
 * @throws Problem 404; 409 while it is being completed.
 */
export async function removeUpload(tx: WriteTx, id: number): Promise<{ id: number }> {
  const at = await lockCounters(tx, "file_bytes", "uploads");
  await getUploadRow(tx, id);
  if (!(await endUpload(tx, id, at))) throw conflict(BUSY);
  return { id };
}

function checkSize(tx: Tx, { mostFileBytes }: Depot, size: number): void {
  const isAuthor = tx.viewer.scope("files.write") !== undefined;
  if (!isAuthor && tx.viewer.scope("learn") === undefined) {
    throw forbidden("This needs the privilege files.write or learn: ask an administrator for it");
  }
  const most = isAuthor ? mostFileBytes : Math.min(mostFileBytes, MOST_ANSWER_BYTES);
  if (size > most)
    throw invalid({ field: "size", message: `is more than the ${most} bytes that a file may have` });
}

async function checkOpenUploads(tx: WriteTx): Promise<void> {
  if ((await getTotal(tx, "uploads")) >= MOST_UPLOADS) {
    throw conflict(`${MOST_UPLOADS} uploads of the company are open: complete them or give them up`);
  }
  if (tx.viewer.user_id === null) return;
  const open = await tx.sql
    .selectFrom("uploads")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("created_by_user_id", "=", tx.viewer.user_id)
    .where("file_id", "is", null)
    .where("ended_at", "is", null)
    .limit(MOST_UPLOADS_OF_A_PERSON)
    .execute();
  if (open.length >= MOST_UPLOADS_OF_A_PERSON) {
    throw conflict(`You have ${MOST_UPLOADS_OF_A_PERSON} uploads open: complete them or give them up`);
  }
}
