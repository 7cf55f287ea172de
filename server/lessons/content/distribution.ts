import type { LessonAnswer } from "./answer-schema.ts";
import { isRightText } from "./marks.ts";
import type { LessonQuestion } from "./question-schema.ts";

/** One of the ways to answer a question, as a report counts them. */
export interface AnswerOption {
  readonly key: string;
  readonly label: string;
  /** Null where nothing is right or wrong. */
  readonly correct: boolean | null;
}

/**
 * The ways to answer a question, for a report that counts how often each was taken: its choices; or, of pairs, places and
 * blanks, each rightly and wrongly. None for what people write or record.
 */
export function answerOptions(question: LessonQuestion): AnswerOption[] {
  switch (question.type) {
    case "multiple_choice":
      return question.choices.map(({ id, text, correct }) => ({ key: id, label: text, correct }));
    case "poll":
      return question.choices.map(({ id, text }) => ({ key: id, label: text, correct: null }));
    case "true_false":
      return [true, false].map((value) => ({
        key: String(value),
        label: String(value),
        correct: value === question.correct,
      }));
    case "match":
      return question.pairs.flatMap(({ id, left, right }) => rightAndWrong(id, `${left} → ${right}`));
    case "order":
      return question.items.flatMap(({ id, text }, index) => rightAndWrong(id, `${index + 1}. ${text}`));
    case "fill_blank":
      return question.blanks.flatMap(({ id, answers }) => rightAndWrong(id, answers.join(" | ")));
    default:
      return [];
  }
}

function rightAndWrong(id: string, label: string): AnswerOption[] {
  return [true, false].map((correct) => ({ key: partKey(id, correct), label, correct }));
}

function partKey(id: string, isRight: boolean): string {
  return `${id}:${isRight ? "right" : "wrong"}`;
}

/** The keys of the options that one stored answer took. */
export function answerKeys(question: LessonQuestion, answer: LessonAnswer): string[] {
  if ("choices" in answer) return answer.choices;
  if ("value" in answer) return [String(answer.value)];
  if ("pairs" in answer && question.type === "match") {
    const rights = new Map(question.pairs.map(({ id, right }) => [id, right]));
    return answer.pairs.map(({ left, right }) => partKey(left, rights.get(left) === rights.get(right)));
  }
  if ("items" in answer && question.type === "order") {
    const texts = new Map(question.items.map(({ id, text }) => [id, text]));
    return question.items.map(({ id, text }, index) =>
      partKey(id, texts.get(answer.items[index] ?? "") === text),
    );
  }
  if ("blanks" in answer && question.type === "fill_blank") {
    return question.blanks.flatMap((blank) => {
      const filled = answer.blanks.find(({ id }) => id === blank.id);
      return filled === undefined ? [] : [partKey(blank.id, isRightText(blank, filled.text))];
    });
  }
  return [];
}
