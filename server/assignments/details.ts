import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { cutCursorPage, type CursorPage, idAfter, type Position, readCursorPage } from "../http/cursor.ts";
import { invalid, notFound } from "../http/problem.ts";
import type { Privilege } from "../privileges/privileges.ts";
import { parseMoment, startOfToday } from "../time.ts";
import { isVisibleUser } from "../users/visible.ts";
import type { AssignmentRow } from "./assignments.ts";
import { isOfGroup } from "./select.ts";
import { showAssignment } from "./show.ts";
import type { AssignmentDetails, AssignmentsQuery } from "./v2-schema.ts";

/** A row of `assignments` with who and what it is about. */
export interface DetailRow extends AssignmentRow {
  readonly user_name: string;
  readonly user_email: string;
  readonly title: string;
}

/** What is shown with each assignment: `user`, `content`. */
export type Include = string | undefined;

/** What a single one shows: the same wherever it is answered, as its ETag is made of it. */
export const WHOLE: Include = "user,content";

/** A page of the assignments that the viewer sees. */
export async function listDetails(
  tx: Tx,
  query: AssignmentsQuery,
): Promise<{ data: AssignmentDetails[]; next: string | null }> {
  const isByChange = query.sort === "-updated_at";
  const page = readCursorPage(query, isByChange ? 2 : 1);
  const rows = await selectDetails(tx, {
    conditions: [
      isVisibleUser(tx, "assignments.read", sql.ref<number>("assignee_id")),
      ...listFilters(tx, query),
      ...(isByChange ? afterChange(page) : afterId(page)),
    ],
    order: isByChange ? sql`updated_at desc, id desc` : sql`id`,
    limit: page.limit + 1,
  });
  return cutCursorPage(page, rows, {
    position: (row): Position => (isByChange ? [row.updated_at, row.id] : [row.id]),
    show: (row) => toDetails(tx, row, query.include),
  });
}

/**
 * An assignment that a privilege of the viewer reaches.
 * @throws Problem 404
 */
export async function getDetails(tx: Tx, privilege: Privilege, id: number): Promise<DetailRow> {
  const [row] = await selectDetails(tx, {
    conditions: [sql`id = ${id}`, isVisibleUser(tx, privilege, sql.ref<number>("assignee_id"))],
    order: sql`id`,
    limit: 1,
  });
  if (row === undefined) throw notFound("Assignment");
  return row;
}

/** Assignments by their ids, in that order. */
export async function listDetailsOf(tx: Tx, ids: readonly number[]): Promise<AssignmentDetails[]> {
  const rows = await selectDetails(tx, {
    conditions: [sql`id = any(${ids}::bigint[])`],
    order: sql`id`,
    limit: ids.length,
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [toDetails(tx, row, undefined)];
  });
}

/** An assignment as version 2 shows it to who assigns. */
export function toDetails(tx: Tx, row: DetailRow, include: Include): AssignmentDetails {
  const included = new Set(include?.split(","));
  return {
    ...showAssignment(row, startOfToday(tx.now, tx.company.time_zone)),
    ...(included.has("user") && {
      user: { id: row.assignee_id, name: row.user_name, email: row.user_email },
    }),
    ...(included.has("content") && { content: { title: row.title } }),
  };
}

function listFilters(tx: Tx, query: AssignmentsQuery): RawBuilder<unknown>[] {
  const {
    "filter[user_id]": user_id,
    "filter[group_id]": group_id,
    "filter[assignable_type]": assignable_type,
    "filter[assignable_id]": assignable_id,
    "filter[status]": status,
    "filter[updated_since]": since,
  } = query;
  if (assignable_id !== undefined && assignable_type === undefined) {
    throw invalid({ field: "filter[assignable_type]", message: "is required with filter[assignable_id]" });
  }
  return [
    ...(user_id === undefined ? [] : [sql`assignee_id = ${user_id}`]),
    ...(group_id === undefined ? [] : [isOfGroup(tx, group_id)]),
    ...(assignable_type === undefined ? [] : [sql`assignable_type = ${assignable_type}`]),
    ...(assignable_id === undefined ? [] : [sql`assignable_id = ${assignable_id}`]),
    ...(status === undefined ? [] : [hasStatus(tx, status)]),
    ...(since === undefined ? [] : [sql`updated_at >= ${parseMoment(since)}::timestamptz`]),
  ];
}

function hasStatus(tx: Tx, status: NonNullable<AssignmentsQuery["filter[status]"]>): RawBuilder<unknown> {
  const today = startOfToday(tx.now, tx.company.time_zone);
  if (status === "Overdue") return sql`status = 'Incomplete' and due_by < ${today}`;
  if (status === "Incomplete") return sql`status = 'Incomplete' and (due_by is null or due_by >= ${today})`;
  return sql`status = ${status}`;
}

function afterId(page: CursorPage): RawBuilder<unknown>[] {
  const after = idAfter(page);
  return after === undefined ? [] : [sql`id > ${after}`];
}

function afterChange({ after }: CursorPage): RawBuilder<unknown>[] {
  if (after === undefined) return [];
  const [at, id] = after;
  const moment = typeof at === "string" ? parseMoment(at) : undefined;
  if (moment === undefined || !Number.isSafeInteger(id)) {
    throw invalid({ field: "cursor", message: "is no cursor of this list" });
  }
  return [sql`(updated_at, id) < (${moment}::timestamptz, ${id}::bigint)`];
}

interface Selection {
  readonly conditions: readonly RawBuilder<unknown>[];
  readonly order: RawBuilder<unknown>;
  readonly limit: number;
}

/** The page is cut before anything is looked up for its rows. */
async function selectDetails(tx: Tx, { conditions, order, limit }: Selection): Promise<DetailRow[]> {
  const { rows } = await sql<DetailRow>`
    select page.id, page.assignee_id, page.assignable_type, page.assignable_id, page.group_id, page.assigned_at,
      page.due_by, page.reassigned_at, page.started_at, page.completed_at, page.updated_at, page.status, page.score,
      users.name as user_name, users.email as user_email, users.ext_uid, ${titleOf(tx, "page")} as title
    from (
      select * from assignments
      where company_id = ${tx.company.id} and ${sql.join(conditions, sql` and `)}
      order by ${order}
      limit ${limit}
    ) page
    join users on users.company_id = ${tx.company.id} and users.id = page.assignee_id
    order by ${order}`.execute(tx.sql);
  return rows;
}

/** The title of what a row of a table assigns, as a column. */
export function titleOf(tx: Tx, table: string): RawBuilder<string> {
  const id = sql.ref(`${table}.assignable_id`);
  return sql<string>`case ${sql.ref(`${table}.assignable_type`)}
    when 'Lesson' then (select title from lessons where lessons.company_id = ${tx.company.id} and lessons.id = ${id})
    when 'Course' then (select title from courses where courses.company_id = ${tx.company.id} and courses.id = ${id})
    else (select title from paths where paths.company_id = ${tx.company.id} and paths.id = ${id})
  end`;
}
