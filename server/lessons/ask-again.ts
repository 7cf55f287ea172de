import { sql } from "kysely";
import { countAssignments } from "../assignments/counts.ts";
import { reassign } from "../assignments/reassign.ts";
import { selectAssignments } from "../assignments/select.ts";
import type { WriteTx } from "../db/db.ts";

/**
 * Has everyone who has completed their assignment of a lesson take it again: as if each was assigned it anew. Who takes
 * an older version just now goes on with it; who is archived is left in peace. Needs `assignmentCounters` locked.
 * @returns how many there are.
 */
export async function askAgain(
  tx: WriteTx,
  lesson_id: number,
  { due_by, at }: { readonly due_by: string | null; readonly at: string },
): Promise<number> {
  const before = await selectAssignments(tx, {
    conditions: [
      sql<boolean>`assignable_type = 'Lesson' and assignable_id = ${lesson_id} and status = 'Completed'`,
      sql<boolean>`exists (
        select from users
        where users.company_id = ${tx.company.id} and users.id = assignments.assignee_id and users.archived_at is null
      )`,
    ],
    order: sql`id`,
    limit: null,
    offset: 0,
  });
  const again = before.map((row) => ({ row, due_by }));
  const { rows: after, learners } = await reassign(tx, again, at);
  await countAssignments(tx, { before, after, learners, at });
  return before.length;
}
