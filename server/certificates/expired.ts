import { sql } from "kysely";
import { type Company, workInEachCompany } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import { lockCounters } from "../db/counters.ts";
import type { Database, Tx, WriteTx } from "../db/db.ts";
import { momentText } from "../time.ts";
import { certificateColumns, type CertificateRow, toCertificate } from "./show.ts";

/** Certificates that one transaction tells of, and those that expire at the same moment as the last of them. */
const MOST_AT_ONCE = 500;

/**
 * Tells, in every company, which certificates have expired since the last look. It may run at any time, and several
 * times at once: each is told once. A company that is looked at for the first time is told nothing of its past.
 * @returns how many have expired.
 */
export async function tellExpired(database: Database, now: Date, publicUrl: string): Promise<number> {
  return workInEachCompany(database, publicUrl, (company) => tellExpiredOf(database, company, now));
}

async function tellExpiredOf(database: Database, company: Company, now: Date): Promise<number> {
  const moment = momentText(now.getTime());
  let told = 0;
  // A look without a lock first: nearly always there is nothing to do.
  while (!(await database.read(company, (tx) => isDone(tx, moment)))) {
    told += await database.write(company, commandActor, (tx) => tellSome(tx, moment));
  }
  return told;
}

async function isDone(tx: Tx, moment: string): Promise<boolean> {
  const through = await readThrough(tx);
  return through !== null && (await selectExpired(tx, { through, moment })).length === 0;
}

/** Under the lock that who revokes a certificate holds. What is issued later expires later than now. */
async function tellSome(tx: WriteTx, moment: string): Promise<number> {
  await lockCounters(tx, "certificates");
  const through = await readThrough(tx);
  const rows = through === null ? [] : await selectExpired(tx, { through, moment });
  const last = through === null ? moment : rows.at(-1)?.expires_at;
  if (last == null) return 0;
  await tx.sql
    .updateTable("companies")
    .set({ certificates_expired_through: last })
    .where("company_id", "=", tx.company.id)
    .execute();
  for (const row of rows) {
    tx.changes.add({
      type: "certificate.expired",
      resource_id: row.id,
      user_id: row.user_id,
      data: { ...toCertificate(tx, row), status: "expired" },
      previous: { status: "valid" },
    });
  }
  return rows.length;
}

async function readThrough(tx: Tx): Promise<string | null> {
  const { certificates_expired_through } = await tx.sql
    .selectFrom("companies")
    .select("certificates_expired_through")
    .where("company_id", "=", tx.company.id)
    .executeTakeFirstOrThrow();
  return certificates_expired_through;
}

async function selectExpired(
  tx: Tx,
  { through, moment }: { readonly through: string; readonly moment: string },
): Promise<CertificateRow[]> {
  const { rows } = await sql<CertificateRow>`
    select ${certificateColumns}
    from certificates
    where company_id = ${tx.company.id} and revoked_at is null and expires_at > ${through} and expires_at <= ${moment}
    order by expires_at
    fetch first ${MOST_AT_ONCE} rows with ties`.execute(tx.sql);
  return rows;
}
