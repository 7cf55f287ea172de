import { sql } from "kysely";
import type { Tx, WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import type { LessonAnswer } from "../lessons/content/answer-schema.ts";
import { type Mark, markAnswer, readGrade } from "../lessons/content/marks.ts";
import type { LessonQuestion } from "../lessons/content/question-schema.ts";
import type { Version } from "./versions.ts";

/** An answer as it is stored. */
export interface AnswerRow {
  readonly question_id: string;
  readonly answer: LessonAnswer;
  readonly revision: number;
  readonly is_final: boolean;
  readonly saved_at: string;
  readonly points: number | null;
  /** What a grader gave, in the grader's words. */
  readonly rubric: unknown;
  readonly comment: string | null;
  readonly graded_by: number | null;
  readonly graded_at: string | null;
}

/** The answers of an attempt. */
export function listAnswers(tx: Tx, attempt_id: number): Promise<AnswerRow[]> {
  return selectAnswers(tx, { company_id: tx.company.id, attempt_id });
}

const selectAnswers = prepare<{ company_id: number; attempt_id: number }, AnswerRow>(
  (_db, place) => sql<AnswerRow>`
    select question_id, answer, revision, is_final, saved_at, points, rubric, comment, graded_by, graded_at
    from attempt_answers
    where company_id = ${place("company_id")} and attempt_id = ${place("attempt_id")}
    order by question_id`,
);

/** What an answer earned: the grader's word where there is one, else the machine's. */
export function markOf(question: LessonQuestion, row: AnswerRow | undefined): Mark {
  if (row === undefined || isBlank(row.answer)) return markAnswer(question, null);
  return row.graded_at === null ? markAnswer(question, row.answer) : readGrade(question, row.rubric);
}

/** A text that was taken back: nobody needs to read it. */
function isBlank(answer: LessonAnswer): boolean {
  return "text" in answer && answer.text.trim() === "";
}

/** What every question of a lesson earned, by its id. */
export function markAll({ questions }: Version, answers: readonly AnswerRow[]): Map<string, Mark> {
  const given = new Map(answers.map((row) => [row.question_id, row]));
  return new Map([...questions].map(([id, question]) => [id, markOf(question, given.get(id))]));
}

/** Hundredths of a per cent: finer than any score, for reports. */
const WHOLE_POINTS = 10_000;

/** A mark as the database keeps it beside the answer; null while a grader is awaited. */
export function toPoints({ points }: Mark): number | null {
  if (points === null) return null;
  return points.possible === 0 ? 0 : Math.round((points.earned * WHOLE_POINTS) / points.possible);
}

/** Keeps the marks beside the answers, with one statement. */
export async function keepMarks(
  tx: WriteTx,
  attempt_id: number,
  marks: ReadonlyMap<string, Mark>,
): Promise<void> {
  await updatePoints(tx, {
    company_id: tx.company.id,
    attempt_id,
    question_ids: [...marks.keys()],
    points: [...marks.values()].map(toPoints),
  });
}

interface MarkColumns {
  readonly company_id: number;
  readonly attempt_id: number;
  readonly question_ids: readonly string[];
  readonly points: readonly (number | null)[];
}

const updatePoints = prepare<MarkColumns, object>(
  (_db, place) => sql`
    update attempt_answers set points = marked.points
    from unnest(${place("question_ids")}::text[], ${place("points")}::integer[]) as marked (question_id, points)
    where attempt_answers.company_id = ${place("company_id")}
      and attempt_answers.attempt_id = ${place("attempt_id")}
      and attempt_answers.question_id = marked.question_id`,
);
