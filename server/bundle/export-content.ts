import { listLessonsOf, selectCourses } from "../courses/courses.ts";
import type { Tx } from "../db/db.ts";
import { selectLessons, toLesson } from "../lessons/lessons.ts";
import { links } from "../links.ts";
import { findStructures, toContents } from "../paths/contents.ts";
import { selectPaths, toPath } from "../paths/paths.ts";
import { listTagsOf } from "../tags/taggings.ts";
import { pagesById } from "./pages.ts";
import { exactTime, exactTimeOrNull, exactZonedTimeOrNull } from "./times.ts";

/** Rows that are read at once: a description can have a hundred thousand characters. */
const PAGE_ROWS = 200;
/** Paths that are read at once: each may show ten thousand items. */
const PAGE_PATHS = 50;

export async function* exportTags(tx: Tx) {
  const pages = pagesById(PAGE_ROWS, (after, limit) =>
    tx.sql
      .selectFrom("tags")
      .select(["id", "name"])
      .where("company_id", "=", tx.company.id)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute(),
  );
  for await (const rows of pages) yield rows.map(({ id, name }) => ({ id, resource_type: "tag", name }));
}

/** Lessons as their details are. */
export async function* exportLessons(tx: Tx) {
  const pages = pagesById(PAGE_ROWS, (after, limit) =>
    selectLessons(tx).where("lessons.id", ">", after).orderBy("lessons.id").limit(limit).execute(),
  );
  for await (const rows of pages) {
    const tags = await listTagsOf(tx, { type: "Lesson", ids: rows.map(({ id }) => id) });
    yield rows.map((row) => Object.assign(toLesson(tx, row, tags.get(row.id)), exactTimes(tx, row)));
  }
}

/** Paths as their details are, with their contents. */
export async function* exportPaths(tx: Tx) {
  const pages = pagesById(PAGE_PATHS, (after, limit) =>
    selectPaths(tx).where("paths.id", ">", after).orderBy("paths.id").limit(limit).execute(),
  );
  for await (const rows of pages) {
    const ids = rows.map(({ id }) => id);
    const [tags, structures] = await Promise.all([
      listTagsOf(tx, { type: "LearningPaths::Path", ids }),
      findStructures(tx, ids),
    ]);
    const contents = toContents(tx, structures);
    yield rows.map((row) =>
      Object.assign(toPath(tx, row, tags.get(row.id)), exactTimes(tx, row), {
        published_at: exactZonedTimeOrNull(row.published_at, tx.company.time_zone),
        contents: contents.get(row.id) ?? [],
      }),
    );
  }
}

/** Courses as their details of version 1 are, and who owns them. */
export async function* exportCourses(tx: Tx) {
  const pages = pagesById(PAGE_ROWS, (after, limit) =>
    selectCourses(tx).where("courses.id", ">", after).orderBy("courses.id").limit(limit).execute(),
  );
  for await (const rows of pages) {
    const ids = rows.map(({ id }) => id);
    const [lessons, tags] = await Promise.all([
      listLessonsOf(tx, ids),
      listTagsOf(tx, { type: "Course", ids }),
    ]);
    yield rows.map((row) => ({
      id: row.id,
      resource_type: "course",
      title: row.title,
      assignees_count: row.assignees_count,
      completed_count: row.completed_count,
      description: row.description,
      lessons: (lessons.get(row.id) ?? []).map(({ id, title }) => ({ id, title })),
      public: row.public,
      created_at: exactTime(row.created_at),
      last_updated_at: exactTimeOrNull(row.last_updated_at),
      tags: tags.get(row.id) ?? [],
      links: links(tx.company.base_url, "course", row),
      archived_at: exactZonedTimeOrNull(row.archived_at, tx.company.time_zone),
      archived_by_user_id: row.archived_by_user_id,
      owner_id: row.owner_id,
    }));
  }
}

/** What groups are assigned, as their own list shows it. */
export async function* exportGroupAssignments(tx: Tx) {
  yield* pagesById(PAGE_ROWS, (after, limit) =>
    tx.sql
      .selectFrom("group_assignments")
      .select(["id", "assignable_id", "assignable_type", "group_id"])
      .where("company_id", "=", tx.company.id)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute(),
  );
}

interface TimedRow {
  readonly created_at: string;
  readonly last_updated_at: string | null;
  readonly archived_at: string | null;
}

function exactTimes(tx: Tx, row: TimedRow) {
  return {
    created_at: exactTime(row.created_at),
    last_updated_at: exactTimeOrNull(row.last_updated_at),
    archived_at: exactZonedTimeOrNull(row.archived_at, tx.company.time_zone),
  };
}
