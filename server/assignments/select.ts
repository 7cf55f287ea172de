import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/db.ts";
import type { AssignmentRow } from "./assignments.ts";

/** What a query asks of a row of `assignments`; several are joined with AND. */
export type Condition = RawBuilder<boolean>;

export interface Selection {
  readonly conditions: readonly Condition[];
  readonly order: RawBuilder<unknown>;
  /** Null for all. */
  readonly limit: number | null;
  readonly offset: number;
}

/** The assignments that meet the conditions. */
export async function selectAssignments(tx: Tx, selection: Selection): Promise<AssignmentRow[]> {
  const { conditions, order, limit, offset } = selection;
  const page = sql`
    select *
    from assignments
    where company_id = ${tx.company.id} and ${sql.join(conditions, sql` and `)}
    order by ${order}
    limit ${limit} offset ${offset}`;
  const { rows } = await sql<AssignmentRow>`
    select ${columnsOf(sql`${tx.company.id}`)} from (${page}) page order by ${order}`.execute(tx.sql);
  return rows;
}

/**
 * The columns that answers show, of a page of `assignments`. The page is to be cut before, so that no assignee is looked
 * up for a row that is passed over; by a subquery, as PostgreSQL plans that in half the time of a join.
 */
export function columnsOf(company_id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    id, assignee_id, assignable_type, assignable_id, group_id, assigned_at, due_by, reassigned_at, started_at, completed_at,
    updated_at, status, score,
    (select ext_uid from users where users.company_id = ${company_id} and users.id = assignee_id) as ext_uid`;
}

/** How many assignments meet the conditions. */
export async function countRows(tx: Tx, conditions: readonly Condition[]): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total
    from assignments
    where company_id = ${tx.company.id} and ${sql.join(conditions, sql` and `)}`.execute(tx.sql);
  return rows[0]?.total ?? 0;
}

/** Whether the assignee is a member of the group now. A group that does not exist has none. */
export function isOfGroup(tx: Tx, group_id: number): Condition {
  return sql<boolean>`assignee_id in (
    select user_id from memberships
    where company_id = ${tx.company.id} and group_id = ${group_id} and role = 'member'
  )`;
}
