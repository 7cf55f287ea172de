import { type RawBuilder, sql } from "kysely";
import type { Tx, WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import type { Attempts } from "../db/schema.ts";
import { forbidden, notFound } from "../http/problem.ts";
import { assignmentCounters } from "../assignments/give.ts";

/** An attempt with what is known of its version without reading the content. */
export interface AttemptRow extends Omit<Attempts, "company_id"> {
  readonly title: string;
  readonly language: string;
  readonly retake_score: number;
  readonly published_at: string;
}

/** The counters that taking a lesson has to lock: it ends in assignments. */
export const learningCounters = ["attempts", ...assignmentCounters] as const;

/** The person who learns. @throws Problem 403 for a key, which is nobody. */
export function learnerOf({ viewer }: Tx): number {
  if (viewer.user_id === null) throw forbidden("Only a person can take lessons: sign in");
  return viewer.user_id;
}

/** The columns of an attempt; the query names its tables `attempts` and `lesson_versions`. */
export const attemptColumns = sql`
  attempts.id, attempts.user_id, attempts.lesson_id, attempts.version, attempts.assignment_id, attempts.round,
  attempts.status, attempts.score, attempts.page_id, attempts.seconds_spent, attempts.last_active_at,
  attempts.started_at, attempts.finished_at, attempts.graded_at, attempts.seed,
  lesson_versions.title, lesson_versions.language, lesson_versions.retake_score, lesson_versions.published_at`;

/** Joins the version to `attempts`. */
export function joinVersion(company_id: RawBuilder<unknown> | number): RawBuilder<unknown> {
  return sql`join lesson_versions on lesson_versions.company_id = ${company_id}
    and lesson_versions.lesson_id = attempts.lesson_id and lesson_versions.number = attempts.version`;
}

const selectAttempt = prepareSelect(sql``);
const selectAndLock = prepareSelect(sql`for no key update of attempts`);

function prepareSelect(lock: RawBuilder<unknown>) {
  return prepare<{ company_id: number; id: number }, AttemptRow>((_db, place) => {
    const company_id = place("company_id");
    return sql<AttemptRow>`
      select ${attemptColumns}
      from attempts ${joinVersion(company_id)}
      where attempts.company_id = ${company_id} and attempts.id = ${place("id")}
      ${lock}`;
  });
}

/** An attempt. @throws Problem 404 */
export async function getAttempt(tx: Tx, id: number): Promise<AttemptRow> {
  const [row] = await selectAttempt(tx, { company_id: tx.company.id, id });
  if (row === undefined) throw notFound("Attempt");
  return row;
}

/**
 * An attempt, locked until the transaction ends: what its two devices send is done one after the other, and nothing is
 * answered while it is being finished. @throws Problem 404
 */
export async function lockAttempt(tx: WriteTx, id: number): Promise<AttemptRow> {
  const [row] = await selectAndLock(tx, { company_id: tx.company.id, id });
  if (row === undefined) throw notFound("Attempt");
  return row;
}

/** Makes sure that the attempt is the viewer's own. @throws Problem 404, as for one that does not exist */
export function requireOwn(tx: Tx, attempt: AttemptRow): void {
  if (attempt.user_id !== learnerOf(tx)) throw notFound("Attempt");
}
