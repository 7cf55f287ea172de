import { sql } from "kysely";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { conflict } from "../http/problem.ts";
import { queueMail } from "../mail/notices.ts";
import { wakeMailer } from "../mail/wake.ts";
import { utcTime } from "../time.ts";
import { type AskedLink, insertLink, type IssuedLink, issueLink, keepToken, type LinkKind } from "./links.ts";
import { findOwner } from "./passwords.ts";

/**
 * Somebody who asks again within so many minutes is sent nothing more: nobody's mailbox is filled by others. Anybody may
 * ask for a reset, so that takes longer after the second of a day, and after the third; the links sent before live as long.
 */
const ASK_AGAIN_AFTER_MINUTES: Record<LinkKind, readonly number[]> = { invitation: [5], reset: [5, 15, 60] };
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Notes that a person is to be mailed a link. Its token is made when the mail is written: until then there is none.
 * @returns the one that waits to be sent, or was sent a moment ago, where there is one.
 * @throws Problem 404; 409 for an archived user, and for an invitation of somebody who has a password.
 */
export async function askForLink(tx: WriteTx, kind: LinkKind, user_id: number): Promise<AskedLink> {
  const at = await lockCounters(tx, "sign_in_links");
  const owner = await findOwner(tx, user_id);
  if (owner.archived_at !== null) throw conflict("This user is archived: restore them first");
  if (kind === "invitation" && owner.hash !== null) {
    throw conflict("They have a password already. Who forgot theirs can ask for a reset");
  }
  const waiting = await findWaiting(tx, kind, user_id);
  if (waiting !== undefined) return { ...waiting, kind, user_id, asked_at: utcTime(waiting.asked_at) };
  const link = await insertLink(tx, { kind, user_id, at });
  await queueMail(tx, [
    {
      key: `link/${link.id}`,
      user_id,
      kind: mailKinds[kind],
      pace: "alone",
      facts: { link_id: link.id },
      send_at: tx.now.toISOString(),
    },
  ]);
  await wakeMailer(tx.sql);
  return link;
}

/** What the mails are called that bring a link. */
const mailKinds = { invitation: "invitation", reset: "password_reset" } as const satisfies Record<
  LinkKind,
  string
>;

/**
 * The link that was asked for a moment ago, or whose mail is still to go out. One that went to an e-mail which they have
 * no more lets them wait for nothing: it has no token left.
 */
async function findWaiting(
  tx: WriteTx,
  kind: LinkKind,
  user_id: number,
): Promise<{ id: number; asked_at: string } | undefined> {
  const since = new Date(tx.now.getTime() - (await findWaitMs(tx, kind, user_id))).toISOString();
  const company_id = tx.company.id;
  const { rows } = await sql<{ id: number; asked_at: string }>`
    select link.id, link.asked_at
    from sign_in_links link
    left join mail_notices notice on notice.company_id = ${company_id} and notice.key = 'link/' || link.id
    left join mails mail on mail.company_id = ${company_id} and mail.id = notice.mail_id
    where link.company_id = ${company_id} and link.user_id = ${user_id} and link.kind = ${kind}
      and (
        link.asked_at > ${since} and (
          link.hash is not null or mail.status = 'dropped' or exists (
            select from mail_addresses_refused refused
            join users on users.company_id = ${company_id} and users.email_key = refused.email_key
            where refused.company_id = ${company_id} and users.id = ${user_id}
          )
        )
        or notice.key is not null and (mail.id is null or mail.status in ('waiting', 'sending', 'handed_over'))
      )
    order by link.id desc
    limit 1`.execute(tx.sql);
  return rows[0];
}

/** How long after the last link of a kind another is sent. Mails that can't have reached anybody lengthen it for nobody. */
async function findWaitMs(tx: WriteTx, kind: LinkKind, user_id: number): Promise<number> {
  const since = new Date(tx.now.getTime() - DAY_MS).toISOString();
  const company_id = tx.company.id;
  const { rows } = await sql<{ mails: number }>`
    select count(*) as mails
    from mail_notices notice
    left join mails mail on mail.company_id = ${company_id} and mail.id = notice.mail_id
    where notice.company_id = ${company_id} and notice.user_id = ${user_id} and notice.kind = ${mailKinds[kind]}
      and notice.created_at > ${since}
      and (mail.id is null or mail.status not in ('refused', 'address_refused', 'dropped'))`.execute(tx.sql);
  const waits = ASK_AGAIN_AFTER_MINUTES[kind];
  const minutes = waits.slice(0, Math.max(rows[0]?.mails ?? 0, 1)).at(-1) ?? 0;
  return minutes * MINUTE_MS;
}

/** Asks for the reset of whoever has an e-mail; for nobody's nothing happens. */
export async function askForReset(tx: WriteTx, email_key: string): Promise<void> {
  const user = await tx.sql
    .selectFrom("users")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("email_key", "=", email_key)
    .where("archived_at", "is", null)
    .executeTakeFirst();
  if (user !== undefined) await askForLink(tx, "reset", user.id);
}

/**
 * Keeps the tokens that a mail brought which may have arrived, as it is to be sent again with others. The counter of
 * links is locked since `at`.
 */
export async function keepMailedTokens(tx: WriteTx, mail_id: number, at: string): Promise<void> {
  const company_id = tx.company.id;
  const { rows } = await sql<{ id: number }>`
    select link.id
    from mail_notices notice
    join sign_in_links link on link.company_id = ${company_id} and notice.key = 'link/' || link.id
      and link.user_id = notice.user_id
    where notice.company_id = ${company_id} and notice.mail_id = ${mail_id}
    order by link.id`.execute(tx.sql);
  for (const { id } of rows) await keepToken(tx, id, at);
}

/**
 * Makes the token of a link that was asked for, for the mail that brings it. A mail that is tried again brings a new
 * one, and that of the try before is worth nothing: the token was never stored, and nobody can have got it.
 * @returns undefined for a link that is gone: a password was set meanwhile.
 */
export async function issueAskedLink(tx: WriteTx, link_id: number): Promise<IssuedLink | undefined> {
  const link = await tx.sql
    .selectFrom("sign_in_links")
    .select(["id", "kind"])
    .where("company_id", "=", tx.company.id)
    .where("id", "=", link_id)
    .executeTakeFirst();
  return link && issueLink(tx, link);
}
