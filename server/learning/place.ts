import type { WriteTx } from "../db/db.ts";
import { conflict, invalid } from "../http/problem.ts";
import { lockAttempt, requireOwn } from "./attempts.ts";
import type { AttemptPlace } from "./v2-schema.ts";
import { getVersion } from "./versions.ts";

/** Seconds that one report can add: who sends none for longer was away, whatever their clock says. */
export const MOST_SECONDS_AT_ONCE = 60;

export interface Report {
  readonly page_id: string;
  /** For how many seconds the learner was active since the last report. */
  readonly active_seconds: number;
}

/**
 * Notes where the learner is, for their other devices, and how long they were active: never more than has passed since
 * the last report, so that two windows count the time once. Answers with what is saved, by which a window sees that
 * another one has answered.
 * @throws Problem 404, 409 when the lesson is finished, 422 for a page of no such lesson.
 */
export async function movePlace(tx: WriteTx, attempt_id: number, report: Report): Promise<AttemptPlace> {
  const attempt = await lockAttempt(tx, attempt_id);
  requireOwn(tx, attempt);
  if (attempt.status !== "open") throw conflict("This attempt is finished");
  const { document } = await getVersion(tx, attempt);
  const hasPage = document.sections.some(({ pages }) => pages.some(({ id }) => id === report.page_id));
  if (!hasPage) throw invalid({ field: "page_id", message: "is no page of this lesson" });
  const { seconds, last_active_at } = measure(attempt.last_active_at, report.active_seconds, tx.now);
  const [saved, revisions] = await Promise.all([
    tx.sql
      .updateTable("attempts")
      .set({ page_id: report.page_id, seconds_spent: attempt.seconds_spent + seconds, last_active_at })
      .where("company_id", "=", tx.company.id)
      .where("id", "=", attempt_id)
      .returning(["page_id", "seconds_spent"])
      .executeTakeFirstOrThrow(),
    tx.sql
      .selectFrom("attempt_answers")
      .select(["question_id", "revision"])
      .where("company_id", "=", tx.company.id)
      .where("attempt_id", "=", attempt_id)
      .orderBy("question_id")
      .execute(),
  ]);
  return { ...saved, answers: revisions };
}

/**
 * What a report adds, and from when on the next one counts. What is left of a second counts with the next report, so that
 * many reports lose nothing. A clock that is set back adds nothing until it has passed the last report again.
 */
function measure(
  last_active_at: string,
  active_seconds: number,
  now: Date,
): { seconds: number; last_active_at: string } {
  const lastMs = Date.parse(last_active_at);
  const passed = Math.max(0, Math.floor((now.getTime() - lastMs) / 1000));
  const seconds = Math.min(active_seconds, passed, MOST_SECONDS_AT_ONCE);
  if (now.getTime() <= lastMs) return { seconds, last_active_at };
  const isAllOfIt = seconds === passed;
  return { seconds, last_active_at: isAllOfIt ? toText(lastMs + seconds * 1000) : now.toISOString() };
}

function toText(ms: number): string {
  return new Date(ms).toISOString();
}
