import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Company } from "../companies/companies.ts";
import { commandActor } from "../companies/create.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { Database, Tx, WriteTx } from "../db/db.ts";
import type { Pace } from "./notices.ts";
import { nextMorning, QUIET_MS } from "./pace.ts";

/** People whose letters one transaction makes. */
const PEOPLE_AT_ONCE = 500;

/**
 * Makes letters of the notices of a company that are due. The first thing for a person goes out soon, together with
 * all that is about to; what arises within an hour after a letter waits for the morning's digest.
 */
export async function gatherLetters(database: Database, company: Company, gatherMs: number): Promise<void> {
  while (await database.read(company, hasDue)) {
    await database.write(company, commandActor, (tx) => gatherSome(tx, gatherMs));
  }
}

async function hasDue(tx: Tx): Promise<boolean> {
  const { rows } = await sql`
    select from mail_notices
    where company_id = ${tx.company.id} and mail_id is null and send_at <= ${tx.now.toISOString()}
    limit 1`.execute(tx.sql);
  return rows.length > 0;
}

/** Two who gather at once take turns by the counter's lock. */
async function gatherSome(tx: WriteTx, gatherMs: number): Promise<void> {
  const at = await lockCounters(tx, "mails");
  const due = await selectDue(tx, gatherMs);
  const recent = await selectRecent(
    tx,
    due.map(({ user_id }) => user_id),
  );
  const plans = [...Map.groupBy(due, ({ user_id }) => user_id)].map(([user_id, notices]) =>
    plan(notices, { hadLetter: recent.has(user_id) }),
  );
  await postpone(
    tx,
    plans.flatMap(({ later }) => later),
  );
  await insertLetters(
    tx,
    plans.flatMap(({ letters }) => letters),
    at,
  );
}

interface Due {
  readonly key: string;
  readonly user_id: number;
  readonly kind: string;
  readonly pace: Pace;
  readonly is_due: boolean;
}

/** All that is due or about to be, of the people who have waited longest. */
async function selectDue(tx: WriteTx, gatherMs: number): Promise<Due[]> {
  const company_id = tx.company.id;
  const now = tx.now.toISOString();
  const soon = new Date(tx.now.getTime() + gatherMs).toISOString();
  const { rows } = await sql<Due>`
    select notice.key, notice.user_id, notice.kind, notice.pace, notice.send_at <= ${now} as is_due
    from (
      select user_id, min(send_at) as since from mail_notices
      where company_id = ${company_id} and mail_id is null and send_at <= ${now}
      group by user_id order by since, user_id limit ${PEOPLE_AT_ONCE}
    ) person
    join mail_notices notice on notice.company_id = ${company_id} and notice.user_id = person.user_id
      and notice.mail_id is null and notice.send_at <= ${soon}
    order by person.since, notice.user_id, notice.created_at, notice.key`.execute(tx.sql);
  return rows;
}

/** Who has had a gathered letter within the last hour. One that told nothing was none. */
async function selectRecent(tx: WriteTx, user_ids: readonly number[]): Promise<Set<number>> {
  const since = new Date(tx.now.getTime() - QUIET_MS).toISOString();
  const { rows } = await sql<{ user_id: number }>`
    select distinct user_id from mails
    where company_id = ${tx.company.id} and user_id = any(${[...new Set(user_ids)]}::bigint[])
      and created_at > ${since} and is_gathered and status <> 'dropped'`.execute(tx.sql);
  return new Set(rows.map(({ user_id }) => user_id));
}

type NoticeGroup = readonly [Due, ...Due[]];

interface Plan {
  readonly letters: readonly NoticeGroup[];
  readonly later: readonly Due[];
}

/** What becomes of one person's notices: each of those that go alone is a letter, all others together are one, or wait. */
function plan(notices: readonly Due[], { hadLetter }: { readonly hadLetter: boolean }): Plan {
  const alone = notices
    .filter(({ pace, is_due }) => pace === "alone" && is_due)
    .map((notice): NoticeGroup => [notice]);
  const [first, ...others] = notices.filter(({ pace }) => pace !== "alone");
  if (first === undefined) return { letters: alone, later: [] };
  const gathered: NoticeGroup = [first, ...others];
  if (!gathered.some(({ is_due }) => is_due)) return { letters: alone, later: [] };
  const isDigest = gathered.some(({ pace, is_due }) => pace === "digest" && is_due);
  if (hadLetter && !isDigest)
    return { letters: alone, later: gathered.filter(({ pace }) => pace === "soon") };
  return { letters: [...alone, gathered], later: [] };
}

async function postpone(tx: WriteTx, notices: readonly Due[]): Promise<void> {
  if (notices.length === 0) return;
  await sql`
    update mail_notices set pace = 'digest', send_at = ${nextMorning(tx.now, tx.company.time_zone)}
    where company_id = ${tx.company.id} and key = any(${notices.map(({ key }) => key)}::text[])`.execute(
    tx.sql,
  );
}

async function insertLetters(tx: WriteTx, letters: readonly NoticeGroup[], at: string): Promise<void> {
  if (letters.length === 0) return;
  const firstId = await moveCounter(tx, { kind: "mails", ids: letters.length, total: 0, at });
  const rows = letters.map((notices, index) => ({ id: firstId + index, notices }));
  const now = tx.now.toISOString();
  await sql`
    insert into mails
      (company_id, id, user_id, kind, is_gathered, queue, message_id, status, tries, next_try_at, created_at)
    select ${tx.company.id}, letter.id, letter.user_id, letter.kind, letter.is_gathered, letter.queue,
      letter.message_id, 'waiting', 0,
      ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${rows.map(({ id }) => id)}::bigint[],
      ${rows.map(({ notices: [{ user_id }] }) => user_id)}::bigint[],
      ${rows.map(({ notices }) => (notices.length === 1 ? notices[0].kind : "digest"))}::text[],
      ${rows.map(({ notices: [{ pace }] }) => pace !== "alone")}::boolean[],
      ${rows.map(({ notices: [first] }) => queueOf(first))}::smallint[],
      ${rows.map(({ id, notices }) => makeMessageId(tx, id, notices))}::text[]
    ) as letter (id, user_id, kind, is_gathered, queue, message_id)
    returning id`.execute(tx.sql);
  const named = rows.flatMap(({ id, notices }) => notices.map(({ key }) => ({ id, key })));
  await sql`
    update mail_notices set mail_id = named.id
    from unnest(${named.map(({ id }) => id)}::bigint[], ${named.map(({ key }) => key)}::text[]) as named (id, key)
    where mail_notices.company_id = ${tx.company.id} and mail_notices.key = named.key`.execute(tx.sql);
}

/** Who forgot a password sits and waits: that passes the accounts of a bulk job too, as those pass what can wait. */
function queueOf({ kind, pace }: Due): 0 | 1 | 2 {
  if (kind === "password_reset") return 0;
  return pace === "alone" && kind !== "weekly" ? 1 : 2;
}

const HASH_CHARACTERS = 16;

/** The same for each try, and made of what the letter tells: a server or a reader that has it already knows it again. */
function makeMessageId({ company }: WriteTx, id: number, notices: NoticeGroup): string {
  const keys = notices.map(({ key }) => key).join("\n");
  const hash = createHash("sha256").update(keys).digest("hex").slice(0, HASH_CHARACTERS);
  return `<${company.id}.${id}.${hash}@${new URL(company.base_url).hostname}>`;
}
