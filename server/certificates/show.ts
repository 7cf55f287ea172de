import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import { momentText, utcTime, utcTimeOrNull } from "../time.ts";
import { lastDayOf } from "./validity.ts";
import type { Certificate, PublicCertificate } from "./v2-schema.ts";

/** A certificate as it is stored. */
export interface CertificateRow {
  readonly id: number;
  readonly number: string;
  readonly user_id: number;
  readonly path_id: number;
  readonly assignment_id: number;
  readonly user_name: string;
  readonly path_title: string;
  readonly issued_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly renewal_opened_at: string | null;
}

/** The columns of a CertificateRow. */
export const certificateColumns = sql`
  id, number, user_id, path_id, assignment_id, user_name, path_title, issued_at, expires_at, revoked_at,
  renewal_opened_at`;

/** Certificates that meet the conditions, the newest first. */
export async function selectCertificates(
  tx: Tx,
  conditions: readonly RawBuilder<SqlBool>[],
  limit: number | null,
): Promise<CertificateRow[]> {
  const { rows } = await sql<CertificateRow>`
    select ${certificateColumns}
    from certificates
    where certificates.company_id = ${tx.company.id} and ${sql.join([...conditions], sql` and `)}
    order by certificates.id desc limit ${limit}`.execute(tx.sql);
  return rows;
}

/** What everybody may know of a certificate. */
export function toPublic(tx: Tx, row: CertificateRow): Static<typeof PublicCertificate> {
  const { number, user_name, path_title, issued_at, expires_at, revoked_at } = row;
  const hasExpired = expires_at !== null && expires_at <= momentText(tx.now.getTime());
  return {
    number,
    status: revoked_at !== null ? "revoked" : hasExpired ? "expired" : "valid",
    user_name,
    path_title,
    issued_at: utcTime(issued_at),
    expires_at: utcTimeOrNull(expires_at),
    valid_until: expires_at === null ? null : lastDayOf(expires_at, tx.company.time_zone),
  };
}

/** A certificate as version 2 shows it. */
export function toCertificate(tx: Tx, row: CertificateRow): Certificate {
  const { id, user_id, path_id, assignment_id, revoked_at, renewal_opened_at } = row;
  return {
    id,
    resource_type: "certificate",
    ...toPublic(tx, row),
    user_id,
    path_id,
    assignment_id,
    revoked_at: utcTimeOrNull(revoked_at),
    renewal_opened_at: utcTimeOrNull(renewal_opened_at),
  };
}
