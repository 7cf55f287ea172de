import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import type { Depot } from "../files/depot.ts";
import { notFound } from "../http/problem.ts";
import { isOwnContent } from "../lessons/own.ts";
import { isVisibleUser } from "../users/visible.ts";
import { type AttemptRow, getAttempt, requireOwn } from "./attempts.ts";
import { showAttempt } from "./show.ts";
import type { ReportCard, TakenLesson } from "./v2-schema.ts";

/** The viewer's own attempt, with its lesson. @throws Problem 404 */
export async function getMyAttempt(tx: Tx, attempt_id: number, files: Depot): Promise<TakenLesson> {
  const attempt = await getAttempt(tx, attempt_id);
  requireOwn(tx, attempt);
  return showAttempt(tx, attempt, { files, reader: "learner" });
}

/**
 * A finished attempt with all that is known of it: for its learner, for who sees the learner's assignments, and for who
 * reports on the lesson or grades it.
 * @throws Problem 404, also for one that is not finished.
 */
export async function getReportCard(tx: Tx, attempt_id: number, files: Depot): Promise<ReportCard> {
  const attempt = await getAttempt(tx, attempt_id);
  if (attempt.status === "open" || attempt.status === "ended") throw notFound("Report card");
  const isMine = attempt.user_id === tx.viewer.user_id && tx.viewer.scope("learn") !== undefined;
  const reader = !isMine && (await isReporter(tx, attempt)) ? "reporter" : "learner";
  if (!isMine && reader === "learner") throw notFound("Report card");
  const [shown, user] = await Promise.all([
    showAttempt(tx, attempt, { files, reader }),
    tx.sql
      .selectFrom("users")
      .select("name")
      .where("company_id", "=", tx.company.id)
      .where("id", "=", attempt.user_id)
      .executeTakeFirstOrThrow(),
  ]);
  return { ...shown, user_name: user.name, retake_score: attempt.retake_score };
}

/** Whether one of the viewer's privileges reaches the learner, or the lesson. */
async function isReporter(tx: Tx, { user_id, lesson_id }: AttemptRow): Promise<boolean> {
  const learner = sql<number>`${user_id}::bigint`;
  const lesson = { type: "Lesson", id: sql`${lesson_id}::bigint` } as const;
  const ways = [
    isVisibleUser(tx, "assignments.read", learner),
    ...(["reports.read", "answers.grade"] as const).map((privilege) =>
      tx.viewer.scope(privilege) === "own"
        ? isOwnContent(tx, privilege, lesson)
        : isVisibleUser(tx, privilege, learner),
    ),
  ];
  const { rows } = await sql<{ is_seen: boolean }>`select (${sql.join(ways, sql` or `)}) as is_seen`.execute(
    tx.sql,
  );
  return rows[0]?.is_seen === true;
}
