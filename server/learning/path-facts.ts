import { sql } from "kysely";
import type { StoredStatus, Thing } from "../assignments/assignments.ts";
import type { Tx } from "../db/db.ts";
import { findStructures, type Structures } from "../paths/contents.ts";
import { lessonsOf } from "./path-steps.ts";

/** Which lessons paths and courses ask for now, by `keyOf`. */
export type LessonLists = ReadonlyMap<string, readonly number[]>;

/** The structures of some paths, with which of all the paths in them are taken in order. */
export interface PathPlan {
  readonly structures: Structures;
  readonly enforced: ReadonlySet<number>;
}

export function keyOf({ assignable_type, assignable_id }: Thing): string {
  return `${assignable_type} ${assignable_id}`;
}

/** Reads what the states of paths' steps follow from, as they are published. */
export async function findPlan(tx: Tx, pathIds: readonly number[]): Promise<PathPlan> {
  const structures = await findStructures(tx, pathIds);
  const rows = await tx.sql
    .selectFrom("paths")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...structures.keys()]))))
    .where("enforced_order", "=", true)
    .execute();
  return { structures, enforced: new Set(rows.map(({ id }) => id)) };
}

/** Reads which lessons paths and courses ask for: those of nested paths too, and none that is archived. */
export async function findLessonLists(tx: Tx, things: readonly Thing[]): Promise<LessonLists> {
  const idsOf = (type: Thing["assignable_type"]) => [
    ...new Set(things.flatMap((thing) => (thing.assignable_type === type ? thing.assignable_id : []))),
  ];
  const paths = idsOf("LearningPaths::Path");
  const courses = idsOf("Course");
  const lists = new Map<string, readonly number[]>();
  if (paths.length > 0) {
    const structures = await findStructures(tx, paths);
    for (const id of paths) {
      const thing = { assignable_type: "LearningPaths::Path", assignable_id: id } as const;
      lists.set(keyOf(thing), lessonsOf(structures, id));
    }
  }
  if (courses.length > 0) {
    const { rows } = await sql<{ course_id: number; lessons: number[] }>`
      select item.course_id, array_agg(distinct item.lesson_id)::text[] as lessons
      from course_lessons item
      join lessons lesson on lesson.company_id = ${tx.company.id} and lesson.id = item.lesson_id
        and lesson.archived_at is null
      where item.company_id = ${tx.company.id} and item.course_id = any(${courses}::bigint[])
      group by item.course_id`.execute(tx.sql);
    for (const { course_id, lessons } of rows) {
      lists.set(keyOf({ assignable_type: "Course", assignable_id: course_id }), lessons.map(Number));
    }
  }
  return lists;
}

/** A learner's progress in a lesson of an assigned path or course. */
export interface ProgressRow {
  readonly assignment_id: number;
  readonly lesson_id: number;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly status: StoredStatus;
  readonly score: number | null;
}

/** Reads the progress within assignments. */
export async function findProgress(tx: Tx, assignmentIds: readonly number[]): Promise<ProgressRow[]> {
  const { rows } = await sql<ProgressRow>`
    select assignment_id, lesson_id, started_at, completed_at, status, score
    from lesson_progress
    where company_id = ${tx.company.id} and assignment_id = any(${assignmentIds}::bigint[])`.execute(tx.sql);
  return rows;
}
