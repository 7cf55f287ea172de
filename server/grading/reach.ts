import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Tx } from "../db/db.ts";
import { notFound } from "../http/problem.ts";
import { isOwnContent } from "../lessons/own.ts";
import { isVisibleUser } from "../users/visible.ts";

/** Which attempts of a query, whose table is `attempts`, the viewer may grade: never their own. */
export function isGradable(tx: Tx): RawBuilder<SqlBool> {
  const reach =
    tx.viewer.scope("answers.grade") === "own"
      ? isOwnContent(tx, "answers.grade", { type: "Lesson", id: sql.ref("attempts.lesson_id") })
      : isVisibleUser(tx, "answers.grade", sql.ref<number>("attempts.user_id"));
  if (tx.viewer.user_id === null) return reach;
  return sql<SqlBool>`${reach} and attempts.user_id <> ${tx.viewer.user_id}`;
}

/** Makes sure that the viewer may grade the attempt. @throws Problem 404 */
export async function requireGradable(tx: Tx, attempt_id: number): Promise<void> {
  const { rows } = await sql`
    select attempts.id from attempts
    where attempts.company_id = ${tx.company.id} and attempts.id = ${attempt_id} and ${isGradable(tx)}`.execute(
    tx.sql,
  );
  if (rows.length === 0) throw notFound("Answer");
}
