import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { cutCursorPage, type CursorPage, readCursorPage } from "../http/cursor.ts";
import { invalid, notFound } from "../http/problem.ts";
import { MOST_ATTEMPTS, isAttemptOf } from "./history.ts";
import { selectAttempts } from "../learning/lists.ts";
import { describePath } from "../learning/path-progress.ts";
import { toAttempt } from "../learning/show.ts";
import { learnerOf } from "../learning/attempts.ts";
import { parseMoment, startOfToday } from "../time.ts";
import { toAssignments } from "./assignments.ts";
import { titleOf } from "./details.ts";
import { findHeadway, type Headway, type MyRow } from "./headway.ts";
import type { AssignmentState, MyAssignment, MyAssignmentDetails, MyAssignmentsQuery } from "./v2-schema.ts";

/** What the viewer is assigned: what is due first comes first, what has no due date last. */
export async function listMyAssignments(
  tx: Tx,
  query: MyAssignmentsQuery,
): Promise<{ data: MyAssignment[]; next: string | null }> {
  const page = readCursorPage(query, 2);
  const state = query["filter[state]"];
  const rows = await selectMine(
    tx,
    [...(state === undefined ? [] : [hasState(tx, state)]), ...afterDue(page)],
    page.limit + 1,
  );
  const headway = await findHeadway(tx, rows.slice(0, page.limit));
  return cutCursorPage(page, rows, {
    position: ({ due_by, id }) => [due_by, id],
    show: (row) => toMine(tx, row, headway.get(row.id)),
  });
}

/** One of the viewer's own assignments, with the attempts at it and the steps of a path. @throws Problem 404 */
export async function getMyAssignment(tx: Tx, assignment_id: number): Promise<MyAssignmentDetails> {
  const [row] = await selectMine(tx, [sql`id = ${assignment_id}`], 1);
  if (row === undefined) throw notFound("Assignment");
  const [headway, attempts, path] = await Promise.all([
    findHeadway(tx, [row]),
    selectAttempts(tx, {
      conditions: [isAttemptOf(row)],
      order: sql`attempts.id desc`,
      limit: MOST_ATTEMPTS,
    }),
    row.assignable_type === "LearningPaths::Path" ? describePath(tx, assignment_id) : null,
  ]);
  return {
    ...toMine(tx, row, headway.get(row.id)),
    attempts: attempts.map(toAttempt),
    ...(path !== null && { steps: path.steps }),
  };
}

function toMine(tx: Tx, row: MyRow, headway: Headway | undefined): MyAssignment {
  const [shown] = toAssignments(tx, [row]);
  if (shown === undefined) throw new Error("an assignment is shown as one");
  const { assignee_id: _assignee_id, ext_uid: _ext_uid, ...about } = shown;
  return {
    ...about,
    title: row.title,
    state: stateOf(shown),
    progress: headway?.progress ?? 0,
    attempt_id: row.attempt_id,
    next_step: headway?.next_step ?? null,
    next_opens_at: headway?.next_opens_at ?? null,
  };
}

function stateOf({ status, started_at }: Pick<MyAssignment, "status" | "started_at">): AssignmentState {
  if (status === "Completed") return "done";
  if (status === "Grade Pending") return "grading";
  if (status === "Overdue") return "overdue";
  return started_at === null ? "assigned" : "in_progress";
}

function hasState(tx: Tx, state: AssignmentState | "due"): RawBuilder<unknown> {
  const today = startOfToday(tx.now, tx.company.time_zone);
  const isOpen = sql`status = 'Incomplete' and (due_by is null or due_by >= ${today})`;
  switch (state) {
    case "done":
      return sql`status = 'Completed'`;
    case "grading":
      return sql`status = 'Grade Pending'`;
    case "overdue":
      return sql`status = 'Incomplete' and due_by < ${today}`;
    case "due":
      return sql`status = 'Incomplete' and due_by >= ${today}`;
    case "assigned":
      return sql`${isOpen} and started_at is null`;
    case "in_progress":
      return sql`${isOpen} and started_at is not null`;
  }
}

function afterDue({ after }: CursorPage): RawBuilder<unknown>[] {
  if (after === undefined) return [];
  const [due_by, id] = after;
  const moment = typeof due_by === "string" ? parseMoment(due_by) : null;
  if (moment === undefined || !Number.isSafeInteger(id)) {
    throw invalid({ field: "cursor", message: "is no cursor of this list" });
  }
  if (moment === null) return [sql`due_by is null and id > ${id}`];
  return [sql`(due_by > ${moment} or (due_by = ${moment} and id > ${id}) or due_by is null)`];
}

async function selectMine(
  tx: Tx,
  conditions: readonly RawBuilder<unknown>[],
  limit: number,
): Promise<MyRow[]> {
  const user_id = learnerOf(tx);
  const asked = [sql`company_id = ${tx.company.id}`, sql`assignee_id = ${user_id}`, ...conditions];
  const { rows } = await sql<MyRow>`
    select page.id, page.assignee_id, page.assignable_type, page.assignable_id, page.assigned_at, page.due_by,
      page.reassigned_at, page.started_at, page.completed_at, page.updated_at, page.status, page.score,
      null as ext_uid, ${titleOf(tx, "page")} as title,
      case when page.assignable_type = 'Lesson' then (
        select attempts.id from attempts
        where attempts.company_id = ${tx.company.id} and attempts.user_id = ${user_id}
          and attempts.lesson_id = page.assignable_id and attempts.status = 'open'
      ) end as attempt_id,
      exists (
        select from lessons
        where page.assignable_type = 'Lesson' and lessons.company_id = ${tx.company.id}
          and lessons.id = page.assignable_id and lessons.archived_at is null and lessons.published_version is not null
      ) as is_takeable
    from (
      select * from assignments
      where ${sql.join(asked, sql` and `)}
      order by due_by nulls last, id
      limit ${limit}
    ) page
    order by due_by nulls last, id`.execute(tx.sql);
  return rows;
}
