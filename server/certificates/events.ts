import { sql, type SqlBool } from "kysely";
import type { Tx, WriteTx } from "../db/db.ts";
import { follow, type Followed } from "../events/changes.ts";
import { selectCertificates, toCertificate } from "./show.ts";

/** Certificates as events tell of them. That one has expired, which comes with the time, expired.ts tells. */
export const certificateEvents: Followed = {
  name: "certificate",
  comesLast: true,
  read: async (tx, ids) => {
    const condition = sql<SqlBool>`certificates.id = any(${[...ids]}::bigint[])`;
    const rows = await selectCertificates(tx, [condition], ids.length);
    return new Map(rows.map((row) => [row.id, toCertificate(tx, row)]));
  },
  userOf: ({ user_id }) => (typeof user_id === "number" ? user_id : null),
  nameCreation: "issued",
  nameChange: (before, after) => {
    if (before["revoked_at"] !== after["revoked_at"]) return "revoked";
    return before["renewal_opened_at"] === after["renewal_opened_at"] ? "updated" : "renewal_opened";
  },
};

/** Says that somebody's certificates are about to be deleted. Needs their counter locked. */
export async function followCertificatesOf(tx: WriteTx, user_id: number): Promise<void> {
  const ids = (await selectOf(tx, user_id)).map(({ id }) => id);
  await follow(tx, certificateEvents, ids);
}

/** Tells that the name on somebody's certificates is blank. What it was is told to nobody: the person is erased. */
export async function noteBlankCertificates(tx: WriteTx, user_id: number): Promise<void> {
  for (const row of await selectOf(tx, user_id)) {
    const data = toCertificate(tx, row);
    tx.changes.add({ type: "certificate.updated", resource_id: row.id, user_id, data, notify: false });
  }
}

function selectOf(tx: Tx, user_id: number) {
  return selectCertificates(tx, [sql<SqlBool>`certificates.user_id = ${user_id}`], null);
}
