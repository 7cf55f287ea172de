import { sql } from "kysely";
import type { AssignmentRow, StoredStatus } from "../assignments/assignments.ts";
import { toListedAssignments } from "../assignments/contents.ts";
import type { AssignmentContent } from "../assignments/schema.ts";
import { selectAssignments } from "../assignments/select.ts";
import type { Tx } from "../db/db.ts";
import { pagesById } from "./pages.ts";
import { exactTime, exactTimeOrNull } from "./times.ts";

/** Rows that are read at once. */
const PAGE_ROWS = 2_000;

/** Assignments as version 1.1 lists them, and what no answer shows. */
export async function* exportAssignments(tx: Tx) {
  const pages = pagesById(PAGE_ROWS, (after, limit) =>
    selectAssignments(tx, { conditions: [sql<boolean>`id > ${after}`], order: sql`id`, limit, offset: 0 }),
  );
  for await (const rows of pages) {
    const range = { first: rows[0]?.id ?? 0, last: rows.at(-1)?.id ?? 0 };
    const [listed, groups, progress, results] = await Promise.all([
      toListedAssignments(tx, rows),
      listOrigins(tx, range),
      listProgress(tx, range),
      listResults(tx, range),
    ]);
    const known = new Map(rows.map((row) => [row.id, row]));
    yield listed.map((assignment) => {
      const { id, contents = [] } = assignment;
      const [row, group_id, history] = [known.get(id), groups.get(id), results.get(id)];
      return Object.assign(
        assignment,
        row && exactTimes(row),
        group_id === undefined ? undefined : { group_id },
        history === undefined ? undefined : { history },
        withProgress(contents, progress.get(id) ?? []),
      );
    });
  }
}

/** Ids from the first to the last. */
interface Range {
  readonly first: number;
  readonly last: number;
}

function exactTimes(row: AssignmentRow) {
  return {
    assigned_at: exactTime(row.assigned_at),
    due_by: exactTimeOrNull(row.due_by),
    reassigned_at: exactTimeOrNull(row.reassigned_at),
    started_at: exactTimeOrNull(row.started_at),
    completed_at: exactTimeOrNull(row.completed_at),
    updated_at: exactTime(row.updated_at),
  };
}

async function listOrigins(tx: Tx, { first, last }: Range): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; group_id: number }>`
    select id, group_id
    from assignments
    where company_id = ${tx.company.id} and id between ${first} and ${last} and group_id is not null`.execute(
    tx.sql,
  );
  return new Map(rows.map(({ id, group_id }) => [id, group_id]));
}

interface Progress {
  readonly assignment_id: number;
  readonly lesson_id: number;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly status: StoredStatus;
  readonly score: number | null;
}

async function listProgress(tx: Tx, { first, last }: Range): Promise<Map<number, Progress[]>> {
  const { rows } = await sql<Progress>`
    select assignment_id, lesson_id, started_at, completed_at, status, score
    from lesson_progress
    where company_id = ${tx.company.id} and assignment_id between ${first} and ${last}
    order by assignment_id, lesson_id`.execute(tx.sql);
  return Map.groupBy(rows, ({ assignment_id }) => assignment_id);
}

/**
 * Puts into the contents what they say of each lesson's progress with all digits, and beside them the progress that they
 * can't say: in a lesson that awaits a grade, or is no longer in the path.
 */
function withProgress(contents: readonly AssignmentContent[], progress: readonly Progress[]) {
  if (progress.length === 0) return undefined;
  const unsaid = new Map(progress.map((row) => [row.lesson_id, row]));
  const byLesson = new Map(unsaid);
  const left = [...contents];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    if (item.resource_type === "path") {
      left.push(...item.contents);
      continue;
    }
    const row = byLesson.get(item.id);
    if (row === undefined) continue;
    item.started_at = exactTimeOrNull(row.started_at);
    item.completed_at = exactTimeOrNull(row.completed_at);
    if (row.status === item.status) unsaid.delete(item.id);
  }
  return unsaid.size === 0 ? undefined : { progress: [...unsaid.values()].map(toProgress) };
}

function toProgress({ lesson_id, started_at, completed_at, status, score }: Progress) {
  return {
    lesson_id,
    started_at: exactTimeOrNull(started_at),
    completed_at: exactTimeOrNull(completed_at),
    status,
    score,
  };
}

async function listResults(tx: Tx, { first, last }: Range) {
  const rows = await tx.sql
    .selectFrom("assignment_results")
    .select(["assignment_id", "round", "due_by", "started_at", "completed_at", "score", "contents"])
    .where("company_id", "=", tx.company.id)
    .where("assignment_id", ">=", first)
    .where("assignment_id", "<=", last)
    .orderBy("assignment_id")
    .orderBy("round")
    .execute();
  const results = rows.map(({ assignment_id, due_by, started_at, completed_at, ...row }) => ({
    assignment_id,
    result: {
      round: row.round,
      due_by: exactTimeOrNull(due_by),
      started_at: exactTimeOrNull(started_at),
      completed_at: exactTime(completed_at),
      score: row.score,
      contents: row.contents,
    },
  }));
  return new Map(
    [...Map.groupBy(results, ({ assignment_id }) => assignment_id)].map(([id, own]) => [
      id,
      own.map(({ result }) => result),
    ]),
  );
}
