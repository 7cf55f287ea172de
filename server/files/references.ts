import type { Tx, WriteTx } from "../db/db.ts";
import { invalid } from "../http/problem.ts";
import { isOwn } from "./upload-row.ts";

/** What shows files. */
interface Resource {
  readonly resource_type: string;
  readonly resource_id: number;
}

/** A file that somebody wants to show, and where they named it. */
interface NamedFile {
  readonly id: number;
  readonly field: string;
}

/**
 * Makes sure that the viewer may show these files in a resource: their own, every one for who may see all, and those
 * that the resource shows already. Who may show a file gives it to others to see, so this is not a formality.
 * @throws Problem 422 naming each field whose file does not exist or is another person's.
 */
export async function checkFiles(tx: Tx, resource: Resource, files: readonly NamedFile[]): Promise<void> {
  if (files.length === 0) return;
  const allowed = await findShowable(
    tx,
    resource,
    files.map(({ id }) => id),
  );
  const wrong = files.filter(({ id }) => !allowed.has(id));
  if (wrong.length === 0) return;
  throw invalid(
    ...wrong.map(({ field }) => ({ field, message: "names no file of this company that you may show" })),
  );
}

/**
 * Says that this version of a resource shows exactly these files; 0 stands for a draft, and for what has no versions.
 * @throws Problem 422 for a file that does not exist.
 */
export async function setFileReferences(
  tx: WriteTx,
  { resource_type, resource_id, version }: Resource & { readonly version: number },
  file_ids: readonly number[],
): Promise<void> {
  const of = { resource_type, resource_id, version };
  const wanted = [...new Set(file_ids)];
  const found = new Set(await lockFiles(tx, [...wanted, ...(await listReferences(tx, of))]));
  const missing = wanted.filter((id) => !found.has(id));
  if (missing.length > 0) {
    throw invalid({ field: "file_id", message: `names no file of this company: ${missing.join(", ")}` });
  }
  const dropped = await tx.sql
    .deleteFrom("file_references")
    .where("company_id", "=", tx.company.id)
    .where("resource_type", "=", resource_type)
    .where("resource_id", "=", resource_id)
    .where("version", "=", version)
    .where((eb) => eb("file_id", "<>", eb.fn<number>("all", [eb.val(wanted)])))
    .returning("file_id")
    .execute();
  if (wanted.length > 0) {
    await tx.sql
      .insertInto("file_references")
      .values(wanted.map((file_id) => ({ company_id: tx.company.id, ...of, file_id })))
      .onConflict((oc) =>
        oc.columns(["company_id", "resource_type", "resource_id", "version", "file_id"]).doNothing(),
      )
      .execute();
  }
  await noteReferenced(tx, wanted);
  await noteUnreferenced(tx, dropped);
}

/** Says that a resource is gone, in all its versions. */
export async function removeFileReferences(
  tx: WriteTx,
  { resource_type, resource_id }: Resource,
): Promise<void> {
  await lockFiles(tx, await listReferences(tx, { resource_type, resource_id }));
  const dropped = await tx.sql
    .deleteFrom("file_references")
    .where("company_id", "=", tx.company.id)
    .where("resource_type", "=", resource_type)
    .where("resource_id", "=", resource_id)
    .returning("file_id")
    .execute();
  await noteUnreferenced(tx, dropped);
}

async function findShowable(tx: Tx, { resource_type, resource_id }: Resource, ids: readonly number[]) {
  const rows = await tx.sql
    .selectFrom("files")
    .select(["id", "created_by_user_id"])
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom("file_references")
            .select("file_id")
            .where("file_references.company_id", "=", tx.company.id)
            .where("file_references.resource_type", "=", resource_type)
            .where("file_references.resource_id", "=", resource_id)
            .whereRef("file_references.file_id", "=", "files.id"),
        )
        .as("is_shown"),
    )
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...ids]))))
    .execute();
  return new Set(rows.filter((row) => row.is_shown === true || isOwn(tx, row)).map(({ id }) => id));
}

async function listReferences(
  tx: WriteTx,
  { resource_type, resource_id, version }: Resource & { readonly version?: number },
): Promise<number[]> {
  const rows = await tx.sql
    .selectFrom("file_references")
    .select("file_id")
    .where("company_id", "=", tx.company.id)
    .where("resource_type", "=", resource_type)
    .where("resource_id", "=", resource_id)
    .$if(version !== undefined, (select) => select.where("version", "=", version ?? 0))
    .execute();
  return rows.map(({ file_id }) => file_id);
}

/** Makes the files stay until the transaction ends; in the order of their ids, so that two never wait for each other. */
async function lockFiles(tx: WriteTx, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await tx.sql
    .selectFrom("files")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...ids]))))
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

async function noteReferenced(tx: WriteTx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.sql
    .updateTable("files")
    .set({ unreferenced_since: null })
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...ids]))))
    .where("unreferenced_since", "is not", null)
    .execute();
}

/** Begins the time after which files that nothing shows any more are collected. */
async function noteUnreferenced(
  tx: WriteTx,
  dropped: readonly { readonly file_id: number }[],
): Promise<void> {
  if (dropped.length === 0) return;
  const ids = [...new Set(dropped.map(({ file_id }) => file_id))];
  await tx.sql
    .updateTable("files")
    .set({ unreferenced_since: tx.now.toISOString() })
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val(ids))))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("file_references")
            .select("file_id")
            .where("file_references.company_id", "=", tx.company.id)
            .whereRef("file_references.file_id", "=", "files.id"),
        ),
      ),
    )
    .execute();
}
