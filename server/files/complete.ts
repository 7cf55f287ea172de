import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter, moveTotals } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { conflict, notFound, Problem } from "../http/problem.ts";
import type { Depot, FileWork } from "./depot.ts";
import { deleteParts, endUpload, sweepEndedUpload } from "./end.ts";
import { type Content, type Examined, examine, type Uploaded } from "./examine.ts";
import { getFile } from "./files.ts";
import { nameAs } from "./sniff.ts";
import { BUSY, countParts, lockUploadRow, type UploadRow } from "./upload-row.ts";
import type { File } from "./v2-schema.ts";

/** A process that dies holds an upload no longer than this. */
const HOLD_MS = 60_000;
const HOLD_AGAIN_EVERY_MS = 20_000;

/**
 * Makes a file of an upload whose parts are all here. Nothing but that the upload is held is written down until it has
 * been looked at.
 * @param finish runs `finishUpload` as the request's write.
 * @throws Problem 404; 409 when parts are missing or it is being completed; 422 for what may not be uploaded, and then
 * the upload is given up; 503 while the virus scanner is away.
 */
export async function completeUpload(
  work: FileWork,
  id: number,
  finish: (examined: Examined | undefined) => Promise<File>,
): Promise<File> {
  const held = await work.write((tx) => holdUpload(tx, id));
  if (held === undefined) return finish(undefined);
  const timer = setInterval(() => holdOn(work, id), HOLD_AGAIN_EVERY_MS);
  try {
    return await finish(await examineHeld(work, held));
  } catch (error) {
    // Where this fails, too, the hold ends by itself.
    await work.write((tx) => setUpload(tx, id, { held_until: null })).catch(() => undefined);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/**
 * Writes down the file that an upload has become.
 * @param examined what it has turned out to be; undefined where it has become a file before.
 * @throws Problem 404, also for one that was given up meanwhile.
 */
export async function finishUpload(
  tx: WriteTx,
  {
    depot,
    id,
    examined,
  }: { readonly depot: Depot; readonly id: number; readonly examined: Examined | undefined },
): Promise<File> {
  const at = await lockCounters(tx, "file_bytes", "files", "uploads");
  const upload = await lockUploadRow(tx, id);
  if (upload.file_id !== null) return getFile(tx, depot, upload.file_id);
  if (examined === undefined) throw notFound("Upload");
  const { sniffed, contents } = examined;
  const file_id = await moveCounter(tx, { kind: "files", ids: 1, total: 1, at });
  const { created_by_user_id } = upload;
  const file = { name: nameAs(sniffed, upload.name), kind: sniffed.kind };
  await tx.sql
    .insertInto("files")
    .values({
      company_id: tx.company.id,
      id: file_id,
      ...file,
      created_by_user_id,
      created_at: at,
      unreferenced_since: at,
    })
    .execute();
  let added = 0;
  for (const content of contents) added += await insertContent(tx, file_id, content);
  const moves = [
    { kind: "file_bytes", total: added - upload.size },
    { kind: "uploads", total: -1 },
  ] as const;
  await moveTotals(tx, moves, at);
  await deleteParts(tx, id);
  await setUpload(tx, id, { file_id, held_until: null });
  await audit(tx, { action: "create_file", resource_type: "file", resource_id: file_id, after: file, at });
  return getFile(tx, depot, file_id);
}

/** Takes an upload for this process. @returns undefined for one that is complete. @throws Problem 404, 409 */
async function holdUpload(tx: WriteTx, id: number): Promise<Uploaded | undefined> {
  const upload = await lockUploadRow(tx, id);
  if (upload.file_id !== null) return undefined;
  if (upload.held_until !== null && new Date(upload.held_until) > tx.now) throw conflict(BUSY);
  const parts = await tx.sql
    .selectFrom("upload_parts")
    .select(["number", "stored_as"])
    .where("company_id", "=", tx.company.id)
    .where("upload_id", "=", id)
    .orderBy("number")
    .execute();
  requireParts(upload, new Set(parts.map(({ number }) => number)));
  await setUpload(tx, id, { held_until: holdUntil(tx.now) });
  const { name, size, part_size, sha256: expected } = upload;
  return {
    upload_id: id,
    name,
    size,
    part_size,
    expected,
    stored_as: parts.map(({ stored_as }) => stored_as),
  };
}

/** More missing parts than these are not told of. */
const MOST_TOLD = 100;

function requireParts(upload: UploadRow, arrived: ReadonlySet<number>): void {
  const numbers = Array.from({ length: countParts(upload) }, (_, index) => index + 1);
  const missing = numbers.filter((number) => !arrived.has(number));
  if (missing.length === 0) return;
  const told = missing.slice(0, MOST_TOLD).join(", ");
  const more = missing.length > MOST_TOLD ? ` and ${missing.length - MOST_TOLD} more` : "";
  throw new Problem(409, `Parts are missing: ${told}${more}. Send them, then complete the upload again`, {
    members: { missing: missing.slice(0, MOST_TOLD) },
  });
}

async function examineHeld(work: FileWork, held: Uploaded): Promise<Examined> {
  try {
    return await examine(work.depot, work.company, held);
  } catch (error) {
    if (error instanceof Problem && error.status === 422) await refuse(work, held.upload_id);
    throw error;
  }
}

/** Gives up an upload that will never be a file. */
async function refuse(work: FileWork, id: number): Promise<void> {
  await work.write(async (tx) => {
    const at = await lockCounters(tx, "file_bytes", "uploads");
    await setUpload(tx, id, { held_until: null });
    await endUpload(tx, id, at);
  });
  await sweepEndedUpload(work, id);
}

/** Says that this process is still at work. Should that fail, another may take the upload: the first to finish wins. */
function holdOn(work: FileWork, id: number): void {
  const hold = (tx: WriteTx) =>
    tx.sql
      .updateTable("uploads")
      .set({ held_until: holdUntil(tx.now) })
      .where("company_id", "=", tx.company.id)
      .where("id", "=", id)
      .where("held_until", "is not", null)
      .execute();
  work.write(hold).catch(() => undefined);
}

function holdUntil(now: Date): string {
  return new Date(now.getTime() + HOLD_MS).toISOString();
}

async function setUpload(
  tx: WriteTx,
  id: number,
  columns: { readonly held_until: string | null; readonly file_id?: number },
): Promise<void> {
  await tx.sql
    .updateTable("uploads")
    .set({ ...columns, touched_at: tx.now.toISOString() })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
}

/**
 * Writes down a content of a file. Bytes that the company has already are shared.
 * @returns how many bytes it adds to what the company's files take.
 */
async function insertContent(tx: WriteTx, file_id: number, content: Content): Promise<number> {
  const { variant, media_type, width, height, sha256, size, part_size } = content;
  const same = await tx.sql
    .selectFrom("file_blobs")
    .select("upload_id")
    .where("company_id", "=", tx.company.id)
    .where("sha256", "=", sha256)
    .where("released_at", "is", null)
    .executeTakeFirst();
  if (same === undefined) {
    await tx.sql
      .insertInto("file_blobs")
      .values({
        company_id: tx.company.id,
        upload_id: content.upload_id,
        sha256,
        size,
        part_size,
        stored_as: [...content.stored_as],
      })
      .execute();
  }
  await tx.sql
    .insertInto("file_contents")
    .values({
      company_id: tx.company.id,
      file_id,
      variant,
      media_type,
      width,
      height,
      sha256,
      upload_id: same?.upload_id ?? content.upload_id,
    })
    .execute();
  return same === undefined ? size : 0;
}
