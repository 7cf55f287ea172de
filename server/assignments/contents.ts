import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { utcTimeOrNull } from "../time.ts";
import { type Assignment, type AssignmentRow, type StoredStatus, toAssignments } from "./assignments.ts";
import type { AssignmentContent } from "./schema.ts";

/** An assignment as version 1.1 lists it. */
export interface ListedAssignment extends Assignment {
  contents?: AssignmentContent[];
  is_certification?: boolean;
}

/** Makes answers of version 1.1: a path assignment shows the path as it is now, with its own progress in it. */
export async function toListedAssignments(
  tx: Tx,
  rows: readonly AssignmentRow[],
): Promise<ListedAssignment[]> {
  const assignments: ListedAssignment[] = toAssignments(tx, rows);
  const ofPaths = assignments.filter(({ assignable_type }) => assignable_type === "LearningPaths::Path");
  if (ofPaths.length === 0) return assignments;
  const [paths, progress] = await Promise.all([
    findPaths(tx, new Set(ofPaths.map(({ assignable_id }) => assignable_id))),
    findProgress(
      tx,
      ofPaths.map(({ id }) => id),
    ),
  ]);
  // Most learners have not begun: they share what a path looks like to them.
  const untouched = new Map<number, AssignmentContent[]>();
  for (const assignment of ofPaths) {
    const own = progress.get(assignment.id);
    assignment.contents = buildContents(paths, assignment.assignable_id, {
      progress: own,
      made: own === undefined ? untouched : new Map(),
    });
    assignment.is_certification = paths.get(assignment.assignable_id)?.is_certification ?? false;
  }
  return assignments;
}

interface Path {
  readonly is_certification: boolean;
  readonly items: Item[];
}

/** One of the two is set. */
interface Item {
  readonly lesson_id: number | null;
  readonly nested_path_id: number | null;
}

/**
 * The paths, and all that are nested in them at any depth, with one statement. A path that is reached twice is read
 * once. Wait steps and placeholders are left out: nobody makes progress in them. OFFSET 0 makes PostgreSQL look up the
 * items of each path: without it every level reads those of all paths.
 */
async function findPaths(tx: Tx, ids: ReadonlySet<number>): Promise<Map<number, Path>> {
  const { rows } = await sql<Item & { id: number; is_certification: boolean }>`
    with recursive reached (id) as (
      select id from paths where company_id = ${tx.company.id} and id = any(${[...ids]}::bigint[])
      union
      select item.nested_path_id
      from reached
      cross join lateral (
        select nested_path_id from path_items
        where company_id = ${tx.company.id} and path_id = reached.id and resource_type = 'path'
        offset 0
      ) item
    )
    select reached.id, paths.is_certification, item.lesson_id, item.nested_path_id
    from reached
    join paths on paths.company_id = ${tx.company.id} and paths.id = reached.id
    left join path_items item on item.company_id = ${tx.company.id} and item.path_id = reached.id
      and item.resource_type in ('lesson', 'path')
    order by reached.id, item.position`.execute(tx.sql);
  const paths = new Map<number, Path>();
  for (const row of rows) {
    const path = paths.get(row.id) ?? { is_certification: row.is_certification, items: [] };
    paths.set(row.id, path);
    if (row.lesson_id !== null || row.nested_path_id !== null) path.items.push(row);
  }
  return paths;
}

interface Progress {
  readonly assignment_id: number;
  readonly lesson_id: number;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly status: StoredStatus;
  readonly score: number | null;
}

type ProgressByLesson = ReadonlyMap<number, Progress>;

/** The progress in lessons, by assignment. */
async function findProgress(tx: Tx, ids: readonly number[]): Promise<Map<number, ProgressByLesson>> {
  const { rows } = await sql<Progress>`
    select assignment_id, lesson_id, started_at, completed_at, status, score
    from lesson_progress
    where company_id = ${tx.company.id} and assignment_id = any(${ids}::bigint[])`.execute(tx.sql);
  const byAssignment = new Map<number, Map<number, Progress>>();
  for (const row of rows) {
    const lessons = byAssignment.get(row.assignment_id);
    if (lessons === undefined) byAssignment.set(row.assignment_id, new Map([[row.lesson_id, row]]));
    else lessons.set(row.lesson_id, row);
  }
  return byAssignment;
}

/**
 * Builds the contents of a path as a learner sees it, and notes those of each path within it in `made`. A path that is
 * in it twice is made once, and nothing recurs: paths nest to any depth.
 */
function buildContents(
  paths: ReadonlyMap<number, Path>,
  path_id: number,
  { progress, made }: { progress: ProgressByLesson | undefined; made: Map<number, AssignmentContent[]> },
): AssignmentContent[] {
  const unfilled: { readonly items: readonly Item[]; readonly contents: AssignmentContent[] }[] = [];
  const contentsOf = (id: number): AssignmentContent[] => {
    const known = made.get(id);
    if (known !== undefined) return known;
    const contents: AssignmentContent[] = [];
    made.set(id, contents);
    unfilled.push({ items: paths.get(id)?.items ?? [], contents });
    return contents;
  };
  const whole = contentsOf(path_id);
  for (let next = unfilled.pop(); next !== undefined; next = unfilled.pop()) {
    for (const { lesson_id, nested_path_id: id } of next.items) {
      if (lesson_id !== null) next.contents.push(toLesson(lesson_id, progress?.get(lesson_id)));
      if (id !== null) next.contents.push({ id, resource_type: "path", contents: contentsOf(id) });
    }
  }
  return whole;
}

/** A lesson that awaits a grade shows as Incomplete: the contract knows no third status here. */
function toLesson(id: number, progress: Progress | undefined): AssignmentContent {
  if (progress === undefined) {
    return { id, resource_type: "lesson", started_at: null, completed_at: null, status: "Incomplete" };
  }
  return {
    id,
    resource_type: "lesson",
    started_at: utcTimeOrNull(progress.started_at),
    completed_at: utcTimeOrNull(progress.completed_at),
    ...(progress.score === null ? {} : { score: progress.score }),
    status: progress.status === "Completed" ? "Completed" : "Incomplete",
  };
}
