import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import type { AssignableType, AssignmentRow, Thing, Wanted } from "./assignments.ts";

/** What a request names. */
export interface Named {
  readonly user_ids: Iterable<number>;
  readonly things: Iterable<Thing>;
  readonly pairs: readonly Pair[];
}

type Pair = Pick<Wanted, "assignee_id" | "assignable_type" | "assignable_id">;

/** What there is of it: users, things, and assignments that exist already. */
export interface Targets {
  readonly users: ReadonlyMap<number, FoundUser>;
  /** By `thingKey`. */
  readonly things: ReadonlyMap<string, FoundThing>;
  /** By `pairKey`. */
  readonly existing: ReadonlyMap<string, AssignmentRow>;
}

export interface FoundUser {
  readonly id: number;
  readonly ext_uid: string | null;
  readonly archived_at: string | null;
}

export interface FoundThing extends Thing {
  readonly archived_at: string | null;
  /**
   * Whether it is still being written: a lesson or path with a draft and no published version. What was imported has
   * neither, and can be assigned as ever.
   */
  readonly is_draft: boolean;
}

export function thingKey({ assignable_type, assignable_id }: Thing): string {
  return `${assignable_type} ${assignable_id}`;
}

export function pairKey({ assignee_id, assignable_type, assignable_id }: Pair): string {
  return `${assignee_id} ${assignable_type} ${assignable_id}`;
}

/** Finds what there is of what a request names: three statements, sent at once, however many there are. */
export async function findTargets(tx: Tx, { user_ids, things, pairs }: Named): Promise<Targets> {
  const [foundUsers, foundThings, existing] = await Promise.all([
    findUsers(tx, [...new Set(user_ids)]),
    findThings(tx, things),
    findExisting(tx, pairs),
  ]);
  const users = new Map(foundUsers.map((user) => [user.id, user]));
  return {
    users,
    things: new Map(foundThings.map((thing) => [thingKey(thing), thing])),
    existing: new Map(
      existing.map((row) => [pairKey(row), { ...row, ext_uid: users.get(row.assignee_id)?.ext_uid ?? null }]),
    ),
  };
}

async function findUsers(tx: Tx, ids: readonly number[]): Promise<FoundUser[]> {
  const { rows } = await sql<FoundUser>`
    select id, ext_uid, archived_at
    from users
    where company_id = ${tx.company.id} and id = any(${ids}::bigint[])`.execute(tx.sql);
  return rows;
}

async function findThings(tx: Tx, things: Iterable<Thing>): Promise<FoundThing[]> {
  const ids: Record<AssignableType, Set<number>> = {
    Lesson: new Set(),
    "LearningPaths::Path": new Set(),
    Course: new Set(),
  };
  for (const { assignable_type, assignable_id } of things) ids[assignable_type].add(assignable_id);
  const { rows } = await sql<FoundThing>`
    select 'Lesson' as assignable_type, id as assignable_id, archived_at,
      published_version is null and exists (
        select from lesson_drafts draft
        where draft.company_id = ${tx.company.id} and draft.lesson_id = lessons.id
      ) as is_draft
    from lessons
    where company_id = ${tx.company.id} and id = any(${[...ids.Lesson]}::bigint[])
    union all
    select 'LearningPaths::Path', id, archived_at,
      published_version is null and exists (
        select from path_drafts draft
        where draft.company_id = ${tx.company.id} and draft.path_id = paths.id
      )
    from paths
    where company_id = ${tx.company.id} and id = any(${[...ids["LearningPaths::Path"]]}::bigint[])
    union all
    select 'Course', id, archived_at, false
    from courses
    where company_id = ${tx.company.id} and id = any(${[...ids.Course]}::bigint[])`.execute(tx.sql);
  return rows;
}

async function findExisting(tx: Tx, pairs: readonly Pair[]): Promise<Omit<AssignmentRow, "ext_uid">[]> {
  const { rows } = await sql<Omit<AssignmentRow, "ext_uid">>`
    select assignments.id, assignments.assignee_id, assignments.assignable_type, assignments.assignable_id,
      assignments.group_id, assignments.assigned_at, assignments.due_by, assignments.reassigned_at, assignments.started_at,
      assignments.completed_at, assignments.updated_at, assignments.status, assignments.score
    from unnest(
      ${pairs.map(({ assignee_id }) => assignee_id)}::bigint[],
      ${pairs.map(({ assignable_type }) => assignable_type)}::text[],
      ${pairs.map(({ assignable_id }) => assignable_id)}::bigint[]
    ) as asked (assignee_id, assignable_type, assignable_id)
    join assignments on assignments.company_id = ${tx.company.id}
      and assignments.assignee_id = asked.assignee_id
      and assignments.assignable_type = asked.assignable_type
      and assignments.assignable_id = asked.assignable_id`.execute(tx.sql);
  return rows;
}
