import { type FieldError, invalid } from "../../http/problem.ts";
import { type AnswerKind, answerShapes, type LessonAnswer } from "./answer-schema.ts";
import { checkBounds } from "./bounds.ts";
import { below } from "./fields.ts";
import { keyOf, listIds, type Side } from "./keys.ts";
import type { LessonQuestion } from "./question-schema.ts";
import { compileQuickCheck, listErrors } from "./validate.ts";

const checks = {
  choices: compileQuickCheck<LessonAnswer>(answerShapes.choices),
  value: compileQuickCheck<LessonAnswer>(answerShapes.value),
  pairs: compileQuickCheck<LessonAnswer>(answerShapes.pairs),
  items: compileQuickCheck<LessonAnswer>(answerShapes.items),
  blanks: compileQuickCheck<LessonAnswer>(answerShapes.blanks),
  text: compileQuickCheck<LessonAnswer>(answerShapes.text),
  file_id: compileQuickCheck<LessonAnswer>(answerShapes.file_id),
};

/**
 * Reads a learner's answer, with the ids that the attempt was sent, as it is stored, with the author's ids. It may be
 * half done: answers are saved as they are given.
 *
 * @param options.seed the attempt's secret, as for `toLearnerDocument`.
 * @param options.at the field that the answer came in.
 * @throws 400 with the field that does not fit the question, such as `answer.choices[1]`.
 */
export function readAnswer(
  question: LessonQuestion,
  value: unknown,
  { seed, at = "answer" }: { seed: string; at?: string },
): LessonAnswer {
  const namesOf = (side: Side) =>
    new Map(listIds(question, side).map((id) => [keyOf(seed, question, { id, side }), id]));
  return below(at, () => {
    checkBounds(value);
    const check = checks[kindOf(question)];
    if (!check(value)) throw invalid(...listErrors(check, ""));
    const errors: FieldError[] = [];
    const ids = { item: namesOf("item"), left: namesOf("left"), right: namesOf("right") };
    const answer = rename(value, (id, { side, field }) => {
      const found = ids[side].get(id);
      if (found === undefined) {
        errors.push({ field, message: "is no id of this question: use those that came with it" });
      }
      return found ?? "";
    });
    if (errors.length === 0) errors.push(...findErrors(question, answer));
    if (errors.length > 0) throw invalid(...errors);
    return answer;
  });
}

/** A stored answer as the learner of an attempt knows it. */
export function toLearnerAnswer(question: LessonQuestion, answer: LessonAnswer, seed: string): LessonAnswer {
  return rename(answer, (id, { side }) => keyOf(seed, question, { id, side }));
}

/** The file that an answer consists of, if it is one. */
export function answerFileId(answer: LessonAnswer): number | null {
  return "file_id" in answer ? answer.file_id : null;
}

/** The key that an answer to this question has. */
function kindOf(question: LessonQuestion): AnswerKind {
  switch (question.type) {
    case "multiple_choice":
    case "poll":
      return "choices";
    case "true_false":
      return "value";
    case "match":
      return "pairs";
    case "order":
      return "items";
    case "fill_blank":
      return "blanks";
    case "free_response":
      return question.answer_type === "text" ? "text" : "file_id";
    case "practice_recording":
      return "file_id";
  }
}

type Rename = (id: string, place: { side: Side; field: string }) => string;

function rename(answer: LessonAnswer, name: Rename): LessonAnswer {
  if ("choices" in answer) {
    return {
      choices: answer.choices.map((id, index) => name(id, { side: "item", field: `choices[${index}]` })),
    };
  }
  if ("items" in answer) {
    return { items: answer.items.map((id, index) => name(id, { side: "item", field: `items[${index}]` })) };
  }
  if ("blanks" in answer) {
    const blanks = answer.blanks.map(({ id, text }, index) => ({
      id: name(id, { side: "item", field: `blanks[${index}].id` }),
      text,
    }));
    return { blanks };
  }
  if ("pairs" in answer) {
    const pairs = answer.pairs.map(({ left, right }, index) => ({
      left: name(left, { side: "left", field: `pairs[${index}].left` }),
      right: name(right, { side: "right", field: `pairs[${index}].right` }),
    }));
    return { pairs };
  }
  return answer;
}

function findErrors(question: LessonQuestion, answer: LessonAnswer): FieldError[] {
  if ("choices" in answer && "choices" in question) {
    const isOne = question.multiple || answer.choices.length <= 1;
    return isOne ? [] : [{ field: "choices", message: "can have one choice: this question takes no more" }];
  }
  if ("items" in answer) {
    const missing = listIds(question, "item").length - answer.items.length;
    return missing === 0
      ? []
      : [{ field: "items", message: "must have every item of the question, each once" }];
  }
  if ("blanks" in answer)
    return findTwice(
      answer.blanks.map(({ id }) => id),
      "blanks",
    );
  if ("pairs" in answer) {
    return [
      ...findTwice(
        answer.pairs.map(({ left }) => left),
        "pairs",
      ),
      ...findTwice(
        answer.pairs.map(({ right }) => right),
        "pairs",
      ),
    ];
  }
  if ("text" in answer && "max_length" in question && countCharacters(answer.text) > question.max_length) {
    return [{ field: "text", message: `can have at most ${question.max_length} characters` }];
  }
  return [];
}

function findTwice(ids: readonly string[], field: string): FieldError[] {
  return ids.flatMap((id, index) =>
    ids.indexOf(id) === index
      ? []
      : [{ field: `${field}[${index}]`, message: "names again what is answered already" }],
  );
}

function countCharacters(text: string): number {
  return Array.from(text).length;
}

/**
 * What an answer lacks before it can count for good: every pair and blank, a choice, a text as long as asked for.
 *
 * @param answer null where nothing was answered.
 */
export function listMissing(
  question: LessonQuestion,
  answer: LessonAnswer | null,
  at = "answer",
): FieldError[] {
  if (answer === null) return [{ field: at, message: "is missing: answer the question" }];
  if ("choices" in answer && answer.choices.length === 0) {
    return [{ field: `${at}.choices`, message: "is empty: choose" }];
  }
  if ("pairs" in answer && answer.pairs.length < listIds(question, "left").length) {
    return [{ field: `${at}.pairs`, message: "must match everything on the left" }];
  }
  if ("blanks" in answer) {
    const filled = answer.blanks.filter(({ text }) => text.trim() !== "").length;
    const isFull = filled >= listIds(question, "item").length;
    return isFull ? [] : [{ field: `${at}.blanks`, message: "must fill every blank" }];
  }
  if ("text" in answer && question.type === "free_response") {
    const least = Math.max(1, question.min_length);
    if (countCharacters(answer.text.trim()) < least) {
      return [{ field: `${at}.text`, message: `must have at least ${least} characters` }];
    }
  }
  return [];
}
