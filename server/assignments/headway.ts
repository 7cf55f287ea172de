import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { selectAttempts } from "../learning/lists.ts";
import {
  findLessonLists,
  findProgress,
  keyOf,
  type LessonLists,
  type ProgressRow,
} from "../learning/path-facts.ts";
import { describePaths, type PathDescription } from "../learning/path-progress.ts";
import { getVersion } from "../learning/versions.ts";
import type { AssignmentRow } from "./assignments.ts";
import type { MyAssignment } from "./v2-schema.ts";

/** How far a learner has got in an assignment, and what is to be done next. */
export type Headway = Pick<MyAssignment, "progress"> & Next;

type Next = Pick<MyAssignment, "next_step" | "next_opens_at">;

const nothing: Next = { next_step: null, next_opens_at: null };

/** One's own assignment, with the attempt that is open where it is of a lesson. */
export interface MyRow extends AssignmentRow {
  readonly title: string;
  readonly attempt_id: number | null;
  /** Of a lesson: whether it can be begun, being published and not archived. */
  readonly is_takeable: boolean;
}

/** Finds the headway in a learner's assignments, by their ids. */
export async function findHeadway(tx: Tx, rows: readonly MyRow[]): Promise<Map<number, Headway>> {
  const lessons = rows.filter(({ assignable_type }) => assignable_type === "Lesson");
  const collections = rows.filter(({ assignable_type }) => assignable_type !== "Lesson");
  const [pages, taken] = await Promise.all([findPages(tx, lessons), findTaken(tx, collections)]);
  const steps = await findNext(tx, collections);
  return new Map([
    ...lessons.map((row) => [row.id, ofLesson(row, pages)] as const),
    ...collections.map((row) => [row.id, ofCollection(row, taken, steps.get(row.id) ?? nothing)] as const),
  ]);
}

function ofLesson(row: MyRow, pages: ReadonlyMap<number, number>): Headway {
  if (row.status !== "Incomplete") return { progress: 100, ...nothing };
  return {
    progress: row.attempt_id === null ? 0 : (pages.get(row.attempt_id) ?? 0),
    next_step: row.is_takeable ? { lesson_id: row.assignable_id, title: row.title } : null,
    next_opens_at: null,
  };
}

/** How many per cent of the pages lie behind the learner, by attempt. */
async function findPages(tx: Tx, rows: readonly MyRow[]): Promise<Map<number, number>> {
  const ids = rows.flatMap(({ attempt_id }) => attempt_id ?? []);
  if (ids.length === 0) return new Map();
  const attempts = await selectAttempts(tx, {
    conditions: [sql<boolean>`attempts.id = any(${ids}::bigint[])`],
    order: sql`attempts.id`,
    limit: ids.length,
  });
  const shares = attempts.map(async (attempt) => {
    const { document } = await getVersion(tx, attempt);
    const pages = document.sections.flatMap((section) => section.pages);
    const index = pages.findIndex(({ id }) => id === attempt.page_id);
    return [attempt.id, index <= 0 ? 0 : Math.floor((100 * index) / pages.length)] as const;
  });
  return new Map(await Promise.all(shares));
}

interface Taken {
  readonly lists: LessonLists;
  readonly progress: ReadonlyMap<number, readonly ProgressRow[]>;
}

async function findTaken(tx: Tx, rows: readonly MyRow[]): Promise<Taken> {
  if (rows.length === 0) return { lists: new Map(), progress: new Map() };
  const [lists, progress] = await Promise.all([
    findLessonLists(tx, rows),
    findProgress(
      tx,
      rows.map(({ id }) => id),
    ),
  ]);
  return { lists, progress: Map.groupBy(progress, ({ assignment_id }) => assignment_id) };
}

function ofCollection(row: MyRow, { lists, progress }: Taken, next: Next): Headway {
  if (row.status === "Completed") return { progress: 100, ...nothing };
  const asked = new Set(lists.get(keyOf(row)));
  const finished = (progress.get(row.id) ?? []).filter(
    ({ lesson_id, status }) => asked.has(lesson_id) && status !== "Incomplete",
  );
  return { progress: asked.size === 0 ? 0 : Math.floor((100 * finished.length) / asked.size), ...next };
}

/** What is next in the paths and courses that are not finished, by assignment. */
async function findNext(tx: Tx, rows: readonly MyRow[]): Promise<Map<number, Next>> {
  const open = rows.filter(({ status }) => status === "Incomplete");
  const ofType = (type: MyRow["assignable_type"]) =>
    open.filter(({ assignable_type }) => assignable_type === type);
  const paths = await describePaths(
    tx,
    ofType("LearningPaths::Path").map(({ id }) => id),
  );
  const courses = ofType("Course").map(async (row) => [row.id, await findNextOfCourse(tx, row)] as const);
  return new Map([
    ...[...paths.values()].map((path) => [path.assignment_id, toNext(path)] as const),
    ...(await Promise.all(courses)),
  ]);
}

function toNext({ next, next_opens_at }: PathDescription): Next {
  return { next_step: next === null ? null : { lesson_id: next.id, title: next.title }, next_opens_at };
}

async function findNextOfCourse(tx: Tx, { id, assignable_id }: MyRow): Promise<Next> {
  const { rows } = await sql<{ lesson_id: number; title: string }>`
    select item.lesson_id, lessons.title
    from course_lessons item
    join lessons on lessons.company_id = ${tx.company.id} and lessons.id = item.lesson_id
      and lessons.archived_at is null
    left join lesson_progress on lesson_progress.company_id = ${tx.company.id}
      and lesson_progress.assignment_id = ${id} and lesson_progress.lesson_id = item.lesson_id
    where item.company_id = ${tx.company.id} and item.course_id = ${assignable_id}
      and coalesce(lesson_progress.status, 'Incomplete') = 'Incomplete'
    order by item.position
    limit 1`.execute(tx.sql);
  const [next] = rows;
  return { next_step: next ?? null, next_opens_at: null };
}
