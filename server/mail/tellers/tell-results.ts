import { sql } from "kysely";
import type { StoredStatus } from "../../assignments/assignments.ts";
import type { Tx } from "../../db/db.ts";
import { gradedMail } from "../../grading/mail-graded.ts";
import { retakeMail } from "../../learning/mail-retake.ts";
import type { Notice } from "../notices.ts";
import { formatPercent } from "../rendering/format.ts";
import { factNumber, type Known, type Teller, teller } from "./telling.ts";

/** Where a learner stands in a lesson: one that is assigned itself, or one within an assigned path or course. */
interface Taken {
  readonly key: string;
  readonly assignment_id: number;
  readonly lesson_id: number;
  readonly title: string;
  readonly status: StoredStatus;
  readonly score: number | null;
  /** In percent; null where there is none. */
  readonly pass_mark: number | null;
}

/** Tells how lessons were graded, and which are to be taken again. */
export const resultTellers: readonly Teller[] = [
  teller(gradedMail, (tx, notices, { locale }) =>
    readTaken(tx, notices, (_notice, { status, title, score }) =>
      status === "Completed"
        ? { title, score: score === null ? null : formatPercent(locale, score) }
        : undefined,
    ),
  ),
  teller(retakeMail, (tx, notices, { locale }) =>
    readTaken(tx, notices, (notice, { status, title, pass_mark }) => {
      if (status !== "Incomplete" || pass_mark === null) return undefined;
      const score = formatPercent(locale, factNumber(notice, "score"));
      return { title, score, pass_mark: formatPercent(locale, pass_mark) };
    }),
  ),
];

async function readTaken<Facts>(
  tx: Tx,
  notices: readonly Notice[],
  toFacts: (notice: Notice, taken: Taken) => Facts | undefined,
): Promise<Known<Facts>[]> {
  const taken = new Map((await selectTaken(tx, notices)).map((row) => [row.key, row]));
  return notices.flatMap((notice) => {
    const row = taken.get(notice.key);
    const facts = row && toFacts(notice, row);
    if (row === undefined || facts === undefined) return [];
    const { assignment_id, lesson_id } = row;
    const url = `${tx.company.base_url}/assignments/${assignment_id}`;
    return [{ key: notice.key, facts, url, about: `${assignment_id}/${lesson_id}` }];
  });
}

/** What the notices are of, as long as neither the lesson nor what it is assigned in is archived. */
async function selectTaken(tx: Tx, notices: readonly Notice[]): Promise<Taken[]> {
  const company_id = tx.company.id;
  const keys = notices.map(({ key }) => key);
  const ids = notices.map((notice) => factNumber(notice, "assignment_id"));
  // A notice of an assignment's event names no lesson: it is the one that is assigned.
  const lessons = notices.map(({ facts: { lesson_id } }) =>
    typeof lesson_id === "number" ? lesson_id : null,
  );
  const { rows } = await sql<Taken>`
    select given.key, given.assignment_id, lesson.id as lesson_id, lesson.title,
      coalesce(progress.status, assignment.status) as status,
      case when given.lesson_id is null then assignment.score else progress.score end as score,
      nullif(lesson.retake_score, 0) as pass_mark
    from unnest(${keys}::text[], ${ids}::bigint[], ${lessons}::bigint[]) as given (key, assignment_id, lesson_id)
    join assignments assignment on assignment.company_id = ${company_id} and assignment.id = given.assignment_id
    left join lesson_progress progress on progress.company_id = ${company_id}
      and progress.assignment_id = assignment.id and progress.lesson_id = given.lesson_id
    join lessons lesson on lesson.company_id = ${company_id} and lesson.archived_at is null
      and (lesson.id = progress.lesson_id
        or given.lesson_id is null and assignment.assignable_type = 'Lesson' and lesson.id = assignment.assignable_id)
    left join paths path on path.company_id = ${company_id} and assignment.assignable_type = 'LearningPaths::Path'
      and path.id = assignment.assignable_id and path.archived_at is null
    left join courses course on course.company_id = ${company_id} and assignment.assignable_type = 'Course'
      and course.id = assignment.assignable_id and course.archived_at is null
    where given.lesson_id is null or path.id is not null or course.id is not null`.execute(tx.sql);
  return rows;
}
