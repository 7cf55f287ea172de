import { type FieldError, invalid } from "../../http/problem.ts";
import { gradeShapes, type LessonAnswer } from "./answer-schema.ts";
import { checkBounds } from "./bounds.ts";
import { below } from "./fields.ts";
import type {
  FillBlankQuestion,
  LessonQuestion,
  MatchQuestion,
  MultipleChoiceQuestion,
  OrderQuestion,
} from "./question-schema.ts";
import { isScored, listQuestions, needsGrader } from "./questions.ts";
import type { LessonDocument } from "./schema.ts";
import { compileQuickCheck, listErrors } from "./validate.ts";

/** What an answer is worth: 2 of 3 is kept as whole numbers, as a third has no exact one. */
export interface Mark {
  /** Null while a grader is awaited. `possible` is 0 where nothing can be earned. */
  readonly points: { readonly earned: number; readonly possible: number } | null;
  /** Null where an answer is neither right nor wrong, as in a poll, or where a person decides. */
  readonly correct: boolean | null;
}

/** Marks an answer; one that is missing earns nothing, also where a grader would mark it. */
export function markAnswer(question: LessonQuestion, answer: LessonAnswer | null): Mark {
  if (question.type === "poll") return { points: { earned: 0, possible: 0 }, correct: null };
  if (question.type === "free_response" || question.type === "practice_recording") {
    if (answer === null) return { points: { earned: 0, possible: 1 }, correct: null };
    return { points: needsGrader(question) ? null : { earned: 0, possible: 0 }, correct: null };
  }
  const { earned, possible } = answer === null ? { earned: 0, possible: 1 } : countPoints(question, answer);
  const correct = earned === possible;
  const isShared = "partial_credit" in question && question.partial_credit;
  return { points: isShared ? { earned, possible } : { earned: correct ? 1 : 0, possible: 1 }, correct };
}

type MarkedQuestion = Exclude<
  LessonQuestion,
  { type: "poll" } | { type: "free_response" } | { type: "practice_recording" }
>;
type Points = NonNullable<Mark["points"]>;

function countPoints(question: MarkedQuestion, answer: LessonAnswer): Points {
  switch (question.type) {
    case "multiple_choice":
      return countChoices(question, "choices" in answer ? answer.choices : []);
    case "true_false":
      return { earned: "value" in answer && answer.value === question.correct ? 1 : 0, possible: 1 };
    case "match":
      return countPairs(question, "pairs" in answer ? answer.pairs : []);
    case "order":
      return countPlaces(question, "items" in answer ? answer.items : []);
    case "fill_blank":
      return countBlanks(question, "blanks" in answer ? answer.blanks : []);
  }
}

/** A wrong choice takes a right one away, so that choosing everything earns nothing by itself. */
function countChoices({ choices }: MultipleChoiceQuestion, chosen: readonly string[]): Points {
  const right = choices.filter(({ correct }) => correct).length;
  const earned = choices
    .filter(({ id }) => chosen.includes(id))
    .reduce((sum, { correct }) => sum + (correct ? 1 : -1), 0);
  return { earned: Math.max(0, earned), possible: right };
}

/** Two pairs may have the same right side, which no learner can tell apart: so texts are compared, not ids. */
function countPairs({ pairs }: MatchQuestion, matched: readonly { left: string; right: string }[]): Points {
  const rights = new Map(pairs.map(({ id, right }) => [id, right]));
  const earned = pairs.filter(({ id, right }) => {
    const match = matched.find(({ left }) => left === id);
    return match !== undefined && rights.get(match.right) === right;
  }).length;
  return { earned, possible: pairs.length };
}

function countPlaces({ items }: OrderQuestion, placed: readonly string[]): Points {
  const texts = new Map(items.map(({ id, text }) => [id, text]));
  const earned = items.filter(({ text }, index) => texts.get(placed[index] ?? "") === text).length;
  return { earned, possible: items.length };
}

function countBlanks({ blanks }: FillBlankQuestion, filled: readonly { id: string; text: string }[]): Points {
  const earned = blanks.filter((blank) => {
    const text = filled.find(({ id }) => id === blank.id)?.text;
    return text !== undefined && isRightText(blank, text);
  }).length;
  return { earned, possible: blanks.length };
}

/** Whether a text fills a blank rightly. */
export function isRightText(
  { answers, case_sensitive }: FillBlankQuestion["blanks"][number],
  text: string,
): boolean {
  const plain = case_sensitive ? toPlain : (each: string) => toPlain(each).toLowerCase();
  return answers.some((answer) => plain(answer) === plain(text));
}

/** Spaces and the apostrophe of a telephone's keyboard are no mistakes. */
function toPlain(text: string): string {
  return text.normalize("NFC").replaceAll(/\s+/gu, " ").replaceAll("’", "'").trim();
}

const checkPoints = compileQuickCheck<{ points: { id: string; points: number }[] }>(gradeShapes.points);
const checkPercent = compileQuickCheck<{ percent: number }>(gradeShapes.percent);

/**
 * Reads what a grader gives: points for every row of the rubric, or a percentage where there is no rubric.
 *
 * @throws 400 with the field that is wrong, such as `grade.points[1].points`.
 */
export function readGrade(question: LessonQuestion, value: unknown, at = "grade"): Mark {
  const rubric = "rubric" in question ? question.rubric : [];
  return below(at, () => {
    checkBounds(value);
    if (rubric.length === 0) {
      if (!checkPercent(value)) throw invalid(...listErrors(checkPercent, ""));
      return { points: { earned: value.percent, possible: 100 }, correct: null };
    }
    if (!checkPoints(value)) throw invalid(...listErrors(checkPoints, ""));
    const errors = rubric.flatMap((row) => checkRow(row, value.points));
    if (errors.length === 0 && value.points.length > rubric.length) {
      errors.push({ field: "points", message: "has a row that the rubric lacks: remove it" });
    }
    if (errors.length > 0) throw invalid(...errors);
    const earned = value.points.reduce((sum, { points }) => sum + points, 0);
    return {
      points: { earned, possible: rubric.reduce((sum, { points }) => sum + points, 0) },
      correct: null,
    };
  });
}

function checkRow(
  row: { id: string; title: string; points: number },
  given: readonly { id: string; points: number }[],
): FieldError[] {
  const indexes = given.flatMap(({ id }, index) => (id === row.id ? [index] : []));
  const [index] = indexes;
  if (index === undefined || indexes.length > 1) {
    return [{ field: "points", message: `must have the row ${row.id} (${row.title}) once` }];
  }
  const isTooMuch = (given[index]?.points ?? 0) > row.points;
  return isTooMuch ? [{ field: `points[${index}].points`, message: `must be at most ${row.points}` }] : [];
}

/**
 * The score of a lesson in whole per cent, half up: each question by its weight.
 *
 * @param marks by the id of the question; one that has none earned nothing.
 * @returns null where the lesson has no scored question; "pending" while a grader is awaited.
 */
export function scoreLesson(
  document: LessonDocument,
  marks: ReadonlyMap<string, Mark>,
): number | null | "pending" {
  const questions = listQuestions(document).filter((question) => isScored(question));
  const total = questions.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return null;
  // Sums of weight × earned for each denominator; their common one is made at the end.
  const sums = new Map<number, bigint>();
  for (const { id, weight } of questions) {
    const mark = marks.get(id);
    if (mark === undefined) continue;
    if (mark.points === null) return "pending";
    const { earned, possible } = mark.points;
    if (possible > 0) sums.set(possible, (sums.get(possible) ?? 0n) + BigInt(weight * earned));
  }
  const common = [...sums.keys()].reduce((product, possible) => leastMultiple(product, possible), 1n);
  const earned = [...sums].reduce((sum, [possible, part]) => sum + part * (common / BigInt(possible)), 0n);
  const whole = common * BigInt(total);
  return Number((200n * earned + whole) / (2n * whole));
}

function leastMultiple(a: bigint, b: number): bigint {
  const other = BigInt(b);
  return (a / greatestDivisor(a, other)) * other;
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestDivisor(b, a % b);
}
