import { sql } from "kysely";
import type { Company } from "../companies/companies.ts";
import type { WriteTx } from "../db/db.ts";
import type { Locale } from "../users/schema.ts";
import { toEmailKey } from "../users/users.ts";
import { toDigest } from "./digest.ts";
import { languageTag } from "./rendering/format.ts";
import type { Letter } from "./transport/letter.ts";
import type { Notice } from "./notices.ts";
import type { MailOptions } from "./options.ts";
import { todayIn } from "./pace.ts";
import { renderMail } from "./rendering/render.ts";
import { tellers } from "./tellers/tellers.ts";
import type { Reader, Told } from "./tellers/telling.ts";
import type { MailContent } from "./text.ts";
import { offered, unsubscribeUrl } from "./unsubscribe.ts";

/** A letter as it is stored, as far as its words depend on it. */
export interface StoredMail {
  readonly id: number;
  readonly user_id: number;
  readonly message_id: string;
}

/** A letter with its words, or why there is nothing to send. */
export type Composed =
  | { readonly kind: "letter"; readonly letter: Letter }
  | { readonly kind: "dropped" | "address_refused"; readonly reason: string };

/**
 * Writes a letter, of what is so now, in the language and time zone of who reads it. What no longer holds, what they do
 * not want any more, and what nobody is left to read is left out.
 */
export async function composeMail(
  tx: WriteTx,
  mail: StoredMail,
  options: Pick<MailOptions, "from" | "secrets">,
): Promise<Composed> {
  const person = await findPerson(tx, mail.user_id);
  if (person === undefined) return { kind: "dropped", reason: "The user is archived." };
  if (person.refusal !== null) return { kind: "address_refused", reason: person.refusal };
  const time_zone = tx.company.time_zone;
  const reader: Reader = {
    user_id: mail.user_id,
    locale: person.locale,
    time_zone,
    today: todayIn(tx.now, time_zone),
  };
  const told = await tellAll(tx, await listNotices(tx, mail.id), reader);
  if (told.length === 0) return { kind: "dropped", reason: "What it was to tell no longer held." };
  const wanted = dropAnnounced(told.filter(({ category }) => !person.unwanted.includes(category)));
  const [only, ...others] = wanted;
  if (only === undefined) return { kind: "dropped", reason: "The user does not want mails of this kind." };
  const words =
    others.length === 0 ? only.content : toDigest(wanted, { locale: person.locale, company: tx.company });
  const ends = findEnds(tx.company, { told: wanted, user_id: mail.user_id }, options);
  const content = { ...words, ...ends.shown, ...person.shown, locale: person.locale };
  return { kind: "letter", letter: toLetter(tx, { mail, content, person, headers: ends.headers }, options) };
}

interface Person {
  readonly name: string;
  readonly email: string;
  readonly locale: Locale;
  readonly company_name: string;
  /** Why nothing is sent to their address; null where it is. */
  readonly refusal: string | null;
  readonly unwanted: readonly string[];
  readonly shown: Pick<MailContent, "company_name" | "reader_name">;
}

/** @returns undefined for who is archived. */
async function findPerson(tx: WriteTx, user_id: number): Promise<Person | undefined> {
  const company_id = tx.company.id;
  const { rows } = await sql<Omit<Person, "refusal" | "shown"> & { email_key: string }>`
    select users.name, users.email, users.email_key, users.locale, companies.name as company_name, coalesce((
      select array_agg(category) from mail_preferences
      where company_id = ${company_id} and user_id = ${user_id}
    ), '{}') as unwanted
    from users
    join companies on companies.company_id = ${company_id}
    where users.company_id = ${company_id} and users.id = ${user_id}
      and users.archived_at is null and users.anonymized_at is null`.execute(tx.sql);
  const [row] = rows;
  if (row === undefined) return undefined;
  const refused = await tx.sql
    .selectFrom("mail_addresses_refused")
    .select("reason")
    .where("company_id", "=", company_id)
    .where("email_key", "=", toEmailKey(row.email))
    .executeTakeFirst();
  const shown = { company_name: row.company_name, reader_name: row.name };
  return { ...row, refusal: refused?.reason ?? null, shown };
}

async function listNotices(tx: WriteTx, mail_id: number): Promise<Notice[]> {
  const { rows } = await sql<Notice>`
    select key, user_id, kind, facts, created_at
    from mail_notices
    where company_id = ${tx.company.id} and mail_id = ${mail_id}
    order by created_at, key`.execute(tx.sql);
  return rows;
}

/** Kinds that say no more than that there is something: what else is told of the same thing says it too. */
const ANNOUNCEMENTS = new Set(["assigned", "new_version"]);

/** What the notices say, in their order; of two that say the same of the same thing the last. */
async function tellAll(tx: WriteTx, notices: readonly Notice[], reader: Reader): Promise<Told[]> {
  const told = new Map<string, Told>();
  for (const [kind, ofKind] of Map.groupBy(notices, (notice) => notice.kind)) {
    const teller = tellers.get(kind);
    if (teller === undefined) throw new Error(`nobody tells ${kind}: add it to tellers.ts`);
    for (const [key, one] of await teller.tell(tx, ofKind, reader)) told.set(key, one);
  }
  const inOrder = notices.flatMap(({ key }) => told.get(key) ?? []);
  const last = new Map(inOrder.map((one) => [one.about, one]));
  return inOrder.filter((one) => last.get(one.about) === one);
}

/** Leaves out announcements of what is told of anyway. What is not wanted tells nothing, so it is left out before. */
function dropAnnounced(told: readonly Told[]): Told[] {
  const things = new Set(told.filter(({ kind }) => !ANNOUNCEMENTS.has(kind)).map(({ url }) => url));
  return told.filter(({ kind, url }) => !ANNOUNCEMENTS.has(kind) || !things.has(url));
}

interface Ends {
  readonly shown: Pick<MailContent, "unsubscribe_url" | "preferences_url">;
  readonly headers: Readonly<Record<string, string>>;
}

/** How a reader ends such mails: nothing ends what is required. */
function findEnds(
  company: Company,
  { told, user_id }: { readonly told: readonly Told[]; readonly user_id: number },
  { secrets }: Pick<MailOptions, "secrets">,
): Ends {
  const categories = offered(told.map(({ category }) => category));
  if (categories.length === 0) {
    return { shown: { unsubscribe_url: null, preferences_url: null }, headers: {} };
  }
  const url = unsubscribeUrl(company, { user_id, categories }, secrets);
  return {
    shown: { unsubscribe_url: url, preferences_url: `${company.base_url}/preferences/mails` },
    headers: { "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
}

function toLetter(
  tx: WriteTx,
  given: {
    readonly mail: StoredMail;
    readonly content: MailContent;
    readonly person: Person;
    readonly headers: Readonly<Record<string, string>>;
  },
  { from }: Pick<MailOptions, "from">,
): Letter {
  const { mail, content, person, headers } = given;
  return {
    message_id: mail.message_id,
    from: { name: person.company_name, address: from },
    to: { name: person.name, address: person.email },
    ...renderMail(content),
    headers,
    date: tx.now,
    locale: languageTag(person.locale),
  };
}
