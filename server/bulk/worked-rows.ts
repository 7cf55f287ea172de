import { sql } from "kysely";
import type { Tx, WriteTx } from "../db/db.ts";
import type { GivenRow, Outcome } from "./rows.ts";
import { isFieldErrors } from "./stored.ts";

/** The next rows of a job that have no outcome yet. */
export async function listOpenRows(
  tx: Tx,
  job_id: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<GivenRow[]> {
  const rows = await tx.sql
    .selectFrom("bulk_rows")
    .select(["row", "given", "errors"])
    .where("company_id", "=", tx.company.id)
    .where("job_id", "=", job_id)
    .where("row", ">", after)
    .where("outcome", "is", null)
    .orderBy("row")
    .limit(limit)
    .execute();
  return rows.map(({ row, given, errors }) => ({
    row,
    given: Object(given),
    errors: isFieldErrors(errors) ? errors : [],
  }));
}

/** Writes what became of rows. What was sent is forgotten with it: it is personal data, and lives on in the users. */
export async function saveOutcomes(tx: WriteTx, job_id: number, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  await sql`
    update bulk_rows
    set outcome = found.outcome, resource_id = found.id, errors = found.errors, given = '{}'
    from unnest(
      ${outcomes.map(({ row }) => row)}::integer[],
      ${outcomes.map(({ outcome }) => outcome)}::text[],
      ${outcomes.map(({ id }) => id)}::bigint[],
      ${outcomes.map(({ errors }) => (errors.length === 0 ? null : JSON.stringify(errors)))}::jsonb[]
    ) as found (row, outcome, id, errors)
    where bulk_rows.company_id = ${tx.company.id} and bulk_rows.job_id = ${job_id}
      and bulk_rows.row = found.row`.execute(tx.sql);
}
