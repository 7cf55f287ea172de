import { sql } from "kysely";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import { conflict } from "../http/problem.ts";
import { scoreLesson } from "../lessons/content/marks.ts";
import { type AttemptRow, getAttempt, learningCounters, lockAttempt, requireOwn } from "./attempts.ts";
import { noteLessonCompleted } from "./lesson-completed.ts";
import { keepMarks, listAnswers, markAll } from "./marking.ts";
import { noteOutcome } from "./outcome.ts";
import { toAttempt } from "./show.ts";
import { tellResult } from "./tell-result.ts";
import type { LessonAttempt } from "./v2-schema.ts";
import { getVersion } from "./versions.ts";

/**
 * Finishes an attempt: its answers are marked as they are, and what was not answered earns nothing. A question that a
 * person grades makes it wait. Finished again, it is the same.
 * @throws Problem 404; 409 for an attempt that ended when the lesson was assigned anew.
 */
export async function finishAttempt(tx: WriteTx, attempt_id: number): Promise<LessonAttempt> {
  const at = await lockCounters(tx, ...learningCounters);
  const attempt = await lockAttempt(tx, attempt_id);
  requireOwn(tx, attempt);
  if (attempt.status === "ended") throw conflict("The lesson was assigned anew: begin it again");
  if (attempt.status !== "open") return toAttempt(attempt);
  return settle(tx, attempt, { at, finished_at: at, graded_at: null });
}

/** When an attempt was finished, and when a person had graded the last of its answers. */
export interface Settlement {
  readonly at: string;
  readonly finished_at: string;
  readonly graded_at: string | null;
}

/**
 * Gives an attempt its score and writes what that means wherever it counts: it is completed, waits for a grader, or is
 * below the pass mark. Needs `learningCounters` and the attempt locked.
 */
export async function settle(
  tx: WriteTx,
  attempt: AttemptRow,
  settlement: Settlement,
): Promise<LessonAttempt> {
  const { at, finished_at, graded_at } = settlement;
  const [version, answers, passMark] = await Promise.all([
    getVersion(tx, attempt),
    listAnswers(tx, attempt.id),
    findPassMark(tx, attempt),
  ]);
  const marks = markAll(version, answers);
  const result = scoreLesson(version.document, marks);
  const score = result === "pending" ? null : result;
  const happened = result === "pending" ? "waiting" : isBelow(passMark, score) ? "failed" : "completed";
  const status = happened === "waiting" ? "grade_pending" : happened;
  await Promise.all([
    keepMarks(tx, attempt.id, marks),
    updateAttempt(tx, {
      company_id: tx.company.id,
      id: attempt.id,
      status,
      score,
      finished_at,
      graded_at,
    }),
  ]);
  const held_by = await noteOutcome(tx, { attempt, happened, score, finished_at, at });
  await tellResult(tx, { attempt, happened, score, isGraded: graded_at !== null, held_by });
  const [settled] = await Promise.all([
    getAttempt(tx, attempt.id),
    ...(happened === "completed" ? [noteLessonCompleted(tx, attempt.id)] : []),
  ]);
  return toAttempt(settled);
}

interface AttemptUpdate extends Pick<AttemptRow, "id" | "status" | "score" | "finished_at" | "graded_at"> {
  readonly company_id: number;
}

const updateAttempt = prepare<AttemptUpdate, object>(
  (_db, place) => sql`
    update attempts
    set status = ${place("status")}, score = ${place("score")}, finished_at = ${place("finished_at")},
      graded_at = ${place("graded_at")}
    where company_id = ${place("company_id")} and id = ${place("id")}`,
);

/** A pass mark of 0 is none, and a lesson without questions can't be failed. */
function isBelow(passMark: number, score: number | null): boolean {
  return passMark > 0 && score !== null && score < passMark;
}

/** The version's pass mark; of the version that is published now, what version 1 of the API may have made of it since. */
async function findPassMark(tx: WriteTx, { lesson_id, version, retake_score }: AttemptRow): Promise<number> {
  const [lesson] = await selectPassMark(tx, { company_id: tx.company.id, lesson_id, version });
  return lesson?.retake_score ?? retake_score;
}

const selectPassMark = prepare<
  { company_id: number; lesson_id: number; version: number },
  { retake_score: number }
>((db, place) =>
  db
    .selectFrom("lessons")
    .select("retake_score")
    .where("company_id", "=", place("company_id"))
    .where("id", "=", place("lesson_id"))
    .where("published_version", "=", place("version")),
);
