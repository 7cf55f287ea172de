import { sql } from "kysely";
import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import type { Followed } from "../events/changes.ts";
import { links } from "../links.ts";
import type { Tag } from "../tags/schema.ts";
import { listTagsOf } from "../tags/taggings.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import type { CourseState } from "./v2-schema.ts";

/** Courses as events tell of them: their lessons by their ids, as each lesson's own events tell its title. */
export const courseEvents: Followed = {
  name: "course",
  read: async (tx, ids) => {
    const [rows, tags] = await Promise.all([selectCourses(tx, ids), listTagsOf(tx, { type: "Course", ids })]);
    return new Map(rows.map((row) => [row.id, toState(tx, row, tags.get(row.id))]));
  },
};

function toState(
  tx: Tx,
  { lesson_ids, ...row }: CourseRow,
  tags: Static<typeof Tag>[] = [],
): Static<typeof CourseState> {
  return {
    ...row,
    resource_type: "course",
    created_at: utcTime(row.created_at),
    last_updated_at: utcTimeOrNull(row.last_updated_at),
    archived_at: utcTimeOrNull(row.archived_at),
    lessons: lesson_ids.map((id) => ({ id: Number(id) })),
    tags,
    links: links(tx.company.base_url, "course", row),
  };
}

interface CourseRow {
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly public: boolean;
  readonly owner_id: number | null;
  readonly created_at: string;
  readonly last_updated_at: string | null;
  readonly archived_at: string | null;
  readonly archived_by_user_id: number | null;
  readonly lesson_ids: readonly string[];
}

async function selectCourses(tx: Tx, ids: readonly number[]): Promise<CourseRow[]> {
  const { rows } = await sql<CourseRow>`
    select id, title, description, public, owner_id, created_at, last_updated_at, archived_at, archived_by_user_id,
      array(
        select held.lesson_id::text from course_lessons held
        where held.company_id = ${tx.company.id} and held.course_id = courses.id order by held.position
      ) as lesson_ids
    from courses
    where company_id = ${tx.company.id} and id = any(${[...ids]}::bigint[])`.execute(tx.sql);
  return rows;
}
