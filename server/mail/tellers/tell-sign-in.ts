import { invitationMail } from "../../sessions/mail-invitation.ts";
import { newDeviceMail } from "../../sessions/mail-new-device.ts";
import { passwordResetMail } from "../../sessions/mail-password-reset.ts";
import { issueAskedLink } from "../../sessions/ask.ts";
import type { IssuedLink } from "../../sessions/links.ts";
import { findOwner } from "../../sessions/passwords.ts";
import { allowsPasswords } from "../../sso/providers.ts";
import type { Tx, WriteTx } from "../../db/db.ts";
import { utcTime } from "../../time.ts";
import { formatDate } from "../rendering/format.ts";
import type { Notice } from "../notices.ts";
import { getCompanyName } from "./tell-accounts.ts";
import { factNumber, factText, type Known, type Reader, type Teller, teller } from "./telling.ts";

/** Brings people the links that set a password, and tells them of devices that they never signed in with before. */
export const signInTellers: readonly Teller[] = [
  teller(invitationMail, async (tx, notices, reader) => {
    const company_name = await getCompanyName(tx);
    return tellLinks(tx, notices, (link) => ({ company_name, valid_until: formatEnd(reader, link) }));
  }),
  teller(passwordResetMail, (tx, notices, reader) =>
    tellLinks(tx, notices, (link) => ({ valid_until: formatEnd(reader, link) })),
  ),
  teller(newDeviceMail, async (tx, notices, { user_id, locale, time_zone }) => {
    const devices = await selectDevices(tx, user_id);
    const { hash } = await findOwner(tx, user_id);
    const has_password = hash !== null && (await allowsPasswords(tx));
    const url = `${tx.company.base_url}/preferences/${has_password ? "password" : "sessions"}`;
    return notices.flatMap((notice) => {
      const device = factText(notice, "device");
      const seen = devices.get(device);
      if (seen === undefined) return [];
      const at = formatDate(locale, time_zone, utcTime(seen.first_seen_at));
      const facts = { device, at, address: seen.address ?? "–", has_password };
      return [{ key: notice.key, facts, url, about: device }];
    });
  }),
];

function formatEnd({ locale, time_zone }: Reader, { expires_at }: IssuedLink): string {
  return formatDate(locale, time_zone, expires_at);
}

/** Makes the tokens of links. Nothing is told of those that are gone, or where passwords were switched off meanwhile. */
async function tellLinks<Facts>(
  tx: WriteTx,
  notices: readonly Notice[],
  toFacts: (link: IssuedLink) => Facts,
): Promise<Known<Facts>[]> {
  if (!(await allowsPasswords(tx))) return [];
  const known: Known<Facts>[] = [];
  for (const notice of notices) {
    const link_id = factNumber(notice, "link_id");
    const link = await issueAskedLink(tx, link_id);
    if (link === undefined) continue;
    known.push({ key: notice.key, facts: toFacts(link), url: link.url, about: String(link_id) });
  }
  return known;
}

interface Seen {
  readonly device: string;
  readonly address: string | null;
  readonly first_seen_at: string;
}

async function selectDevices(tx: Tx, user_id: number): Promise<Map<string, Seen>> {
  const rows = await tx.sql
    .selectFrom("sign_in_devices")
    .select(["device", "address", "first_seen_at"])
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .execute();
  return new Map(rows.map((row) => [row.device, row]));
}
