import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import { conflict, forbidden, notFound, Problem } from "../http/problem.ts";
import { utcTime } from "../time.ts";
import { requireGradable } from "./reach.ts";
import type { Claim } from "./v2-schema.ts";

/** For how long an answer is one grader's: long enough to listen to a recording, short enough to be forgotten. */
export const CLAIM_MINUTES = 15;

export interface Pending {
  readonly attempt_id: number;
  readonly question_id: string;
}

/**
 * Takes an answer for the viewer to grade, or goes on with it.
 * @throws Problem 403 for a key; 404; 409 while another grader has it, naming who and until when, or when it is graded.
 */
export async function claimAnswer(tx: WriteTx, { attempt_id, question_id }: Pending): Promise<Claim> {
  const { user_id } = tx.viewer;
  if (user_id === null) throw forbidden("Only a person can claim an answer: sign in");
  await requireGradable(tx, attempt_id);
  const until = new Date(tx.now.getTime() + CLAIM_MINUTES * 60_000).toISOString();
  const { rows } = await sql<{ claimed_until: string }>`
    update attempt_answers set claimed_by = ${user_id}, claimed_until = ${until}
    where company_id = ${tx.company.id} and attempt_id = ${attempt_id} and question_id = ${question_id}
      and points is null
      and (claimed_by is null or claimed_by = ${user_id} or claimed_until <= ${tx.now.toISOString()})
      and exists (
        select from attempts
        where attempts.company_id = ${tx.company.id} and attempts.id = ${attempt_id}
          and attempts.status = 'grade_pending'
      )
    returning claimed_until`.execute(tx.sql);
  const [claimed] = rows;
  if (claimed === undefined) throw await refuse(tx, { attempt_id, question_id });
  return { attempt_id, question_id, claimed_by: user_id, claimed_until: utcTime(claimed.claimed_until) };
}

async function refuse(tx: WriteTx, { attempt_id, question_id }: Pending): Promise<Problem> {
  const row = await tx.sql
    .selectFrom("attempt_answers")
    .select(["points", "claimed_by", "claimed_until"])
    .where("company_id", "=", tx.company.id)
    .where("attempt_id", "=", attempt_id)
    .where("question_id", "=", question_id)
    .executeTakeFirst();
  if (row === undefined) return notFound("Answer");
  return row.points === null && row.claimed_by !== null
    ? claimedBy(row)
    : conflict("This answer waits for no grader");
}

/** 409 that says who has an answer, and until when. */
export function claimedBy(claim: { claimed_by: number | null; claimed_until: string | null }): Problem {
  const claimed_until = claim.claimed_until === null ? null : utcTime(claim.claimed_until);
  return new Problem(409, `User ${claim.claimed_by} is grading this answer until ${claimed_until}`, {
    members: { claimed_by: claim.claimed_by, claimed_until },
  });
}
