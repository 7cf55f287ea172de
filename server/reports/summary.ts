import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { startOfToday } from "../time.ts";
import { isVisibleUser } from "../users/visible.ts";
import type { ReportSummary } from "./schema.ts";

/** What a condition over a report's rows is: several are joined with AND. */
export type Condition = RawBuilder<unknown>;

/** Whose results a report may show and is asked for. */
export interface People {
  readonly group_id?: number | undefined;
  /** Everybody's: whoever writes a lesson sees what became of it, whoever took it. */
  readonly ofAll?: boolean;
}

/** The counts of assignments, as columns of a query over `assignments`. */
export function summaryColumns(tx: Tx): RawBuilder<unknown> {
  const today = startOfToday(tx.now, tx.company.time_zone);
  return sql`
    count(*)::integer as assigned,
    (count(*) filter (where status = 'Incomplete' and started_at is null))::integer as not_started,
    (count(*) filter (where status = 'Incomplete' and started_at is not null))::integer as in_progress,
    (count(*) filter (where status = 'Grade Pending'))::integer as grade_pending,
    (count(*) filter (where status = 'Completed'))::integer as completed,
    (count(*) filter (where status = 'Incomplete' and due_by < ${today}))::integer as overdue,
    sum(score) filter (where status = 'Completed') as scores,
    (count(score) filter (where status = 'Completed'))::integer as scored`;
}

/** What `summaryColumns` gives. */
export interface SummaryRow {
  readonly assigned: number;
  readonly not_started: number;
  readonly in_progress: number;
  readonly grade_pending: number;
  readonly completed: number;
  readonly overdue: number;
  readonly scores: number | null;
  readonly scored: number;
}

/** Whether a user's results belong into the report, as a condition. */
export function isOfPeople(tx: Tx, people: People, user_id: RawBuilder<number>): Condition {
  const isVisible = people.ofAll === true ? sql`true` : isVisibleUser(tx, "reports.read", user_id);
  if (people.group_id === undefined) return isVisible;
  return sql`${isVisible} and ${user_id} in (
    select user_id from memberships
    where company_id = ${tx.company.id} and group_id = ${people.group_id} and role = 'member'
  )`;
}

/** What became of the assignments that meet a condition. */
export async function summarise(tx: Tx, condition: Condition): Promise<SummaryRow> {
  const { rows } = await sql<SummaryRow>`
    select ${summaryColumns(tx)}
    from assignments
    where company_id = ${tx.company.id} and ${condition}`.execute(tx.sql);
  const [row] = rows;
  if (row === undefined) throw new Error("an aggregate gave no row");
  return row;
}

/** The mean time of the finished attempts that meet a condition, in seconds. */
export async function averageSeconds(tx: Tx, condition: Condition): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select round(avg(seconds_spent))::integer as seconds
    from attempts
    where company_id = ${tx.company.id} and finished_at is not null and ${condition}`.execute(tx.sql);
  return rows[0]?.seconds ?? null;
}

/** How many scores of completed assignments lie in each tenth. */
export async function distributeScores(tx: Tx, condition: Condition): Promise<number[]> {
  const { rows } = await sql<{ tenth: number; scores: number }>`
    select least(score / 10, 9) as tenth, count(*)::integer as scores
    from assignments
    where company_id = ${tx.company.id} and status = 'Completed' and score is not null and ${condition}
    group by 1`.execute(tx.sql);
  const counts = new Map(rows.map(({ tenth, scores }) => [tenth, scores]));
  return Array.from({ length: 10 }, (_, tenth) => counts.get(tenth) ?? 0);
}

/** A summary as answers show it. */
export function toSummary({ scores, scored, ...counts }: SummaryRow, seconds: number | null): ReportSummary {
  return {
    ...counts,
    average_score: scores === null || scored === 0 ? null : toTenth(scores / scored),
    average_seconds: seconds,
  };
}

/** Rounds half up to a tenth. */
export function toTenth(value: number): number {
  return Math.round(value * 10) / 10;
}
