import { sql } from "kysely";
import { companyOfId, listSubdomains } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import { lockCounters, moveTotals } from "../db/counters.ts";
import type { Database, WriteTx } from "../db/db.ts";

/** For how long a job's results can be fetched after it has ended. */
const KEEP_RESULTS_DAYS = 30;
const DAY_MS = 86_400_000;

/** Removes jobs that ended long ago, and forgets what was sent with rows that were never worked off. */
export async function forgetBulkJobs(database: Database): Promise<void> {
  for (const { company } of await listSubdomains(database)) {
    await database.write(companyOfId(company), commandActor, async (tx) => {
      const at = await lockCounters(tx, "bulk_jobs");
      await forgetRows(tx);
      await deleteOldJobs(tx, at);
    });
  }
}

/** Of a job that was cancelled or refused. The others forget with each outcome. */
async function forgetRows(tx: WriteTx): Promise<void> {
  await sql`
    update bulk_rows
    set given = '{}'
    from bulk_jobs
    where bulk_jobs.company_id = ${tx.company.id} and bulk_jobs.status in ('cancelled', 'refused')
      and bulk_rows.company_id = ${tx.company.id} and bulk_rows.job_id = bulk_jobs.id
      and bulk_rows.outcome is null and bulk_rows.given <> '{}'`.execute(tx.sql);
}

async function deleteOldJobs(tx: WriteTx, at: string): Promise<void> {
  const before = new Date(tx.now.getTime() - KEEP_RESULTS_DAYS * DAY_MS).toISOString();
  const { rows } = await sql<{ id: number }>`
    select id from bulk_jobs
    where company_id = ${tx.company.id} and finished_at < ${before}`.execute(tx.sql);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await sql`
    delete from bulk_rows
    where company_id = ${tx.company.id} and job_id = any(${ids}::bigint[])`.execute(tx.sql);
  await sql`
    delete from bulk_jobs
    where company_id = ${tx.company.id} and id = any(${ids}::bigint[])`.execute(tx.sql);
  await moveTotals(tx, [{ kind: "bulk_jobs", total: -ids.length }], at);
}
