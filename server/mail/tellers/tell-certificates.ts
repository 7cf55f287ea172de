import { sql } from "kysely";
import { expiringMail } from "../../certificates/mail-expiring.ts";
import { issuedMail } from "../../certificates/mail-issued.ts";
import { lastDayOf } from "../../certificates/validity.ts";
import type { Tx } from "../../db/db.ts";
import { formatDay } from "../rendering/format.ts";
import type { Notice } from "../notices.ts";
import { daysBetween } from "../pace.ts";
import { factNumber, type Known, type Teller, teller } from "./telling.ts";

interface Held {
  readonly id: number;
  readonly title: string;
  readonly expires_at: string | null;
  /** Whether its holder has a newer one of the same path. */
  readonly is_renewed: boolean;
  /** The assignment by which it can be renewed now; null where its renewal is not open, or never will be. */
  readonly renewal_id: number | null;
}

/** Tells of certificates that were earned, and of those that end. */
export const certificateTellers: readonly Teller[] = [
  teller(issuedMail, (tx, notices, { locale, time_zone }) =>
    readHeld(tx, notices, (notice, { title, expires_at }) => {
      const valid_until = expires_at && formatDay(locale, time_zone, lastDayOf(expires_at, time_zone));
      return known(tx, notice, { title, valid_until });
    }),
  ),
  teller(expiringMail, (tx, notices, { locale, time_zone, today }) =>
    readHeld(tx, notices, (notice, { title, expires_at, is_renewed, renewal_id }) => {
      if (expires_at === null || is_renewed) return undefined;
      const last = lastDayOf(expires_at, time_zone);
      const days = daysBetween(today, last);
      if (days < 0) return undefined;
      const valid_until = formatDay(locale, time_zone, last);
      const told = known(tx, notice, { title, valid_until, days, can_renew: renewal_id !== null });
      return renewal_id === null
        ? told
        : { ...told, url: `${tx.company.base_url}/assignments/${renewal_id}` };
    }),
  ),
];

function known<Facts>(tx: Tx, notice: Notice, facts: Facts): Known<Facts> {
  const id = factNumber(notice, "certificate_id");
  return { key: notice.key, facts, url: `${tx.company.base_url}/certificates/${id}`, about: String(id) };
}

async function readHeld<Facts>(
  tx: Tx,
  notices: readonly Notice[],
  toKnown: (notice: Notice, held: Held) => Known<Facts> | undefined,
): Promise<Known<Facts>[]> {
  const ids = notices.map((notice) => factNumber(notice, "certificate_id"));
  const held = new Map((await selectHeld(tx, ids)).map((row) => [row.id, row]));
  return notices.flatMap((notice) => {
    const row = held.get(factNumber(notice, "certificate_id"));
    return (row && toKnown(notice, row)) ?? [];
  });
}

async function selectHeld(tx: Tx, ids: readonly number[]): Promise<Held[]> {
  const company_id = tx.company.id;
  const { rows } = await sql<Held>`
    select certificate.id, path_title as title, expires_at, renewal.id as renewal_id, exists (
      select from certificates newer
      where newer.company_id = ${company_id} and newer.path_id = certificate.path_id
        and newer.user_id = certificate.user_id and newer.id > certificate.id and newer.revoked_at is null
    ) as is_renewed
    from certificates certificate
    left join paths path on path.company_id = ${company_id} and path.id = certificate.path_id
      and path.is_certification and path.archived_at is null
    left join assignments renewal on renewal.company_id = ${company_id} and renewal.id = certificate.assignment_id
      and renewal.status = 'Incomplete' and path.id is not null
    where certificate.company_id = ${company_id} and certificate.id = any(${ids}::bigint[])
      and certificate.revoked_at is null`.execute(tx.sql);
  return rows;
}
