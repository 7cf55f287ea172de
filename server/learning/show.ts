import type { Tx } from "../db/db.ts";
import type { Depot } from "../files/depot.ts";
import { describeFiles } from "../files/files.ts";
import { answerFileId, toLearnerAnswer } from "../lessons/content/answers.ts";
import { listFileIds } from "../lessons/content/files.ts";
import { toLearnerDocument } from "../lessons/content/learner.ts";
import type { LessonQuestion } from "../lessons/content/question-schema.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import type { AttemptRow } from "./attempts.ts";
import { type AnswerRow, listAnswers, markOf } from "./marking.ts";
import type { GivenAnswer, LessonAttempt, TakenLesson } from "./v2-schema.ts";
import { getVersion } from "./versions.ts";

/** An attempt as lists show it. */
export function toAttempt(row: AttemptRow): LessonAttempt {
  return {
    id: row.id,
    resource_type: "attempt",
    user_id: row.user_id,
    lesson_id: row.lesson_id,
    title: row.title,
    version: row.version,
    assignment_id: row.assignment_id,
    status: row.status,
    score: row.score,
    page_id: row.page_id,
    seconds_spent: row.seconds_spent,
    started_at: utcTime(row.started_at),
    finished_at: utcTimeOrNull(row.finished_at),
    graded_at: utcTimeOrNull(row.graded_at),
  };
}

/** What a reader of an attempt is told: everything, as who reports on it is, or what its learner may know. */
export type Reader = "reporter" | "learner";

/**
 * An attempt with its lesson and answers. To its learner it tells right answers only of what is answered for good: each
 * question that was checked, and all of them once the lesson is completed. Who has failed takes the same questions again.
 */
export async function showAttempt(
  tx: Tx,
  row: AttemptRow,
  { files, reader }: { readonly files: Depot; readonly reader: Reader },
): Promise<TakenLesson> {
  const [version, answers] = await Promise.all([getVersion(tx, row), listAnswers(tx, row.id)]);
  const isTold = reader === "reporter" || row.status === "completed";
  const answered = new Set(
    isTold
      ? version.questions.keys()
      : answers.filter(({ is_final }) => is_final).map(({ question_id }) => question_id),
  );
  const shown = answers.flatMap((answer) => {
    const question = version.questions.get(answer.question_id);
    return question === undefined
      ? []
      : [toGivenAnswer(question, answer, { row, isTold: isTold || row.status !== "open" })];
  });
  const file_ids = [
    ...listFileIds(version.document),
    ...answers.flatMap(({ answer }) => answerFileId(answer) ?? []),
  ];
  const described = file_ids.length === 0 ? undefined : await describeFiles(tx, files, file_ids);
  return {
    ...toAttempt(row),
    language: row.language,
    document: toLearnerDocument(version.document, { seed: row.seed, answered }),
    answers: shown,
    files: [...(described?.values() ?? [])],
  };
}

/** An answer. While the lesson is being taken, only what was checked shows whether it is right. */
function toGivenAnswer(
  question: LessonQuestion,
  answer: AnswerRow,
  { row, isTold }: { readonly row: AttemptRow; readonly isTold: boolean },
): GivenAnswer {
  const mark = isTold || answer.is_final ? markOf(question, answer) : { correct: null, points: null };
  return {
    question_id: answer.question_id,
    answer: toLearnerAnswer(question, answer.answer, row.seed),
    revision: answer.revision,
    is_final: answer.is_final || row.status !== "open",
    saved_at: utcTime(answer.saved_at),
    correct: mark.correct,
    points: mark.points,
    comment: answer.comment,
    graded_by: answer.graded_by,
    graded_at: utcTimeOrNull(answer.graded_at),
  };
}
