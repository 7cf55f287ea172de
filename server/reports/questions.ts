import { sql } from "kysely";
import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import { notFound } from "../http/problem.ts";
import { answerKeys, answerOptions } from "../lessons/content/distribution.ts";
import { listQuestions } from "../lessons/content/questions.ts";
import { readDocument } from "../lessons/content/read.ts";
import type { LessonAnswer } from "../lessons/content/answer-schema.ts";
import type { LessonQuestion } from "../lessons/content/question-schema.ts";
import { plainText } from "../lessons/content/rich-text.ts";
import { allowedPeople } from "./content.ts";
import type { QuestionReport, QuestionReports } from "./schema.ts";
import { isOfPeople, type People, toTenth } from "./summary.ts";

/** How the questions of a version of a lesson were answered in finished attempts. @throws Problem 404 */
export async function reportOnQuestions(
  tx: Tx,
  { lesson_id, version }: { readonly lesson_id: number; readonly version: number | undefined },
  people: People,
): Promise<Static<typeof QuestionReports>> {
  const asked = await allowedPeople(tx, { table: "lessons", id: lesson_id }, people);
  const found = await findVersion(tx, lesson_id, version);
  const place = { lesson_id, version: found.number, people: asked };
  const [answers, attempts] = await Promise.all([countAnswers(tx, place), countAttempts(tx, place)]);
  const byQuestion = Map.groupBy(answers, ({ question_id }) => question_id);
  const questions = listQuestions(readDocument(found.content)).map((question) =>
    toReport(question, byQuestion.get(question.id) ?? []),
  );
  return { lesson_id, version: found.number, attempts, questions };
}

async function findVersion(tx: Tx, lesson_id: number, version: number | undefined) {
  const found = await tx.sql
    .selectFrom("lesson_versions")
    .innerJoin("lessons", (join) =>
      join
        .onRef("lessons.company_id", "=", "lesson_versions.company_id")
        .onRef("lessons.id", "=", "lesson_versions.lesson_id"),
    )
    .select(["lesson_versions.number", "lesson_versions.content"])
    .where("lesson_versions.company_id", "=", tx.company.id)
    .where("lessons.company_id", "=", tx.company.id)
    .where("lesson_versions.lesson_id", "=", lesson_id)
    .where((eb) =>
      version === undefined
        ? eb("lesson_versions.number", "=", eb.ref("lessons.published_version"))
        : // Any number may be asked for, also one that no version's column can hold.
          eb("lesson_versions.number", "=", sql<number>`${version}::bigint`),
    )
    .executeTakeFirst();
  if (found === undefined) throw notFound("Lesson version");
  return found;
}

interface Place {
  readonly lesson_id: number;
  readonly version: number;
  readonly people: People;
}

interface AnswerRow {
  readonly question_id: string;
  readonly answer: LessonAnswer;
  readonly answers: number;
  readonly points: number | null;
  readonly graded: number;
}

/** The same answers counted as one; texts that people wrote, which are all different, are counted as answered alone. */
async function countAnswers(tx: Tx, { lesson_id, version, people }: Place): Promise<AnswerRow[]> {
  const { rows } = await sql<AnswerRow>`
    select question_id, answer, count(*)::integer as answers, sum(points) as points, count(points)::integer as graded
    from (
      select question_id, case when answer ? 'text' or answer ? 'file_id' then '{}'::jsonb else answer end as answer,
        attempt_answers.points
      from attempts
      join attempt_answers on attempt_answers.company_id = ${tx.company.id}
        and attempt_answers.attempt_id = attempts.id
      where attempts.company_id = ${tx.company.id} and attempts.lesson_id = ${lesson_id}
        and attempts.version = ${version} and attempts.status in ('grade_pending', 'completed', 'failed')
        and ${isOfPeople(tx, people, sql.ref<number>("attempts.user_id"))}
    ) given
    group by question_id, answer`.execute(tx.sql);
  return rows;
}

async function countAttempts(tx: Tx, { lesson_id, version, people }: Place): Promise<number> {
  const { rows } = await sql<{ attempts: number }>`
    select count(*)::integer as attempts from attempts
    where company_id = ${tx.company.id} and lesson_id = ${lesson_id} and version = ${version}
      and status in ('grade_pending', 'completed', 'failed')
      and ${isOfPeople(tx, people, sql.ref<number>("attempts.user_id"))}`.execute(tx.sql);
  return rows[0]?.attempts ?? 0;
}

function toReport(question: LessonQuestion, rows: readonly AnswerRow[]): Static<typeof QuestionReport> {
  const counts = new Map<string, number>();
  for (const { answer, answers } of rows) {
    for (const key of answerKeys(question, answer)) counts.set(key, (counts.get(key) ?? 0) + answers);
  }
  const sum = (of: (row: AnswerRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const graded = sum((row) => row.graded);
  return {
    id: question.id,
    type: question.type,
    prompt: plainText(question.prompt),
    answered: sum((row) => row.answers),
    average_points: graded === 0 ? null : toTenth(sum((row) => row.points ?? 0) / graded / 100),
    answers: answerOptions(question).map((option) => ({ ...option, answers: counts.get(option.key) ?? 0 })),
  };
}
