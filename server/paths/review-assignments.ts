import { sql } from "kysely";
import type { AssignmentRow, Thing } from "../assignments/assignments.ts";
import { countAssignments } from "../assignments/counts.ts";
import { reassign } from "../assignments/reassign.ts";
import { type Condition, selectAssignments } from "../assignments/select.ts";
import type { WriteTx } from "../db/db.ts";
import type { Content } from "../lessons/own.ts";
import { completeAssignments } from "../learning/path-completion.ts";
import { adoptCompletions } from "../learning/path-elsewhere.ts";

/**
 * Looks at the assignments of a path whose steps have changed, and of the paths that hold it: who has by now completed
 * all that is left has completed the path. What is completed stays so, also where there is more to do now, unless
 * everyone is asked again. Needs the assignment counters locked.
 * @param again with a due date, or null for none, who has completed this path has it begun anew.
 */
export async function reviewAssignments(
  tx: WriteTx,
  path_id: number,
  again: { readonly due_by?: string | null; readonly at: string },
): Promise<{ asked_again: number; completed: number }> {
  const { due_by, at } = again;
  const open = await findOpen(tx, await findHolders(tx, { type: "LearningPaths::Path", id: path_id }));
  const adopted = await adoptCompletions(tx, open, at);
  const reviewed = await completeAssignments(tx, adopted.rows, at);
  const wasOpen = new Map(open.map((row) => [row.id, row]));
  const changed = reviewed.filter((row) => row !== wasOpen.get(row.id));
  const before = due_by === undefined ? [] : await findCompleted(tx, path_id, changed);
  const asked = before.map((row) => ({ row, due_by: due_by ?? null }));
  const { rows: after, learners } = await reassign(tx, asked, at);
  await countAssignments(tx, {
    before: [...before, ...changed.flatMap(({ id }) => wasOpen.get(id) ?? [])],
    after: [...after, ...changed],
    learners: [...adopted.learners, ...learners],
    at,
  });
  return { asked_again: before.length, completed: changed.filter(isCompleted).length };
}

function isCompleted({ status }: AssignmentRow): boolean {
  return status === "Completed";
}

/**
 * Looks at the assignments of what holds a lesson or a path that has been archived: it is asked of nobody any more, so
 * who has completed all else has completed the path or the course. Needs the assignment counters locked.
 */
export async function completeWithout(tx: WriteTx, archived: Content, at: string): Promise<void> {
  const holders = await findHolders(tx, archived);
  if (holders.length === 0) return;
  // Who has completed nothing is not complete by this either, and that is most of them.
  const open = await findOpen(
    tx,
    holders,
    sql<boolean>`exists (
      select from lesson_progress
      where lesson_progress.company_id = ${tx.company.id} and lesson_progress.assignment_id = assignments.id
        and lesson_progress.status = 'Completed'
    )`,
  );
  const reviewed = await completeAssignments(tx, open, at);
  const wasOpen = new Map(open.map((row) => [row.id, row]));
  const after = reviewed.filter((row) => row !== wasOpen.get(row.id));
  const before = after.flatMap(({ id }) => wasOpen.get(id) ?? []);
  await countAssignments(tx, { before, after, learners: [], at });
}

/** A path itself, and the paths and courses that hold it or a lesson, at any depth. */
async function findHolders(tx: WriteTx, { type, id }: Content): Promise<Thing[]> {
  const { rows } = await sql<Thing>`
    with recursive holders (path_id) as (
      select id from paths where ${type} = 'LearningPaths::Path' and company_id = ${tx.company.id} and id = ${id}
      union
      select path_id from path_items
      where ${type} = 'Lesson' and company_id = ${tx.company.id} and lesson_id = ${id}
      union
      select item.path_id
      from holders
      join path_items item on item.company_id = ${tx.company.id} and item.nested_path_id = holders.path_id
    )
    select 'LearningPaths::Path' as assignable_type, path_id as assignable_id from holders
    union
    select 'Course', course_id from course_lessons
    where ${type} = 'Lesson' and company_id = ${tx.company.id} and lesson_id = ${id}`.execute(tx.sql);
  return rows;
}

async function findOpen(
  tx: WriteTx,
  things: readonly Thing[],
  condition: Condition = sql<boolean>`true`,
): Promise<AssignmentRow[]> {
  return selectAssignments(tx, {
    conditions: [
      sql<boolean>`(assignable_type, assignable_id) in (
        select assignable_type, assignable_id
        from unnest(
          ${things.map(({ assignable_type }) => assignable_type)}::text[],
          ${things.map(({ assignable_id }) => assignable_id)}::bigint[]
        ) as thing (assignable_type, assignable_id)
      )`,
      sql<boolean>`status = 'Incomplete'`,
      condition,
    ],
    order: sql`id`,
    limit: null,
    offset: 0,
  });
}

/** Who had completed the path before; who is archived is left in peace. */
async function findCompleted(
  tx: WriteTx,
  path_id: number,
  changed: readonly AssignmentRow[],
): Promise<AssignmentRow[]> {
  const justNow = new Set(changed.map(({ id }) => id));
  const rows = await selectAssignments(tx, {
    conditions: [
      sql<boolean>`assignable_type = 'LearningPaths::Path' and assignable_id = ${path_id}`,
      sql<boolean>`status = 'Completed'`,
      sql<boolean>`exists (
        select from users
        where users.company_id = ${tx.company.id} and users.id = assignments.assignee_id and users.archived_at is null
      )`,
    ],
    order: sql`id`,
    limit: null,
    offset: 0,
  });
  return rows.filter(({ id }) => !justNow.has(id));
}
