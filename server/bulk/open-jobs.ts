import type { Tx, WriteTx } from "../db/db.ts";
import { queueMail } from "../mail/notices.ts";
import type { StoredActor } from "./jobs.ts";
import type { BulkKind } from "./rows.ts";
import { readActor } from "./stored.ts";

/** A job whose work fails or is killed so often has something in it that kills it: it is given up. */
const MOST_TRIES = 10;

/** A job that waits or is under way. */
export interface OpenJob {
  readonly id: number;
  readonly kind: BulkKind;
  readonly mode: "all_or_nothing" | "row_by_row";
  readonly dry_run: boolean;
  readonly total: number;
  readonly actor: StoredActor;
}

/** The oldest job that is to be worked on. */
export async function findOpenJob(tx: Tx): Promise<OpenJob | undefined> {
  const row = await tx.sql
    .selectFrom("bulk_jobs")
    .select(["id", "kind", "mode", "dry_run", "total", "actor"])
    .where("company_id", "=", tx.company.id)
    .where("status", "in", ["waiting", "running"])
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row && { ...row, actor: readActor(row.actor) };
}

/**
 * Notes that work on a job begins, from the start where it is all or nothing.
 * @returns whether there is still work to do: not where it was ended, or has been begun too often.
 */
export async function beginJob(tx: WriteTx, id: number): Promise<boolean> {
  const begun = await tx.sql
    .updateTable("bulk_jobs")
    .set((eb) => ({
      status: "running",
      tries: eb("tries", "+", 1),
      started_at: eb.fn.coalesce("started_at", eb.val(tx.now.toISOString())),
      done: eb
        .case()
        .when(eb.and([eb("mode", "=", "row_by_row"), eb("dry_run", "=", false)]))
        .then(eb.ref("done"))
        .else(0)
        .end(),
    }))
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .where("status", "in", ["waiting", "running"])
    .returning("tries")
    .executeTakeFirst();
  if (begun === undefined) return false;
  if (begun.tries <= MOST_TRIES) return true;
  const message =
    "The work on it has failed too often: look into the server's log, and send what is left again";
  await endJob(tx, id, { status: "refused", at: tx.now.toISOString(), message });
  return false;
}

/** Counts rows as worked off. @returns whether the job is still under way. */
export async function setProgress(tx: WriteTx, id: number, rows: number): Promise<boolean> {
  const moved = await tx.sql
    .updateTable("bulk_jobs")
    .set((eb) => ({ done: eb("done", "+", rows) }))
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .where("status", "=", "running")
    .returning("id")
    .executeTakeFirst();
  return moved !== undefined;
}

/** How a job ends. */
interface End {
  readonly status: "done" | "refused";
  readonly at: string;
  readonly message?: string;
}

/** Ends a job that is under way; one that has ended otherwise stays as it is. */
export async function endJob(tx: WriteTx, id: number, { status, at, message = "" }: End): Promise<void> {
  const ended = await tx.sql
    .updateTable("bulk_jobs")
    .set({ status, finished_at: at, message: message === "" ? null : message })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .where("status", "=", "running")
    .returning("dry_run")
    .executeTakeFirst();
  const { type, user_id } = tx.actor;
  // A script asks for itself how its job went; a person has gone on to something else meanwhile.
  if (ended === undefined || ended.dry_run || type !== "user" || user_id === null) return;
  const notice = {
    kind: "job_done",
    pace: "soon",
    facts: { job_id: id },
    send_at: tx.now.toISOString(),
  } as const;
  await queueMail(tx, [{ ...notice, key: `job/${id}`, user_id }]);
}
