import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Tx } from "../db/db.ts";
import { type ContentType, isOwnContent } from "../lessons/own.ts";

/** The lessons and paths that a person is to take, those within assigned paths and courses included. */
type Assigned = Readonly<Record<ContentType, readonly number[]>>;

/** What is assigned to the viewer; nothing to a key. */
export async function listAssigned(tx: Tx): Promise<Assigned> {
  const company_id = tx.company.id;
  const { user_id } = tx.viewer;
  if (user_id === null || tx.viewer.scope("learn") === undefined)
    return { Lesson: [], "LearningPaths::Path": [] };
  // UNION forgets what it has seen, so paths that hold each other many times over are read once.
  const { rows } = await sql<{ type: ContentType | "Course"; id: number }>`
    with recursive assigned (type, id) as (
      select assignable_type, assignable_id from assignments
      where company_id = ${company_id} and assignee_id = ${user_id}
      union
      select part.type, part.id
      from assigned
      cross join lateral (
        select case resource_type when 'lesson' then 'Lesson' else 'LearningPaths::Path' end as type,
          coalesce(lesson_id, nested_path_id) as id
        from path_items
        where company_id = ${company_id} and path_id = assigned.id and assigned.type = 'LearningPaths::Path'
          and resource_type in ('lesson', 'path')
        union all
        select 'Lesson', lesson_id from course_lessons
        where company_id = ${company_id} and course_id = assigned.id and assigned.type = 'Course'
        offset 0
      ) part
    )
    select type, id from assigned`.execute(tx.sql);
  const idsOf = (wanted: ContentType) => rows.filter(({ type }) => type === wanted).map(({ id }) => id);
  return { Lesson: idsOf("Lesson"), "LearningPaths::Path": idsOf("LearningPaths::Path") };
}

/** Whether a row of `lessons` or `paths` is in the library: open to everybody in the company. */
export function isInLibrary(table: string): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql<SqlBool>`(
    ${column("public")} and ${column("archived_at")} is null and ${column("published_version")} is not null
  )`;
}

/**
 * Whether the viewer may find a row of `lessons` or `paths`: what they see as an author or in the catalogue, what is in
 * the library, and what they are assigned. Nobody finds what is archived.
 */
export function isFindable(
  tx: Tx,
  {
    type,
    table,
    assigned,
  }: { readonly type: ContentType; readonly table: string; readonly assigned: Assigned },
): RawBuilder<SqlBool> {
  const id = sql.ref(`${table}.id`);
  const ways = [
    isOwnContent(tx, "content.read", { type, id }),
    isOwnContent(tx, type === "Lesson" ? "lessons.write" : "paths.write", { type, id }),
    sql<SqlBool>`${id} = any(${[...assigned[type]]}::bigint[])`,
  ];
  if (tx.viewer.scope("learn") !== undefined && tx.company.has_learning_library)
    ways.push(isInLibrary(table));
  return sql<SqlBool>`(${sql.ref(`${table}.archived_at`)} is null and (${sql.join(ways, sql` or `)}))`;
}
