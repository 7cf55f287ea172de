import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { selectAttempts } from "../learning/lists.ts";
import { toAttempt } from "../learning/show.ts";
import type { AttemptRow } from "../learning/attempts.ts";
import { utcTimeOrNull } from "../time.ts";
import type { AssignmentRow } from "./assignments.ts";
import { getDetails, toDetails } from "./details.ts";
import type { AssignmentHistory } from "./v2-schema.ts";

/** More attempts than anybody makes at an assignment: what is older than the newest of them is left out. */
export const MOST_ATTEMPTS = 1_000;

interface Result {
  readonly round: number;
  readonly due_by: string | null;
  readonly started_at: string | null;
  readonly completed_at: string;
  readonly score: number | null;
}

/** An assignment through all times that it was assigned anew, with the attempts of each. @throws Problem 404 */
export async function getHistory(tx: Tx, assignment_id: number): Promise<AssignmentHistory> {
  const row = await getDetails(tx, "assignments.read", assignment_id);
  const [results, attempts] = await Promise.all([
    listResults(tx, assignment_id),
    selectAttempts(tx, {
      conditions: [isAttemptOf(row)],
      order: sql`attempts.id desc`,
      limit: MOST_ATTEMPTS,
    }),
  ]);
  const now = toDetails(tx, row, undefined);
  const byRound = Map.groupBy(attempts.toReversed(), (attempt) => roundOf(attempt, results));
  const shownOf = (round: number) => (byRound.get(round) ?? []).map(toAttempt);
  const last = (results.at(-1)?.round ?? 0) + 1;
  return {
    assignment_id,
    rounds: [
      ...results.map((result) => ({
        round: result.round,
        due_by: utcTimeOrNull(result.due_by),
        started_at: utcTimeOrNull(result.started_at),
        completed_at: utcTimeOrNull(result.completed_at),
        status: "Completed" as const,
        score: result.score,
        attempts: shownOf(result.round),
      })),
      {
        round: last,
        due_by: now.due_by,
        started_at: now.started_at,
        completed_at: now.completed_at,
        status: now.status,
        score: now.score,
        attempts: shownOf(last),
      },
    ],
  };
}

/** A lesson's assignment is completed by an attempt in a path too; a path's, by those that were begun in it. */
export function isAttemptOf({
  id,
  assignee_id,
  assignable_type,
  assignable_id,
}: AssignmentRow): RawBuilder<boolean> {
  return assignable_type === "Lesson"
    ? sql<boolean>`attempts.user_id = ${assignee_id} and attempts.lesson_id = ${assignable_id}`
    : sql<boolean>`attempts.assignment_id = ${id}`;
}

/** The first round that was completed after the attempt was begun. */
function roundOf({ started_at }: AttemptRow, results: readonly Result[]): number {
  const result = results.find(({ completed_at }) => completed_at >= started_at);
  return result?.round ?? (results.at(-1)?.round ?? 0) + 1;
}

async function listResults(tx: Tx, assignment_id: number): Promise<Result[]> {
  return tx.sql
    .selectFrom("assignment_results")
    .select(["round", "due_by", "started_at", "completed_at", "score"])
    .where("company_id", "=", tx.company.id)
    .where("assignment_id", "=", assignment_id)
    .orderBy("round")
    .execute();
}
