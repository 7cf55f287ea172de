import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import { prepare } from "../db/prepare.ts";
import { checkFiles, setFileReferences } from "../files/references.ts";
import { conflict, notFound, unprocessable, invalid } from "../http/problem.ts";
import type { LessonAnswer } from "../lessons/content/answer-schema.ts";
import { answerFileId, listMissing, readAnswer, toLearnerAnswer } from "../lessons/content/answers.ts";
import { toLearnerQuestion } from "../lessons/content/learner.ts";
import { markAnswer } from "../lessons/content/marks.ts";
import type { LessonQuestion } from "../lessons/content/question-schema.ts";
import { utcTime } from "../time.ts";
import { type AttemptRow, lockAttempt, requireOwn } from "./attempts.ts";
import { toPoints } from "./marking.ts";
import type { CheckedAnswer, SavedAnswer } from "./v2-schema.ts";
import { getVersion } from "./versions.ts";

/** An answer of an attempt, by its address. */
export interface Asked {
  readonly attempt_id: number;
  readonly question_id: string;
}

export interface Given {
  readonly answer: unknown;
  /** The revision that the learner's window has seen; 0 for none. */
  readonly revision?: number;
}

/**
 * Saves an answer as it is given. Nothing but the attempt's own rows is locked: a whole class saves at once. The last
 * writer wins; where that was not the one whom this window has seen, the answer tells what was replaced.
 * @throws Problem 404, 409 when the lesson is finished or the question answered for good, 422
 */
export async function saveAnswer(tx: WriteTx, asked: Asked, given: Given): Promise<SavedAnswer> {
  const { attempt, question } = await openQuestion(tx, asked);
  const answer = readAnswer(question, given.answer, { seed: attempt.seed });
  await checkFile(tx, attempt, answer);
  const key = { company_id: tx.company.id, ...asked };
  const [[before], [saved]] = await Promise.all([
    selectBefore(tx, key),
    upsert(tx, { ...key, answer: JSON.stringify(answer), saved_at: tx.now.toISOString() }),
  ]);
  if (saved === undefined)
    throw conflict("This question is answered for good: its right answer has been shown");
  if (answerFileId(answer) !== null || (before !== undefined && answerFileId(before.answer) !== null)) {
    await keepFiles(tx, attempt.id);
  }
  const isSeen = given.revision === undefined || given.revision === (before?.revision ?? 0);
  return {
    question_id: asked.question_id,
    revision: saved.revision,
    saved_at: utcTime(saved.saved_at),
    ...(isSeen || before === undefined
      ? {}
      : {
          replaced: {
            answer: toLearnerAnswer(question, before.answer, attempt.seed),
            revision: before.revision,
            saved_at: utcTime(before.saved_at),
          },
        }),
  };
}

/**
 * Makes an answer final, marks it and tells what is right.
 * @throws Problem 404; 409 when the lesson is finished, or a person will grade it; 422 when the answer is not complete.
 */
export async function checkAnswer(tx: WriteTx, asked: Asked): Promise<CheckedAnswer> {
  const { attempt, question } = await openQuestion(tx, asked);
  if ("rubric" in question)
    throw conflict("A person grades this question: its answer can be changed until you finish");
  if (question.type === "poll")
    throw conflict("A poll has no right answer: yours can be changed until you finish");
  const [before] = await selectBefore(tx, { company_id: tx.company.id, ...asked });
  if (before === undefined) throw unprocessable("This question is not answered yet: save an answer first");
  const missing = listMissing(question, before.answer);
  if (missing.length > 0) throw invalid(...missing);
  const mark = markAnswer(question, before.answer);
  await tx.sql
    .updateTable("attempt_answers")
    .set({ is_final: true, points: toPoints(mark) })
    .where("company_id", "=", tx.company.id)
    .where("attempt_id", "=", asked.attempt_id)
    .where("question_id", "=", asked.question_id)
    .execute();
  return {
    question_id: asked.question_id,
    revision: before.revision,
    correct: mark.correct,
    points: mark.points,
    question: toLearnerQuestion(question, { seed: attempt.seed, answered: new Set([question.id]) }),
  };
}

/** The learner's own open attempt, locked, and its question. */
async function openQuestion(
  tx: WriteTx,
  asked: Asked,
): Promise<{ attempt: AttemptRow; question: LessonQuestion }> {
  const attempt = await lockAttempt(tx, asked.attempt_id);
  requireOwn(tx, attempt);
  const { questions } = await getVersion(tx, attempt);
  const question = questions.get(asked.question_id);
  if (question === undefined) throw notFound("Question");
  if (attempt.status !== "open")
    throw conflict("This attempt is finished: its answers can't be changed any more");
  return { attempt, question };
}

interface Before {
  readonly answer: LessonAnswer;
  readonly revision: number;
  readonly saved_at: string;
}

interface Key extends Asked {
  readonly company_id: number;
}

const selectBefore = prepare<Key, Before>(
  (_db, place) => sql<Before>`
    select answer, revision, saved_at
    from attempt_answers
    where company_id = ${place("company_id")} and attempt_id = ${place("attempt_id")}
      and question_id = ${place("question_id")}`,
);

// A clock that is set back does not make an answer older than the one before it.
const upsert = prepare<Key & { answer: string; saved_at: string }, { revision: number; saved_at: string }>(
  (_db, place) => sql`
    insert into attempt_answers as given
      (company_id, attempt_id, question_id, answer, revision, is_final, saved_at)
    values (${place("company_id")}, ${place("attempt_id")}, ${place("question_id")}, ${place("answer")}::jsonb,
      1, false, ${place("saved_at")}::timestamptz)
    on conflict (company_id, attempt_id, question_id) do update
    set answer = excluded.answer, revision = given.revision + 1, saved_at = greatest(given.saved_at, excluded.saved_at)
    where not given.is_final
    returning revision, saved_at`,
);

/** A learner answers with files of their own. */
async function checkFile(tx: WriteTx, { id }: AttemptRow, answer: LessonAnswer): Promise<void> {
  const file_id = answerFileId(answer);
  if (file_id === null) return;
  await checkFiles(tx, { resource_type: "attempt", resource_id: id }, [
    { id: file_id, field: "answer.file_id" },
  ]);
}

/** Says which files the answers of an attempt show, so that they are kept. */
async function keepFiles(tx: WriteTx, attempt_id: number): Promise<void> {
  const { rows } = await sql<{ file_id: number }>`
    select (answer ->> 'file_id')::bigint as file_id
    from attempt_answers
    where company_id = ${tx.company.id} and attempt_id = ${attempt_id} and answer ? 'file_id'`.execute(
    tx.sql,
  );
  await setFileReferences(
    tx,
    { resource_type: "attempt", resource_id: attempt_id, version: 0 },
    rows.map(({ file_id }) => file_id),
  );
}
