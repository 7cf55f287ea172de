import { sql } from "kysely";
import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { type CursorPage, cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { conflict, notFound } from "../http/problem.ts";
import { keepMailedTokens } from "../sessions/ask.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import { wakeMailer } from "./wake.ts";
import type { Mail, MailQuery } from "./v2-schema.ts";

type MailItem = Static<typeof Mail>;

interface MailRow extends Omit<MailItem, "user"> {
  readonly user_id: number;
  readonly user_name: string;
}

/** Lists mails, the newest first. */
export async function listMails(
  tx: Tx,
  query: Static<typeof MailQuery>,
): Promise<{ data: MailItem[]; next: string | null }> {
  const page = readCursorPage(query);
  const rows = await selectMails(tx, query, page)
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, rows, { position: ({ id }) => [id], show });
}

function selectMails(tx: Tx, query: Static<typeof MailQuery>, page: CursorPage) {
  const after = idAfter(page);
  const { "filter[user_id]": user_id, "filter[status]": status, "filter[kind]": kind } = query;
  return baseQuery(tx)
    .$if(after !== undefined, (rows) => rows.where("mails.id", "<", after ?? 0))
    .$if(user_id !== undefined, (rows) => rows.where("mails.user_id", "=", user_id ?? 0))
    .$if(kind !== undefined, (rows) => rows.where("mails.kind", "=", kind ?? ""))
    .$if(status !== undefined, (rows) => rows.where("mails.status", "=", status ?? "sent"));
}

function baseQuery(tx: Tx) {
  return tx.sql
    .selectFrom("mails")
    .innerJoin("users", (join) =>
      join.onRef("users.company_id", "=", "mails.company_id").onRef("users.id", "=", "mails.user_id"),
    )
    .select([
      ...([
        "mails.id",
        "mails.user_id",
        "mails.kind",
        "mails.address",
        "mails.subject",
        "mails.status",
      ] as const),
      ...(["mails.reason", "mails.tries", "mails.created_at", "mails.next_try_at", "mails.sent_at"] as const),
      "users.name as user_name",
    ])
    .where("mails.company_id", "=", tx.company.id)
    .where("users.company_id", "=", tx.company.id)
    .orderBy("mails.id", "desc");
}

function show({ user_id, user_name, ...row }: MailRow): MailItem {
  return {
    ...row,
    user: { id: user_id, name: user_name },
    created_at: utcTime(row.created_at),
    next_try_at: utcTimeOrNull(row.next_try_at),
    sent_at: utcTimeOrNull(row.sent_at),
  };
}

/** The ends of a mail after which somebody may want it to be tried anew. */
const FAILED: readonly MailItem["status"][] = ["unsure", "refused", "address_refused"];

/**
 * Has a mail sent that failed, or may have: as it would be written now, at once, under the Message-ID that it had. An
 * address that was refused is tried again. A link that may have arrived goes on working beside the one it brings now.
 * @throws Problem 404; 409 for one that was sent, is to be sent, or has nothing to tell any more.
 */
export async function sendAgain(tx: WriteTx, mail_id: number): Promise<MailItem> {
  // Who writes a letter locks this first and the letter then, so this does too.
  const at = await lockCounters(tx, "sign_in_links");
  const mail = await tx.sql
    .selectFrom("mails")
    .select(["status", "user_id"])
    .where("company_id", "=", tx.company.id)
    .where("id", "=", mail_id)
    .forUpdate()
    .executeTakeFirst();
  if (mail === undefined) throw notFound("Mail");
  const { status, user_id } = mail;
  if (!FAILED.includes(status)) {
    throw conflict(`This mail is ${status}: only one that is ${FAILED.join(", ")} can be sent again`);
  }
  await forgetRefusal(tx, user_id);
  if (status === "unsure") await keepMailedTokens(tx, mail_id, at);
  const now = tx.now.toISOString();
  await tx.sql
    .updateTable("mails")
    .set({ status: "waiting", reason: null, tries: 0, next_try_at: now })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", mail_id)
    .execute();
  await audit(tx, {
    action: "send_mail_again",
    resource_type: "mail",
    resource_id: mail_id,
    before: { status },
    after: { status: "waiting" },
    at: now,
  });
  await wakeMailer(tx.sql);
  return show(await baseQuery(tx).where("mails.id", "=", mail_id).executeTakeFirstOrThrow());
}

/** That an address was refused is what is to be found out anew. */
async function forgetRefusal(tx: WriteTx, user_id: number): Promise<void> {
  await sql`
    delete from mail_addresses_refused
    where company_id = ${tx.company.id} and email_key = (
      select users.email_key from users where users.company_id = ${tx.company.id} and users.id = ${user_id}
    )`.execute(tx.sql);
}
