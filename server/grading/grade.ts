import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { conflict, notFound } from "../http/problem.ts";
import { type AttemptRow, learningCounters, lockAttempt } from "../learning/attempts.ts";
import { settle } from "../learning/finish.ts";
import { toPoints } from "../learning/marking.ts";
import { getVersion } from "../learning/versions.ts";
import { type Mark, readGrade } from "../lessons/content/marks.ts";
import { needsGrader } from "../lessons/content/questions.ts";
import { utcTime } from "../time.ts";
import { claimedBy, type Pending } from "./claim.ts";
import { requireGradable } from "./reach.ts";
import type { Graded, GradeBody } from "./v2-schema.ts";

/**
 * Grades an answer. With the last one the attempt is completed, or below the pass mark. Until then a grader may correct
 * what they gave; of two at once the first wins.
 * @throws Problem 404; 409 when it is graded by another, waits for none, or another grader has claimed it; 422
 */
export async function gradeAnswer(tx: WriteTx, pending: Pending, body: GradeBody): Promise<Graded> {
  const at = await lockCounters(tx, ...learningCounters);
  await requireGradable(tx, pending.attempt_id);
  const attempt = await lockAttempt(tx, pending.attempt_id);
  const mark = await readMark(tx, { attempt, pending, body });
  const graded = await keepGrade(tx, { pending, mark, body, at });
  const left = await countPending(tx, pending.attempt_id);
  const settled =
    left > 0 || attempt.finished_at === null
      ? attempt
      : await settle(tx, attempt, { at, finished_at: attempt.finished_at, graded_at: at });
  await audit(tx, {
    action: "grade_answer",
    resource_type: "attempt",
    resource_id: attempt.id,
    after: { question_id: pending.question_id, points: mark.points, comment: graded.comment },
    at,
  });
  const status =
    settled.status === "completed" || settled.status === "failed" ? settled.status : "grade_pending";
  return { ...graded, attempt_status: status, score: settled.score };
}

async function readMark(
  tx: WriteTx,
  { attempt, pending, body }: { attempt: AttemptRow; pending: Pending; body: GradeBody },
): Promise<Mark & { points: NonNullable<Mark["points"]> }> {
  const { questions } = await getVersion(tx, attempt);
  const question = questions.get(pending.question_id);
  const given = await tx.sql
    .selectFrom("attempt_answers")
    .select(["graded_by", "graded_at", "claimed_by", "claimed_until"])
    .where("company_id", "=", tx.company.id)
    .where("attempt_id", "=", pending.attempt_id)
    .where("question_id", "=", pending.question_id)
    .executeTakeFirst();
  if (question === undefined || given === undefined) throw notFound("Answer");
  if (attempt.status !== "grade_pending" || !needsGrader(question)) {
    throw conflict("This answer waits for no grader");
  }
  if (given.graded_at !== null && given.graded_by !== tx.viewer.user_id) {
    throw conflict("Another grader has graded this answer");
  }
  const isClaimed = given.claimed_until !== null && Date.parse(given.claimed_until) > tx.now.getTime();
  if (isClaimed && given.claimed_by !== tx.viewer.user_id) throw claimedBy(given);
  const mark = readGrade(question, gradeOf(body), "body");
  if (mark.points === null) throw new Error("a grader's mark has points");
  return { ...mark, points: mark.points };
}

/** What a grader gave, without the comment: as it is kept, so that the exact mark can be made of it again. */
function gradeOf({ comment: _comment, ...grade }: GradeBody): object {
  return grade;
}

async function keepGrade(
  tx: WriteTx,
  given: {
    pending: Pending;
    mark: Mark & { points: NonNullable<Mark["points"]> };
    body: GradeBody;
    at: string;
  },
): Promise<Omit<Graded, "attempt_status" | "score">> {
  const { pending, mark, body, at } = given;
  const graded = { comment: body.comment ?? null, graded_by: tx.viewer.user_id };
  await tx.sql
    .updateTable("attempt_answers")
    .set({
      ...graded,
      points: toPoints(mark),
      rubric: JSON.stringify(gradeOf(body)),
      graded_at: at,
      claimed_by: null,
      claimed_until: null,
    })
    .where("company_id", "=", tx.company.id)
    .where("attempt_id", "=", pending.attempt_id)
    .where("question_id", "=", pending.question_id)
    .execute();
  return {
    attempt_id: pending.attempt_id,
    question_id: pending.question_id,
    points: mark.points,
    ...graded,
    graded_at: utcTime(at),
  };
}

async function countPending(tx: WriteTx, attempt_id: number): Promise<number> {
  const { pending } = await tx.sql
    .selectFrom("attempt_answers")
    .select((eb) => eb.fn.countAll<number>().as("pending"))
    .where("company_id", "=", tx.company.id)
    .where("attempt_id", "=", attempt_id)
    .where("points", "is", null)
    .executeTakeFirstOrThrow();
  return pending;
}
