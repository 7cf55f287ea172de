import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { AssignableType } from "../assignments/assignments.ts";
import { titleOf } from "../assignments/details.ts";
import type { Tx } from "../db/db.ts";
import { isOwnContent } from "../lessons/own.ts";
import { parseMoment, utcTimeOrNull } from "../time.ts";
import { isVisibleUser } from "../users/visible.ts";
import type { Row } from "./csv.ts";
import type { ResultsQuery } from "./v2-schema.ts";
import type { Exported } from "./stream.ts";

export const resultColumns = [
  "type",
  "assignment_id",
  "round",
  "attempt_id",
  "user_id",
  "user_name",
  "user_email",
  "user_ext_uid",
  "assignable_type",
  "assignable_id",
  "title",
  "version",
  "status",
  "score",
  "due_by",
  "started_at",
  "completed_at",
  "graded_at",
  "seconds_spent",
] as const;

interface Result {
  readonly type: "earlier_round" | "round" | "attempt";
  readonly assignment_id: number | null;
  readonly round: number;
  readonly attempt_id: number | null;
  readonly user_id: number;
  readonly assignable_type: AssignableType;
  readonly assignable_id: number;
  readonly version: number | null;
  readonly status: string;
  readonly score: number | null;
  readonly due_by: string | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly graded_at: string | null;
  readonly seconds_spent: number | null;
}

/** Where a row stands in its part. */
interface Position {
  readonly id: number;
  readonly round: number;
}

/**
 * Every result that the viewer may see: the rounds of assignments that were completed before they were assigned anew,
 * those that are completed or wait for a grade now, and every attempt at a lesson that has ended.
 */
export function exportResults(query: ResultsQuery): Exported<Position, Result>[] {
  const part = (
    select: (tx: Tx, after: Position) => RawBuilder<unknown>,
    order: RawBuilder<unknown>,
  ): Exported<Position, Result> => ({
    read: (tx, after = { id: 0, round: 0 }, limit) =>
      readPage(tx, { select: select(tx, after), query, order, limit }),
    position: ({ assignment_id, attempt_id, round }) => ({ id: attempt_id ?? assignment_id ?? 0, round }),
    show: toRow,
  });
  return [
    part(selectEarlierRounds, sql`assignment_id, round`),
    part(selectRounds, sql`assignment_id`),
    part(selectAttempts, sql`attempt_id`),
  ];
}

interface Page {
  readonly select: RawBuilder<unknown>;
  readonly query: ResultsQuery;
  readonly order: RawBuilder<unknown>;
  readonly limit: number;
}

async function readPage(tx: Tx, { select, query, order, limit }: Page): Promise<Result[]> {
  const { rows } = await sql<Result>`
    select page.*, users.name as user_name, users.email as user_email, users.ext_uid as user_ext_uid,
      ${titleOf(tx, "page")} as title
    from (
      select * from (${select}) result
      where ${sql.join(listConditions(tx, query), sql` and `)}
      order by ${order}
      limit ${limit}
    ) page
    join users on users.company_id = ${tx.company.id} and users.id = page.user_id
    order by ${order}`.execute(tx.sql);
  return rows;
}

function selectEarlierRounds(tx: Tx, { id, round }: Position): RawBuilder<unknown> {
  return sql`
    select 'earlier_round' as type, assignment_results.assignment_id, assignment_results.round,
      null::bigint as attempt_id, assignments.assignee_id as user_id, assignments.assignable_type,
      assignments.assignable_id, null::integer as version, 'Completed' as status, assignment_results.score,
      assignment_results.due_by, assignment_results.started_at, assignment_results.completed_at,
      null::timestamptz as graded_at, null::integer as seconds_spent
    from assignment_results
    join assignments on assignments.company_id = ${tx.company.id} and assignments.id = assignment_results.assignment_id
    where assignment_results.company_id = ${tx.company.id}
      and (assignment_results.assignment_id, assignment_results.round) > (${id}::bigint, ${round}::integer)`;
}

function selectRounds(tx: Tx, { id }: Position): RawBuilder<unknown> {
  return sql`
    select 'round' as type, assignments.id as assignment_id,
      (select count(*) + 1 from assignment_results
        where assignment_results.company_id = ${tx.company.id}
          and assignment_results.assignment_id = assignments.id) as round,
      null::bigint as attempt_id, assignments.assignee_id as user_id, assignments.assignable_type,
      assignments.assignable_id, null::integer as version, assignments.status, assignments.score,
      assignments.due_by, assignments.started_at, assignments.completed_at,
      null::timestamptz as graded_at, null::integer as seconds_spent
    from assignments
    where assignments.company_id = ${tx.company.id} and assignments.id > ${id}
      and assignments.status <> 'Incomplete'`;
}

function selectAttempts(tx: Tx, { id }: Position): RawBuilder<unknown> {
  return sql`
    select 'attempt' as type, attempts.assignment_id, attempts.round, attempts.id as attempt_id, attempts.user_id,
      'Lesson' as assignable_type, attempts.lesson_id as assignable_id, attempts.version, attempts.status,
      attempts.score, null::timestamptz as due_by, attempts.started_at, attempts.finished_at as completed_at,
      attempts.graded_at, attempts.seconds_spent
    from attempts
    where attempts.company_id = ${tx.company.id} and attempts.id > ${id} and attempts.finished_at is not null`;
}

/** What the filters and the viewer's reach ask of a result. */
function listConditions(tx: Tx, query: ResultsQuery): RawBuilder<SqlBool>[] {
  const conditions = [isReached(tx)];
  for (const column of ["user_id", "assignable_type", "assignable_id"] as const) {
    const value = query[`filter[${column}]`];
    if (value !== undefined) conditions.push(sql<SqlBool>`${sql.ref(`result.${column}`)} = ${value}`);
  }
  const since = query["filter[completed_since]"];
  if (since !== undefined) {
    conditions.push(sql<SqlBool>`result.completed_at >= ${parseMoment(since) ?? null}::timestamptz`);
  }
  return conditions;
}

/** Results of the people that one manages, or of the content that is one's own. */
function isReached(tx: Tx): RawBuilder<SqlBool> {
  if (tx.viewer.scope("reports.read") !== "own") {
    return isVisibleUser(tx, "reports.read", sql.ref<number>("result.user_id"));
  }
  const id = sql.ref("result.assignable_id");
  const isOwn = (type: "Lesson" | "LearningPaths::Path") =>
    sql<SqlBool>`(result.assignable_type = ${type} and ${isOwnContent(tx, "reports.read", { type, id })})`;
  return sql<SqlBool>`(${isOwn("Lesson")} or ${isOwn("LearningPaths::Path")})`;
}

function toRow(result: Result): Row {
  return {
    ...result,
    due_by: utcTimeOrNull(result.due_by),
    started_at: utcTimeOrNull(result.started_at),
    completed_at: utcTimeOrNull(result.completed_at),
    graded_at: utcTimeOrNull(result.graded_at),
  };
}
