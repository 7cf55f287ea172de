import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { follow } from "../events/changes.ts";
import { forbidden, notFound } from "../http/problem.ts";
import { momentText } from "../time.ts";
import { isVisibleUser } from "../users/visible.ts";
import { certificateEvents } from "./events.ts";
import { type CertificateRow, selectCertificates, toCertificate, toPublic } from "./show.ts";
import type { Certificate, CertificatesQuery, PublicCertificate } from "./v2-schema.ts";

/**
 * The certificates that the viewer may see, the newest first: one's own, and those of the people whose assignments one
 * may see.
 * @throws Problem 403, 422 for a cursor of another list
 */
export async function listCertificates(
  tx: Tx,
  query: CertificatesQuery,
): Promise<{ data: Certificate[]; next: string | null }> {
  const page = readCursorPage(query);
  const after = idAfter(page);
  const { "filter[user_id]": user_id, "filter[path_id]": path_id, "filter[valid]": valid } = query;
  const conditions = [isVisible(tx)];
  if (user_id !== undefined) conditions.push(sql<SqlBool>`certificates.user_id = ${user_id}`);
  if (path_id !== undefined) conditions.push(sql<SqlBool>`certificates.path_id = ${path_id}`);
  if (valid !== undefined) conditions.push(sql<SqlBool>`${isValid(tx)} = ${valid === "true"}`);
  if (after !== undefined) conditions.push(sql<SqlBool>`certificates.id < ${after}`);
  const rows = await selectCertificates(tx, conditions, page.limit + 1);
  return cutCursorPage(page, rows, {
    position: ({ id }) => [id],
    show: (row) => toCertificate(tx, row),
  });
}

/** A certificate. @throws Problem 403, 404 */
export async function getCertificate(tx: Tx, certificate_id: number): Promise<Certificate> {
  return toCertificate(tx, await findOwn(tx, certificate_id));
}

/**
 * Takes the validity from a certificate, for ever; one that is revoked already stays as it is. The result stays.
 * @throws Problem 404 for who may not assign to its holder
 */
export async function revokeCertificate(tx: WriteTx, certificate_id: number): Promise<Certificate> {
  const at = await lockCounters(tx, "certificates");
  const [row] = await selectCertificates(
    tx,
    [
      sql<SqlBool>`certificates.id = ${certificate_id}`,
      isVisibleUser(tx, "assignments.write", sql.ref<number>("certificates.user_id")),
    ],
    1,
  );
  if (row === undefined) throw notFound("Certificate");
  if (row.revoked_at !== null) return toCertificate(tx, row);
  await follow(tx, certificateEvents, [certificate_id]);
  await tx.sql
    .updateTable("certificates")
    .set({ revoked_at: at })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", certificate_id)
    .execute();
  await moveCounter(tx, { kind: "certificates", total: 0, at });
  const deed = {
    action: "revoke_certificate",
    resource_type: "certificate",
    resource_id: certificate_id,
  } as const;
  await audit(tx, { ...deed, at });
  return toCertificate(tx, { ...row, revoked_at: at });
}

/** What everybody may know of a certificate. @throws Problem 404 for a number that is none of the company's. */
export async function getPublicCertificate(
  tx: Tx,
  number: string,
): Promise<Static<typeof PublicCertificate>> {
  return toPublic(tx, await findByNumber(tx, number));
}

/** What is drawn of a certificate. */
export interface Drawn {
  readonly row: CertificateRow;
  readonly locale: string;
  readonly company_name: string;
  readonly time_zone: string;
}

/** A certificate to draw, one that the viewer may see. @throws Problem 403; 404, also for one that is revoked */
export async function findToDraw(tx: Tx, certificate_id: number): Promise<Drawn> {
  return toDrawn(tx, await findOwn(tx, certificate_id));
}

/** A certificate to draw, by its number. @throws Problem 404, also for one that is revoked */
export async function findPublicToDraw(tx: Tx, number: string): Promise<Drawn> {
  return toDrawn(tx, await findByNumber(tx, number));
}

async function toDrawn(tx: Tx, row: CertificateRow): Promise<Drawn> {
  if (row.revoked_at !== null) throw notFound("Certificate");
  const { rows } = await sql<{ name: string; locale: string | null }>`
    select companies.name, holder.locale
    from companies
    left join users holder on holder.company_id = ${tx.company.id} and holder.id = ${row.user_id}
    where companies.company_id = ${tx.company.id}`.execute(tx.sql);
  const [found] = rows;
  const { time_zone } = tx.company;
  return { row, locale: found?.locale ?? "en", company_name: found?.name ?? "", time_zone };
}

async function findOwn(tx: Tx, id: number): Promise<CertificateRow> {
  const [row] = await selectCertificates(tx, [sql<SqlBool>`certificates.id = ${id}`, isVisible(tx)], 1);
  if (row === undefined) throw notFound("Certificate");
  return row;
}

async function findByNumber(tx: Tx, number: string): Promise<CertificateRow> {
  const condition = sql<SqlBool>`certificates.number = ${number.toUpperCase()}`;
  const [row] = await selectCertificates(tx, [condition], 1);
  if (row === undefined) throw notFound("Certificate");
  return row;
}

/** @throws Problem 403 for who lacks both privileges. */
function isVisible(tx: Tx): RawBuilder<SqlBool> {
  const { viewer } = tx;
  const learns = viewer.user_id !== null && viewer.scope("learn") !== undefined;
  if (!learns && viewer.scope("assignments.read") === undefined) {
    throw forbidden("This needs the privilege learn or assignments.read: ask an administrator for it");
  }
  const user_id = sql.ref<number>("certificates.user_id");
  const isOwn = learns ? sql<SqlBool>`${user_id} = ${viewer.user_id}` : sql<SqlBool>`false`;
  return sql<SqlBool>`(${isOwn} or ${isVisibleUser(tx, "assignments.read", user_id)})`;
}

function isValid(tx: Tx): RawBuilder<SqlBool> {
  const now = momentText(tx.now.getTime());
  return sql<SqlBool>`(
    certificates.revoked_at is null and (certificates.expires_at is null or certificates.expires_at > ${now}))`;
}
