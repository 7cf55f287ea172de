import { sql } from "kysely";
import { assignedMail } from "../../assignments/mail-assigned.ts";
import { dueSoonMail } from "../../assignments/mail-due-soon.ts";
import { overdueMail } from "../../assignments/mail-overdue.ts";
import type { StoredStatus } from "../../assignments/assignments.ts";
import type { Tx } from "../../db/db.ts";
import { newVersionMail } from "../../lessons/mail-new-version.ts";
import { formatDay } from "../rendering/format.ts";
import type { Notice } from "../notices.ts";
import { daysBetween } from "../pace.ts";
import { factNumber, factText, type Known, type Reader, type Teller, teller } from "./telling.ts";

/** An assignment with what it is of, as long as that is not archived. */
interface Assigned {
  readonly id: number;
  readonly status: StoredStatus;
  /** The due date (UTC), as the contract has it. */
  readonly due_on: string | null;
  readonly title: string;
}

/** Tells of what was assigned, and is due. */
export const assignmentTellers: readonly Teller[] = [
  teller(assignedMail, (tx, notices, reader) =>
    readAssigned(tx, notices, (notice, assigned) => {
      const { status, title, due_on } = assigned;
      if (status !== "Incomplete") return undefined;
      return known(tx, notice, { title, due: due_on && formatDue(reader, due_on) });
    }),
  ),
  teller(newVersionMail, (tx, notices) =>
    readAssigned(tx, notices, (notice, { status, title }) =>
      status === "Incomplete" ? known(tx, notice, { title }) : undefined,
    ),
  ),
  teller(dueSoonMail, (tx, notices, reader) =>
    readAssigned(tx, notices, (notice, assigned) => {
      const due = readDue(notice, assigned, reader);
      return due && due.days >= 0 ? known(tx, notice, due) : undefined;
    }),
  ),
  teller(overdueMail, (tx, notices, reader) =>
    readAssigned(tx, notices, (notice, assigned) => {
      const due = readDue(notice, assigned, reader);
      return due && due.days < 0 ? known(tx, notice, { ...due, days: -due.days }) : undefined;
    }),
  ),
];

/** What is still due on the day that the notice is of, and in how many days. */
function readDue(
  notice: Notice,
  { status, title, due_on }: Assigned,
  reader: Reader,
): { title: string; due: string; days: number } | undefined {
  if (status !== "Incomplete" || due_on !== factText(notice, "due_on")) return undefined;
  return { title, due: formatDue(reader, due_on), days: daysBetween(reader.today, due_on) };
}

function formatDue({ locale, time_zone }: Reader, due_on: string): string {
  return formatDay(locale, time_zone, due_on);
}

function known<Facts>(tx: Tx, notice: Notice, facts: Facts): Known<Facts> {
  const id = factNumber(notice, "assignment_id");
  return { key: notice.key, facts, url: `${tx.company.base_url}/assignments/${id}`, about: String(id) };
}

async function readAssigned<Facts>(
  tx: Tx,
  notices: readonly Notice[],
  toKnown: (notice: Notice, assigned: Assigned) => Known<Facts> | undefined,
): Promise<Known<Facts>[]> {
  const ids = notices.map((notice) => factNumber(notice, "assignment_id"));
  const assigned = new Map((await selectAssigned(tx, ids)).map((row) => [row.id, row]));
  return notices.flatMap((notice) => {
    const row = assigned.get(factNumber(notice, "assignment_id"));
    return (row && toKnown(notice, row)) ?? [];
  });
}

async function selectAssigned(tx: Tx, ids: readonly number[]): Promise<Assigned[]> {
  const company_id = tx.company.id;
  const { rows } = await sql<Assigned>`
    select assignment.id, assignment.status, (assignment.due_by at time zone 'UTC')::date as due_on,
      coalesce(lesson.title, path.title, course.title) as title
    from assignments assignment
    left join lessons lesson on lesson.company_id = ${company_id} and assignment.assignable_type = 'Lesson'
      and lesson.id = assignment.assignable_id and lesson.archived_at is null
    left join paths path on path.company_id = ${company_id} and assignment.assignable_type = 'LearningPaths::Path'
      and path.id = assignment.assignable_id and path.archived_at is null
    left join courses course on course.company_id = ${company_id} and assignment.assignable_type = 'Course'
      and course.id = assignment.assignable_id and course.archived_at is null
    where assignment.company_id = ${company_id} and assignment.id = any(${ids}::bigint[])
      and num_nonnulls(lesson.id, path.id, course.id) = 1`.execute(tx.sql);
  return rows;
}
