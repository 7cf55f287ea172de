import { sql } from "kysely";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { composeMail, type StoredMail } from "./compose.ts";
import type { Letter } from "./transport/letter.ts";
import type { MailOptions } from "./options.ts";

/** A letter that can't be written, whose error must not keep others from being sent. */
export class Unwritten extends Error {
  readonly mail: Omit<Claim, "letter">;

  constructor({ id, tries, created_at }: Omit<Claim, "letter">, cause: unknown) {
    super(`The mail ${id} can't be written: ${String(cause)}`, { cause });
    this.mail = { id, tries, created_at };
  }
}

/** Longer than any mail takes: who has not ended one by then was killed. */
export const CLAIM_MS = 600_000;

/** A letter that this process is to send now. `tries` says which try it is: no two that go on have the same number. */
export interface Claim {
  readonly id: number;
  readonly tries: number;
  /** When the letter was made: it is not tried for ever. */
  readonly created_at: string;
  readonly letter: Letter;
}

interface Next extends StoredMail {
  readonly status: "waiting" | "sending" | "handed_over";
  readonly tries: number;
  readonly created_at: string;
}

/**
 * Takes the company's next letter that is due, one that goes alone before all others, and writes it. One that somebody
 * was killed with is taken again if it surely was not accepted; if it may have been, that is noted and it is left alone.
 * @returns "settled" where a letter needed no sending, undefined where none is due.
 */
export async function claimNext(
  tx: WriteTx,
  options: Pick<MailOptions, "from" | "secrets">,
): Promise<Claim | "settled" | undefined> {
  if (!(await hasDue(tx))) return undefined;
  // Writing a letter may make a link. Who erases a person locks this first and their letters then, so this does too.
  await lockCounters(tx, "sign_in_links");
  const next = await selectNext(tx);
  if (next === undefined) return undefined;
  if (next.status === "handed_over") {
    await settle(tx, next.id, { status: "unsure", reason: KILLED });
    return "settled";
  }
  const composed = await composeMail(tx, next, options).catch((cause: unknown) => {
    throw new Unwritten(next, cause);
  });
  if (composed.kind !== "letter") {
    await settle(tx, next.id, { status: composed.kind, reason: composed.reason });
    return "settled";
  }
  const { letter } = composed;
  const tries = next.tries + 1;
  await tx.sql
    .updateTable("mails")
    .set({
      status: "sending",
      tries,
      next_try_at: new Date(tx.now.getTime() + CLAIM_MS).toISOString(),
      address: letter.to.address,
      subject: letter.subject,
    })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", next.id)
    .execute();
  return { id: next.id, tries, created_at: next.created_at, letter };
}

const KILLED =
  "The process ended after it had handed the mail over and before it had the answer. It may or may not have been accepted.";

/** A look without a lock: most companies have nothing to send. */
async function hasDue(tx: WriteTx): Promise<boolean> {
  const { rows } = await sql`
    select from mails
    where company_id = ${tx.company.id} and next_try_at <= ${tx.now.toISOString()}
    limit 1`.execute(tx.sql);
  return rows.length > 0;
}

async function selectNext(tx: WriteTx): Promise<Next | undefined> {
  const { rows } = await sql<Next>`
    select id, user_id, message_id, status, tries, created_at
    from mails
    where company_id = ${tx.company.id} and next_try_at <= ${tx.now.toISOString()}
    order by queue, next_try_at, id
    limit 1
    for update skip locked`.execute(tx.sql);
  return rows[0];
}

async function settle(
  tx: WriteTx,
  id: number,
  end: { readonly status: "unsure" | "dropped" | "address_refused"; readonly reason: string },
): Promise<void> {
  await tx.sql
    .updateTable("mails")
    .set({ ...end, next_try_at: null })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
}
