import type { Readable } from "node:stream";
import type { WriteTx } from "../db/db.ts";
import { invalid, malformed, unprocessable } from "../http/problem.ts";
import type { FileWork } from "./depot.ts";
import { WrongSize } from "./exactly.ts";
import { newPartName, uploadPrefix } from "./stored.ts";
import { countParts, getOpenUploadRow, type UploadRow } from "./upload-row.ts";
import { getUpload } from "./uploads.ts";
import type { Upload } from "./v2-schema.ts";

/**
 * Stores a part from a stream. A part that is here already is replaced once the new one is here whole; one that is cut
 * off leaves nothing.
 * @throws Problem 404; 409 for an upload that is complete or being completed; 422 for a part that the upload has not,
 * or of another length.
 */
export async function putPart(
  work: FileWork,
  { upload_id, part: number }: { readonly upload_id: number; readonly part: number },
  body: Readable,
): Promise<Upload> {
  const size = await work.write(async (tx) => sizeOfPart(await getOpenUploadRow(tx, upload_id), number));
  const name = newPartName(number);
  const prefix = uploadPrefix(work.company.id, upload_id);
  await storePart(work, prefix + name, { body, size });
  const forget = (stored: string) => work.depot.store.remove(prefix + stored);
  try {
    const { replaced, upload } = await work.write((tx) =>
      recordPart(tx, upload_id, { number, size, stored_as: name }),
    );
    // What can't be removed now is swept with the upload.
    if (replaced !== undefined) await forget(replaced).catch(() => undefined);
    return upload;
  } catch (error) {
    await forget(name).catch(() => undefined);
    throw error;
  }
}

/** How many bytes a part has. @throws Problem 422 where the upload has no such part. */
function sizeOfPart(upload: UploadRow, number: number): number {
  const parts = countParts(upload);
  if (number > parts)
    throw invalid({ field: "part", message: `is more than the ${parts} parts of this upload` });
  return number < parts ? upload.part_size : upload.size - (parts - 1) * upload.part_size;
}

async function storePart(
  { depot }: FileWork,
  key: string,
  { body, size }: { readonly body: Readable; readonly size: number },
): Promise<void> {
  try {
    await depot.store.put(key, body, size);
  } catch (error) {
    if (error instanceof WrongSize) {
      throw unprocessable(`This part has to have ${size} bytes, but ${error.message}`);
    }
    // Nobody reads this answer; the log needs no error for every line that breaks.
    if (isCutOff(error)) throw malformed("This part was cut off: send it again");
    throw error;
  }
}

function isCutOff(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE";
}

/** Notes that a part is here whole. @returns the name of the one that it replaces. */
async function recordPart(
  tx: WriteTx,
  upload_id: number,
  part: { readonly number: number; readonly size: number; readonly stored_as: string },
): Promise<{ upload: Upload; replaced: string | undefined }> {
  await getOpenUploadRow(tx, upload_id);
  const of = { company_id: tx.company.id, upload_id };
  const before = await tx.sql
    .selectFrom("upload_parts")
    .select("stored_as")
    .where("company_id", "=", tx.company.id)
    .where("upload_id", "=", upload_id)
    .where("number", "=", part.number)
    .executeTakeFirst();
  await tx.sql
    .insertInto("upload_parts")
    .values({ ...of, ...part })
    .onConflict((oc) =>
      oc
        .columns(["company_id", "upload_id", "number"])
        .doUpdateSet((eb) => ({ stored_as: eb.ref("excluded.stored_as") })),
    )
    .execute();
  await tx.sql
    .updateTable("uploads")
    .set({ touched_at: tx.now.toISOString() })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", upload_id)
    .execute();
  return { upload: await getUpload(tx, upload_id), replaced: before?.stored_as };
}
