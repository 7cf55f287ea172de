import type { WriteTx } from "../db/db.ts";
import { queueMail } from "../mail/notices.ts";
import { GATHER_MS } from "../mail/options.ts";
import type { AttemptRow } from "./attempts.ts";
import type { Happening } from "./outcome.ts";

/** How an attempt was settled. */
export interface Result {
  readonly attempt: Pick<AttemptRow, "id" | "user_id" | "lesson_id">;
  readonly happened: Happening;
  readonly score: number | null;
  /** Whether a person has graded it. */
  readonly isGraded: boolean;
  /** The path's or course's assignment in which it counts; undefined where the lesson's own assignment tells of it. */
  readonly held_by: number | undefined;
}

/**
 * Has a learner mailed that a grader completed a lesson within a path or course, or that it was below the pass mark. Of
 * a lesson that is assigned itself the events of its assignment tell: a path's or course's assignment stays as it was.
 */
export async function tellResult(tx: WriteTx, result: Result): Promise<void> {
  const { attempt, held_by: assignment_id, score } = result;
  const kind = kindOf(result);
  if (kind === undefined || assignment_id === undefined) return;
  const { id, user_id, lesson_id } = attempt;
  const facts = { assignment_id, lesson_id, score };
  const send_at = new Date(tx.now.getTime() + GATHER_MS).toISOString();
  await queueMail(tx, [{ key: `attempt/${id}/${kind}`, user_id, kind, pace: "soon", facts, send_at }]);
}

function kindOf({ happened, isGraded }: Result): "graded" | "retake" | undefined {
  if (happened === "failed") return "retake";
  return happened === "completed" && isGraded ? "graded" : undefined;
}
