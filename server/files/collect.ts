import { companyOfId, listSubdomains } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { Database, WriteTx } from "../db/db.ts";
import { removeReleasedBlobs } from "./blobs.ts";
import { type Depot, fileWork, type FileWork } from "./depot.ts";
import { filesCounters, removeFiles } from "./files.ts";
import { endUpload, sweepEndedUpload } from "./end.ts";

/** An author who takes a picture out and thinks better of it after a week-end finds it again. */
const KEEP_UNREFERENCED_MS = 7 * 86_400_000;
/** An upload on which nothing has moved for a day is not resumed; what it keeps free in the quota is free again. */
const KEEP_UPLOADS_MS = 86_400_000;
/** What one transaction removes, so that none is long. */
const MOST_AT_ONCE = 100;

/** Collects for every company, as often as the job comes. */
export async function collectFilesOfAll(database: Database, depot: Depot): Promise<void> {
  for (const { company } of await listSubdomains(database)) {
    await collectFiles(fileWork(depot, database, { company: companyOfId(company), actor: commandActor }));
  }
}

/** What a round of collecting has removed. */
export interface Collected {
  readonly files: number;
  readonly uploads: number;
  readonly blobs: number;
}

/**
 * Removes what a company does not need any more: files that nothing has shown for a week, uploads that nobody goes on
 * with, and bytes that no file has. What a crash left half removed is removed now.
 */
export async function collectFiles(work: FileWork): Promise<Collected> {
  const files = await repeat(() => work.write(collectUnreferenced));
  const uploads = await repeat(() => collectUploads(work));
  const blobs = await repeat(() => removeReleasedBlobs(work));
  return { files, uploads, blobs };
}

/** Does a step again as long as it finds as much as it takes at once. */
async function repeat(step: () => Promise<number>): Promise<number> {
  let all = 0;
  for (;;) {
    const done = await step();
    all += done;
    if (done < MOST_AT_ONCE) return all;
  }
}

async function collectUnreferenced(tx: WriteTx): Promise<number> {
  const at = await lockCounters(tx, ...filesCounters);
  const before = new Date(tx.now.getTime() - KEEP_UNREFERENCED_MS).toISOString();
  const files = await tx.sql
    .selectFrom("files")
    .select(["id", "name"])
    .where("company_id", "=", tx.company.id)
    .where("unreferenced_since", "<", before)
    .orderBy("unreferenced_since")
    .limit(MOST_AT_ONCE)
    // Who is just about to show one has its row.
    .forUpdate()
    .skipLocked()
    .execute();
  await removeFiles(
    tx,
    files.map(({ id }) => id),
    at,
  );
  for (const { id, name } of files)
    await audit(tx, { action: "collect_file", resource_type: "file", resource_id: id, before: { name }, at });
  return files.length;
}

async function collectUploads(work: FileWork): Promise<number> {
  const ended = await work.write(async (tx) => {
    const at = await lockCounters(tx, "file_bytes", "uploads");
    const before = new Date(tx.now.getTime() - KEEP_UPLOADS_MS).toISOString();
    const uploads = await tx.sql
      .selectFrom("uploads")
      .select(["id", "ended_at"])
      .where("company_id", "=", tx.company.id)
      .where((eb) => eb.or([eb("touched_at", "<", before), eb("ended_at", "is not", null)]))
      .orderBy("id")
      .limit(MOST_AT_ONCE)
      .execute();
    const ids: number[] = [];
    for (const { id, ended_at } of uploads)
      if (ended_at !== null || (await endUpload(tx, id, at))) ids.push(id);
    return ids;
  });
  for (const id of ended) await sweepEndedUpload(work, id);
  return ended.length;
}
