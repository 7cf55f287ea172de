import { sql } from "kysely";
import { moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import type { AssignmentRow, Wanted } from "./assignments.ts";
import type { FoundUser } from "./targets.ts";

/** Assignments to make, none of which exists, for users who do. */
export interface NewAssignments {
  readonly wanted: readonly Wanted[];
  readonly users: ReadonlyMap<number, FoundUser>;
  readonly at: string;
}

/**
 * Writes new assignments with one statement, and counts nothing: the caller does. Needs the assignment counters locked.
 * @returns the rows, in the order they were given.
 */
export async function createAssignments(tx: WriteTx, given: NewAssignments): Promise<AssignmentRow[]> {
  const { wanted, users, at } = given;
  if (wanted.length === 0) return [];
  const first = await moveCounter(tx, { kind: "assignments", ids: wanted.length, total: 0, at });
  // RETURNING, as a cluster would use COPY without it, and COPY does not pass row-level security.
  await sql`
    insert into assignments (
      company_id, id, assignee_id, assignable_type, assignable_id, group_id, assigned_at, due_by, updated_at, status
    )
    select ${tx.company.id}, id, assignee_id, assignable_type, assignable_id, group_id,
      ${at}::timestamptz, due_by, ${at}::timestamptz, 'Incomplete'
    from unnest(
      ${wanted.map((_, index) => first + index)}::bigint[],
      ${wanted.map(({ assignee_id }) => assignee_id)}::bigint[],
      ${wanted.map(({ assignable_type }) => assignable_type)}::text[],
      ${wanted.map(({ assignable_id }) => assignable_id)}::bigint[],
      ${wanted.map(({ group_id }) => group_id)}::bigint[],
      ${wanted.map(({ due_by }) => due_by)}::timestamptz[]
    ) as new (id, assignee_id, assignable_type, assignable_id, group_id, due_by)
    returning id`.execute(tx.sql);
  return wanted.map((item, index) => ({
    id: first + index,
    assignee_id: item.assignee_id,
    assignable_type: item.assignable_type,
    assignable_id: item.assignable_id,
    group_id: item.group_id,
    ext_uid: users.get(item.assignee_id)?.ext_uid ?? null,
    assigned_at: at,
    due_by: item.due_by,
    reassigned_at: null,
    started_at: null,
    completed_at: null,
    updated_at: at,
    status: "Incomplete",
    score: null,
  }));
}
