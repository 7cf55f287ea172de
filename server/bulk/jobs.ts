import { type RawBuilder, sql, type SqlBool } from "kysely";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { conflict, forbidden, notFound } from "../http/problem.ts";
import { type Privilege, privilegeNames, type Scope, type Viewer } from "../privileges/privileges.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import type { Given } from "./read.ts";
import type { BulkKind } from "./rows.ts";
import type { BulkJob, BulkJobsQuery } from "./v2-schema.ts";

/** What each kind of bulk work needs. */
export const privilegeOf = {
  users: "users.write",
  memberships: "groups.write",
  assignments: "assignments.write",
} as const satisfies Record<BulkKind, Privilege>;

/** The task that works off the jobs of a company. */
export const BULK_TASK = "work_bulk_jobs";

/** Notes rows to be worked off, for who sends them and with their privileges, and wakes the worker. */
export async function createJob(
  tx: WriteTx,
  kind: BulkKind,
  { rows, mode, dry_run }: Given,
): Promise<BulkJob> {
  const at = await lockCounters(tx, "bulk_jobs");
  const id = await moveCounter(tx, { kind: "bulk_jobs", ids: 1, total: 1, at });
  const job = { kind, mode, dry_run, total: rows.length };
  await tx.sql
    .insertInto("bulk_jobs")
    .values({
      company_id: tx.company.id,
      id,
      ...job,
      status: "waiting",
      done: 0,
      actor: JSON.stringify(toStoredActor(tx)),
      created_at: at,
    })
    .execute();
  await sql`
    insert into bulk_rows (company_id, job_id, row, given, errors)
    select ${tx.company.id}, ${id}, row, given, errors
    from unnest(
      ${rows.map(({ row }) => row)}::integer[],
      ${rows.map(({ given }) => JSON.stringify(given))}::jsonb[],
      ${rows.map(({ errors }) => (errors.length === 0 ? null : JSON.stringify(errors)))}::jsonb[]
    ) as sent (row, given, errors)
    on conflict (company_id, job_id, row) do nothing`.execute(tx.sql);
  await audit(tx, { action: "create_bulk_job", resource_type: "bulk_job", resource_id: id, after: job, at });
  await wakeWorker(tx);
  return getJob(tx, id);
}

async function wakeWorker(tx: WriteTx): Promise<void> {
  const payload = JSON.stringify({ company_id: tx.company.id });
  await sql`select wake_worker(${BULK_TASK}, ${payload}::json, ${`${BULK_TASK}/${tx.company.id}`})`.execute(
    tx.sql,
  );
}

/** Who made a job, as it acts. */
export interface StoredActor {
  readonly type: "api_key" | "user" | "command";
  readonly id: number | null;
  readonly user_id: number | null;
  readonly viewer_id: number | null;
  readonly request_id: string | null;
  readonly address: string | null;
  /** How far each privilege reached when the job was made. */
  readonly scopes: readonly { readonly privilege: string; readonly scope: Scope }[];
}

function toStoredActor({ actor, viewer }: WriteTx): StoredActor {
  const scopes = privilegeNames.flatMap((privilege) => {
    const scope = viewer.scope(privilege);
    return scope === undefined ? [] : [{ privilege, scope }];
  });
  const { type, id, user_id, request_id, address = null } = actor;
  return { type, id, user_id, viewer_id: viewer.user_id, request_id, address, scopes };
}

/** A page of jobs, the newest first: one's own, and all of the kinds that one may do for the whole company. */
export async function listJobs(
  tx: Tx,
  query: BulkJobsQuery,
): Promise<{ data: BulkJob[]; next: string | null }> {
  requireSomeKind(tx.viewer);
  const page = readCursorPage(query);
  const { "filter[status]": status } = query;
  let rows = selectJobs(tx).where("id", "<", idAfter(page) ?? Number.MAX_SAFE_INTEGER);
  if (status !== undefined) rows = rows.where("status", "=", status);
  const found = await rows
    .orderBy("id", "desc")
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, found, { position: ({ id }) => [id], show: toJob });
}

/** One job, with how many of its rows ended how. @throws Problem 404 */
export async function getJob(tx: Tx, id: number): Promise<BulkJob> {
  const row = await selectJobs(tx).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw notFound("Job");
  const { rows } = await sql<{ outcome: keyof NonNullable<BulkJob["outcomes"]>; total: number }>`
    select outcome, count(*) as total
    from bulk_rows
    where company_id = ${tx.company.id} and job_id = ${id} and outcome is not null
    group by outcome`.execute(tx.sql);
  const outcomes = { created: 0, updated: 0, removed: 0, unchanged: 0, refused: 0 };
  for (const { outcome, total } of rows) outcomes[outcome] = total;
  return { ...toJob(row), outcomes };
}

/**
 * Ends a job: what is done stays, and nothing more is done.
 * @throws Problem 404; 409 for one that has ended.
 */
export async function cancelJob(tx: WriteTx, id: number): Promise<BulkJob> {
  const at = await lockCounters(tx, "bulk_jobs");
  const before = await getJob(tx, id);
  const cancelled = await tx.sql
    .updateTable("bulk_jobs")
    .set({ status: "cancelled", cancelled_at: at, finished_at: at })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .where("status", "in", ["waiting", "running"])
    .returning("id")
    .executeTakeFirst();
  if (cancelled === undefined) throw conflict(`This job has ended: it is ${before.status}`);
  await audit(tx, { action: "cancel_bulk_job", resource_type: "bulk_job", resource_id: id, at });
  return getJob(tx, id);
}

/** @throws Problem 403 for who may do no bulk work at all. */
function requireSomeKind(viewer: Viewer): void {
  if (Object.values(privilegeOf).some((privilege) => viewer.scope(privilege) !== undefined)) return;
  throw forbidden("This needs a privilege for bulk work: ask an administrator for it");
}

function selectJobs(tx: Tx) {
  return tx.sql
    .selectFrom("bulk_jobs")
    .select([
      "id",
      "kind",
      "mode",
      "dry_run",
      "status",
      "total",
      "done",
      "message",
      "created_at",
      "started_at",
      "finished_at",
    ])
    .where("company_id", "=", tx.company.id)
    .where(isVisibleJob(tx));
}

/** A person sees what they made, and what all who may do the same for the whole company made. */
function isVisibleJob({ viewer }: Tx): RawBuilder<SqlBool> {
  const kinds = Object.entries(privilegeOf)
    .filter(([, privilege]) => viewer.scope(privilege) === "all")
    .map(([kind]) => kind);
  return sql<SqlBool>`(
    kind = any(${kinds}::text[]) or (actor ->> 'viewer_id')::bigint = ${viewer.user_id}::bigint)`;
}

function toJob({
  created_at,
  started_at,
  finished_at,
  ...row
}: Omit<BulkJob, "outcomes">): Omit<BulkJob, "outcomes"> {
  return {
    ...row,
    created_at: utcTime(created_at),
    started_at: utcTimeOrNull(started_at),
    finished_at: utcTimeOrNull(finished_at),
  };
}
