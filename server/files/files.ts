import { audit } from "../db/audit.ts";
import { type Kind, lockCounters, moveTotals } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { conflict, notFound } from "../http/problem.ts";
import { utcTime } from "../time.ts";
import { signedAddress } from "./address.ts";
import { releaseBlobs } from "./blobs.ts";
import type { Depot } from "./depot.ts";
import { isOwn } from "./upload-row.ts";
import type { File, FileQuery } from "./v2-schema.ts";

/** Files that the viewer may see, the newest first. */
export async function listFiles(
  tx: Tx,
  depot: Depot,
  query: FileQuery,
): Promise<{ data: File[]; next: string | null }> {
  const page = readCursorPage(query);
  const after = idAfter(page);
  const kind = query["filter[kind]"];
  const rows = await selectFiles(tx)
    .$if(tx.viewer.scope("files.write") !== "all", (select) =>
      select.where("created_by_user_id", "=", tx.viewer.user_id),
    )
    .$if(kind !== undefined, (select) => select.where("kind", "=", kind ?? "image"))
    .$if(after !== undefined, (select) => select.where("id", "<", after ?? 0))
    .orderBy("id", "desc")
    .limit(page.limit + 1)
    .execute();
  const files = await describe(tx, depot, rows);
  return cutCursorPage(page, files, { position: ({ id }) => [id], show: (file) => file });
}

/** One file. @throws Problem 404, also for another person's. */
export async function getFile(tx: Tx, depot: Depot, id: number): Promise<File> {
  const row = await selectFiles(tx).where("id", "=", id).executeTakeFirst();
  const [file] = row === undefined || !isOwn(tx, row) ? [] : await describe(tx, depot, [row]);
  if (file === undefined) throw notFound("File");
  return file;
}

/** Files by their ids, whoever they belong to: for what shows them. Those that do not exist are left out. */
export async function describeFiles(
  tx: Tx,
  depot: Depot,
  ids: readonly number[],
): Promise<Map<number, File>> {
  if (ids.length === 0) return new Map();
  const rows = await selectFiles(tx)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...ids]))))
    .execute();
  const files = await describe(tx, depot, rows);
  return new Map(files.map((file) => [file.id, file]));
}

/**
 * Deletes a file. Its bytes are removed by the collector, unless another file has the same.
 * @throws Problem 404, also for another person's; 409 while something shows it.
 */
export async function deleteFile(tx: WriteTx, id: number): Promise<{ id: number }> {
  const at = await lockCounters(tx, ...filesCounters);
  // Nothing can begin to show the file from here on: that takes a lock on its row.
  const row = await selectFiles(tx).where("id", "=", id).forUpdate().executeTakeFirst();
  if (row === undefined || !isOwn(tx, row)) throw notFound("File");
  const references = await tx.sql
    .selectFrom("file_references")
    .select(["resource_type", "resource_id"])
    .where("company_id", "=", tx.company.id)
    .where("file_id", "=", id)
    .limit(1)
    .execute();
  const [shows] = references;
  if (shows !== undefined) {
    throw conflict(
      `This file is shown in ${shows.resource_type} ${shows.resource_id}: take it out there first`,
    );
  }
  await removeFiles(tx, [id], at);
  const before = { name: row.name, kind: row.kind };
  await audit(tx, { action: "delete_file", resource_type: "file", resource_id: id, before, at });
  return { id };
}

/**
 * Deletes what a user has uploaded and nothing shows any more, as when the person is erased. What a lesson shows stays.
 * Needs the counters of `filesCounters` locked.
 * @returns how many files those were.
 */
export async function deleteFilesOfUser(tx: WriteTx, user_id: number, at: string): Promise<number> {
  const files = await tx.sql
    .selectFrom("files")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("created_by_user_id", "=", user_id)
    // Nothing has begun to show it since it was noted that nothing does.
    .where("unreferenced_since", "is not", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  const ids = files.map(({ id }) => id);
  await removeFiles(tx, ids, at);
  return ids.length;
}

/** The counters that move when files are deleted. */
export const filesCounters = ["file_bytes", "files"] as const satisfies readonly Kind[];

/** Removes files that nothing shows. Needs the counters of files locked, and the files' rows. */
export async function removeFiles(tx: WriteTx, ids: readonly number[], at: string): Promise<void> {
  if (ids.length === 0) return;
  const contents = await tx.sql
    .deleteFrom("file_contents")
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("file_id", "=", eb.fn.any(eb.val([...ids]))))
    .returning(["upload_id", "sha256"])
    .execute();
  await tx.sql
    .deleteFrom("files")
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...ids]))))
    .execute();
  const freed = await releaseBlobs(tx, contents, at);
  const moves = [
    { kind: "files", total: -ids.length },
    { kind: "file_bytes", total: -freed },
  ] as const;
  await moveTotals(tx, moves, at);
}

interface FileRow {
  readonly id: number;
  readonly name: string;
  readonly kind: File["kind"];
  readonly created_by_user_id: number | null;
  readonly created_at: string;
}

function selectFiles(tx: Tx) {
  return tx.sql
    .selectFrom("files")
    .select(["id", "name", "kind", "created_by_user_id", "created_at"])
    .where("company_id", "=", tx.company.id);
}

/** Puts files together with what they can be had as, in the order of the rows. */
async function describe(tx: Tx, depot: Depot, rows: readonly FileRow[]): Promise<File[]> {
  const contents = Map.groupBy(await listContents(tx, rows), ({ file_id }) => file_id);
  return rows.flatMap(({ created_at, ...row }) => {
    const own = contents.get(row.id) ?? [];
    const original = own.find(({ variant }) => variant === "original");
    if (original === undefined) return [];
    const urlOf = (variant: string) => signedAddress(depot, tx, { file_id: row.id, variant });
    const sizes = own.flatMap(({ variant, width, height, media_type, size }) =>
      variant === "original" || width === null || height === null
        ? []
        : { width, height, media_type, size, url: urlOf(variant) },
    );
    const { media_type, size, width, height } = original;
    return {
      ...row,
      resource_type: "file",
      media_type,
      size,
      width,
      height,
      sha256: original.sha256.toString("hex"),
      created_at: utcTime(created_at),
      url: urlOf("original"),
      sizes: sizes.toSorted((a, b) => a.width - b.width),
    };
  });
}

async function listContents(tx: Tx, rows: readonly FileRow[]) {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  return tx.sql
    .selectFrom("file_contents")
    .innerJoin("file_blobs", (join) =>
      join
        .onRef("file_blobs.company_id", "=", "file_contents.company_id")
        .onRef("file_blobs.upload_id", "=", "file_contents.upload_id")
        .onRef("file_blobs.sha256", "=", "file_contents.sha256"),
    )
    .select(["file_id", "variant", "media_type", "width", "height", "size", "file_contents.sha256"])
    .where("file_contents.company_id", "=", tx.company.id)
    .where("file_blobs.company_id", "=", tx.company.id)
    .where((eb) => eb("file_contents.file_id", "=", eb.fn.any(eb.val(ids))))
    .execute();
}
