import type { WriteTx } from "../db/db.ts";
import { utcTime } from "../time.ts";
import { toEmailKey } from "../users/users.ts";
import type { Claim } from "./claim.ts";
import type { Fault, SendOutcome } from "./transport/outcome.ts";

const MINUTE_MS = 60_000;
/** How long after each try that surely failed the next one is made; the last of them is repeated. */
const NEXT_TRIES_MS = [1, 5, 30, 120, 360].map((minutes) => minutes * MINUTE_MS);
/** While the server is to blame it is tried as long again as the letter has waited: soon at first, then twice an hour. */
const SERVER_TRIES_MS = { soonest: MINUTE_MS, latest: 30 * MINUTE_MS };
/** As RFC 5321 (4.5.4.1) has it: a server that is mended within a long weekend finds every letter. */
const KEPT_MS = 5 * 86_400_000;
/** An old letter that somebody has sent again is not given up at the first answer of a server that only greylists. */
const FEWEST_TRIES = 6;

/**
 * Notes that everything of a letter but its last dot is on its way: from here on it may have been accepted.
 * @throws Error where another process has taken the letter meanwhile: the dot must not follow then.
 */
export async function noteHandover(tx: WriteTx, { id, tries }: Claim): Promise<void> {
  const noted = await tx.sql
    .updateTable("mails")
    .set({ status: "handed_over" })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .where("tries", "=", tries)
    .where("status", "=", "sending")
    .returning("id")
    .executeTakeFirst();
  if (noted === undefined) throw new Error(`another process has taken the mail ${id} meanwhile`);
}

/** Notes how a try ended. Where another process has taken the letter meanwhile nothing is noted. */
export async function noteOutcome(tx: WriteTx, claim: Claim, outcome: SendOutcome): Promise<void> {
  const noted = await tx.sql
    .updateTable("mails")
    .set(columnsOf(tx, claim, outcome))
    .where("company_id", "=", tx.company.id)
    .where("id", "=", claim.id)
    .where("tries", "=", claim.tries)
    .where("status", "in", ["sending", "handed_over", "unsure"])
    .returning("id")
    .executeTakeFirst();
  if (noted !== undefined && outcome.kind === "address_refused") {
    await refuseAddress(tx, claim.letter.to.address, outcome.reason);
  }
}

/** Notes that a letter could not even be written: it is tried again as one that the mail server put off. */
export async function noteUnwritten(
  tx: WriteTx,
  { id, tries, created_at }: Omit<Claim, "letter">,
): Promise<void> {
  const tried = { tries: tries + 1, created_at };
  await tx.sql
    .updateTable("mails")
    .set(columnsOf(tx, tried, { kind: "try_again", fault: "letter", reason: WITHIN }))
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .where("tries", "=", tries)
    .where("status", "in", ["waiting", "sending"])
    .execute();
}

/** What an administrator is told of an error that only a log explains. */
export const WITHIN = "An error within the service kept it from being sent; the log says which.";

interface Columns {
  readonly status: "waiting" | "sent" | "unsure" | "refused" | "address_refused";
  readonly reason: string | null;
  readonly tries: number;
  readonly next_try_at: string | null;
  readonly sent_at: string | null;
}

type Tried = Pick<Claim, "tries" | "created_at">;

function columnsOf(tx: WriteTx, tried: Tried, outcome: SendOutcome): Columns {
  const ended = { tries: tried.tries, next_try_at: null, sent_at: null };
  if (outcome.kind === "sent")
    return { ...ended, status: "sent", reason: null, sent_at: tx.now.toISOString() };
  const { kind, reason } = outcome;
  return kind === "try_again" ? putOff(tx, tried, outcome) : { ...ended, status: kind, reason };
}

/**
 * When a letter that was put off is tried again. What the server is to blame for is no try of the letter's, until it is
 * so old that everything is: then it is given up. A number of tries that was not counted may be given anew, as whoever
 * had it has ended.
 */
function putOff(
  tx: WriteTx,
  { tries, created_at }: Tried,
  { fault, reason }: { readonly fault: Fault; readonly reason: string },
): Columns {
  const ageMs = tx.now.getTime() - Date.parse(utcTime(created_at));
  const isOld = ageMs >= KEPT_MS;
  const plain = { sent_at: null, reason };
  if (isOld && tries >= FEWEST_TRIES) {
    const given_up = `Given up after more than five days. ${reason}`;
    return { ...plain, status: "refused", tries, next_try_at: null, reason: given_up };
  }
  const isCounted = isOld || fault !== "server";
  const { soonest, latest } = SERVER_TRIES_MS;
  const waitMs = isCounted
    ? (NEXT_TRIES_MS[tries - 1] ?? NEXT_TRIES_MS.at(-1) ?? latest)
    : Math.min(Math.max(ageMs, soonest), latest);
  return {
    ...plain,
    status: "waiting",
    tries: isCounted ? tries : tries - 1,
    next_try_at: new Date(tx.now.getTime() + waitMs).toISOString(),
  };
}

/** Nothing is sent to the address again, until the person has another one. */
async function refuseAddress(tx: WriteTx, address: string, reason: string): Promise<void> {
  await tx.sql
    .insertInto("mail_addresses_refused")
    .values({
      company_id: tx.company.id,
      email_key: toEmailKey(address),
      reason,
      refused_at: tx.now.toISOString(),
    })
    .onConflict((conflict) =>
      conflict.columns(["company_id", "email_key"]).doUpdateSet((eb) => ({
        reason: eb.ref("excluded.reason"),
        refused_at: eb.ref("excluded.refused_at"),
      })),
    )
    .execute();
}
