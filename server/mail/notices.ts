import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import { type HeldUser, holdUsers } from "../users/hold.ts";
import { nextMorning } from "./pace.ts";

/** How soon a notice goes out: by itself at once, gathered with others, or with the next morning's digest. */
export type Pace = "alone" | "soon" | "digest";

/** One thing to tell one person. It holds ids and numbers: the words are made when it is sent. */
export interface NewNotice {
  /** What makes it told once, such as `event/123`: a second one with the same key is none. */
  readonly key: string;
  readonly user_id: number;
  /** A kind of mail, as tellers.ts lists them. */
  readonly kind: string;
  readonly pace: Pace;
  readonly facts: Readonly<Record<string, unknown>>;
  /** PostgreSQL's text or ISO 8601. */
  readonly send_at: string;
}

/** A notice as it is told. */
export interface Notice {
  readonly key: string;
  readonly user_id: number;
  readonly kind: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

/**
 * Notes what people are to be told, in the transaction of what causes it: without that it is not told, with it once.
 * Locks no counter, but whom it tells: they are not deleted meanwhile. Who is gone or archived or was made anonymous is
 * told nothing.
 * @returns how many are new.
 */
export async function queueMail(tx: WriteTx, given: readonly NewNotice[]): Promise<number> {
  if (given.length === 0) return 0;
  const people = await holdUsers(
    tx,
    given.map(({ user_id }) => user_id),
  );
  const told = new Set(people.filter(isTold).map(({ id }) => id));
  const notices = given.filter(({ user_id }) => told.has(user_id));
  if (notices.length === 0) return 0;
  const { rows } = await sql`
    insert into mail_notices (company_id, key, user_id, kind, pace, facts, created_at, send_at)
    select ${tx.company.id}, given.key, given.user_id, given.kind, given.pace, given.facts::jsonb,
      ${tx.now.toISOString()}::timestamptz, given.send_at
    from unnest(
      ${notices.map(({ key }) => key)}::text[],
      ${notices.map(({ user_id }) => user_id)}::bigint[],
      ${notices.map(({ kind }) => kind)}::text[],
      ${notices.map(({ pace }) => pace)}::text[],
      ${notices.map(({ facts }) => JSON.stringify(facts))}::text[],
      ${notices.map(({ send_at }) => send_at)}::timestamptz[]
    ) as given (key, user_id, kind, pace, facts, send_at)
    on conflict (company_id, key) do nothing
    returning key`.execute(tx.sql);
  return rows.length;
}

/** Whether somebody is told anything at all. */
function isTold({ archived_at, anonymized_at }: HeldUser): boolean {
  return archived_at === null && anonymized_at === null;
}

/**
 * Moves what waits for a morning to that of the time zone that the company has from now on: nobody is woken by it.
 * The counter of mails is locked, as by who writes letters of them.
 */
export async function moveToMorningIn(tx: WriteTx, time_zone: string): Promise<void> {
  await tx.sql
    .updateTable("mail_notices")
    .set({ send_at: nextMorning(tx.now, time_zone) })
    .where("company_id", "=", tx.company.id)
    .where("mail_id", "is", null)
    .where("send_at", ">", tx.now.toISOString())
    .where((eb) => eb.or([eb("pace", "=", "digest"), eb("kind", "=", "weekly")]))
    .execute();
}
