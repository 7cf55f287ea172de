import type { Row } from "../exports/csv.ts";
import type { Exported } from "../exports/stream.ts";
import type { Tx } from "../db/db.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { isFieldErrors } from "./stored.ts";
import { getJob } from "./jobs.ts";
import type { BulkResult, BulkResultsQuery } from "./v2-schema.ts";

interface ResultRow {
  readonly row: number;
  readonly outcome: BulkResult["outcome"];
  readonly resource_id: number | null;
  readonly errors: unknown;
}

/** A page of what became of a job's rows, in their order. @throws Problem 404 */
export async function listResults(
  tx: Tx,
  job_id: number,
  query: BulkResultsQuery,
): Promise<{ data: BulkResult[]; next: string | null }> {
  const page = readCursorPage(query);
  await getJob(tx, job_id);
  const rows = await selectResults(tx, job_id, query)
    .where("row", ">", idAfter(page) ?? 0)
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, rows, { position: ({ row }) => [row], show: toResult });
}

export const resultColumns = ["row", "outcome", "id", "errors"] as const;

/** All that became of a job's rows, as a file. */
export function exportResults(job_id: number, query: BulkResultsQuery): Exported<number, ResultRow> {
  const isCsv = query.format === "csv";
  return {
    read: (tx, after = 0, limit) =>
      selectResults(tx, job_id, query).where("row", ">", after).limit(limit).execute(),
    position: ({ row }) => row,
    show: (row): Row => {
      const result = toResult(row);
      if (!isCsv) return { ...result };
      return {
        ...result,
        errors: result.errors.map(({ field, message }) => `${field} ${message}`).join("; "),
      };
    },
  };
}

function selectResults(tx: Tx, job_id: number, { "filter[outcome]": outcome }: BulkResultsQuery) {
  const rows = tx.sql
    .selectFrom("bulk_rows")
    .select(["row", "outcome", "resource_id", "errors"])
    .where("company_id", "=", tx.company.id)
    .where("job_id", "=", job_id)
    .orderBy("row");
  return outcome === undefined ? rows : rows.where("outcome", "=", outcome);
}

function toResult({ row, outcome, resource_id, errors }: ResultRow): BulkResult {
  // What is wrong with the shape of a row is known before the row is worked off.
  const shown = outcome === "refused" && isFieldErrors(errors) ? errors : [];
  return { row, outcome, id: resource_id, errors: shown.map(({ field, message }) => ({ field, message })) };
}
