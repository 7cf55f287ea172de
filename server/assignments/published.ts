import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import { conflict } from "../http/problem.ts";
import { nameOf, type Thing } from "./assignments.ts";

/**
 * Makes sure that nobody is given what is still being written: a lesson or path with a draft and no published version.
 * What was imported has neither and can be assigned as ever.
 * @throws Problem 409
 */
export async function requirePublished(
  tx: WriteTx,
  { assignable_type, assignable_id }: Thing,
): Promise<void> {
  if (assignable_type === "Course") return;
  const [table, drafts, column] =
    assignable_type === "Lesson"
      ? (["lessons", "lesson_drafts", "lesson_id"] as const)
      : (["paths", "path_drafts", "path_id"] as const);
  const { rows } = await sql`
    select thing.id
    from ${sql.table(table)} as thing
    join ${sql.table(drafts)} as draft on draft.company_id = ${tx.company.id}
      and ${sql.ref(`draft.${column}`)} = thing.id
    where thing.company_id = ${tx.company.id} and thing.id = ${assignable_id} and thing.published_version is null`.execute(
    tx.sql,
  );
  if (rows.length > 0) throw conflict(`This ${nameOf(assignable_type).toLowerCase()} is not published yet`);
}
