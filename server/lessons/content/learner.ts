import { renameBlanks } from "./blanks.ts";
import { toLearnerAnswer } from "./answers.ts";
import type { LessonAnswer } from "./answer-schema.ts";
import { keyOf, type Side } from "./keys.ts";
import type { LearnerDocument, LearnerQuestion, QuestionSolution } from "./learner-schema.ts";
import type { FillBlankQuestion, LessonQuestion, MatchQuestion } from "./question-schema.ts";
import { isQuestion } from "./questions.ts";
import type { LessonDocument } from "./schema.ts";

/** Whose lesson it is. */
export interface Attempt {
  /** A secret text of the attempt, which nobody can guess: what is shuffled depends on it, and on nothing else. */
  readonly seed: string;
  /** The ids of the questions that are answered for good: their right answers and feedback are told. */
  readonly answered: ReadonlySet<string>;
}

/** A lesson as its learner may see it: nothing in it tells a right answer before the question is answered for good. */
export function toLearnerDocument(document: LessonDocument, attempt: Attempt): LearnerDocument {
  return {
    sections: document.sections.map((section) => ({
      ...section,
      pages: section.pages.map((page) => ({
        ...page,
        blocks: page.blocks.map((block) => (isQuestion(block) ? toLearnerQuestion(block, attempt) : block)),
      })),
    })),
  };
}

/** A question as its learner may see it. */
export function toLearnerQuestion(question: LessonQuestion, { seed, answered }: Attempt): LearnerQuestion {
  const { id, type, prompt } = question;
  return {
    id,
    type,
    prompt,
    weight: "weight" in question ? question.weight : 0,
    hints: "hints" in question ? question.hints : [],
    ...("partial_credit" in question ? { partial_credit: question.partial_credit } : {}),
    ...askParts(question, seed),
    ...(answered.has(id) ? { solution: solve(question, seed) } : {}),
  };
}

function askParts(question: LessonQuestion, seed: string): Partial<LearnerQuestion> {
  switch (question.type) {
    case "multiple_choice":
    case "poll": {
      const choices = listOptions(question, seed, { side: "item", options: question.choices });
      return { multiple: question.multiple, choices: question.shuffle ? sortByKey(choices) : choices };
    }
    case "true_false":
      return {};
    case "match":
      return askPairs(question, seed);
    case "order":
      return { items: sortByKey(listOptions(question, seed, { side: "item", options: question.items })) };
    case "fill_blank":
      return askBlanks(question, seed);
    case "free_response": {
      const { answer_type, min_length, max_length, rubric } = question;
      return { answer_type, min_length, max_length, rubric };
    }
    case "practice_recording": {
      const { media, max_seconds, rubric } = question;
      return { media, max_seconds, rubric };
    }
  }
}

interface Option {
  readonly id: string;
  readonly text: string;
}

function listOptions(
  question: LessonQuestion,
  seed: string,
  { side, options }: { side: Side; options: readonly Option[] },
): Option[] {
  return options.map(({ id, text }) => ({ id: keyOf(seed, question, { id, side }), text }));
}

function sortByKey(options: readonly Option[]): Option[] {
  return options.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function askPairs(question: MatchQuestion, seed: string): Partial<LearnerQuestion> {
  const lefts = question.pairs.map(({ id, left }) => ({ id, text: left }));
  const rights = question.pairs.map(({ id, right }) => ({ id, text: right }));
  const left = listOptions(question, seed, { side: "left", options: lefts });
  const right = listOptions(question, seed, { side: "right", options: rights });
  return { left: question.shuffle ? sortByKey(left) : left, right: sortByKey(right) };
}

function askBlanks(question: FillBlankQuestion, seed: string): Partial<LearnerQuestion> {
  const rename = (id: string) => keyOf(seed, question, { id, side: "item" });
  return {
    prompt: renameBlanks(question.prompt, rename),
    blanks: question.blanks.map(({ id }) => ({ id: rename(id) })),
  };
}

function solve(question: LessonQuestion, seed: string): QuestionSolution {
  const answer = findRightAnswer(question);
  const rename = (id: string) => keyOf(seed, question, { id, side: "item" });
  return {
    ...(answer === null ? {} : { answer: toLearnerAnswer(question, answer, seed) }),
    ...("feedback" in question ? { feedback: question.feedback } : {}),
    ...(question.type === "multiple_choice"
      ? {
          choices: question.choices.map(({ id, correct, feedback }) => ({
            id: rename(id),
            correct,
            feedback,
          })),
        }
      : {}),
    ...(question.type === "fill_blank"
      ? { blanks: question.blanks.map(({ id, answers }) => ({ id: rename(id), answers })) }
      : {}),
  };
}

/** An answer that is right, where one is. */
export function findRightAnswer(question: LessonQuestion): LessonAnswer | null {
  switch (question.type) {
    case "multiple_choice":
      return { choices: question.choices.filter(({ correct }) => correct).map(({ id }) => id) };
    case "true_false":
      return { value: question.correct };
    case "match":
      return { pairs: question.pairs.map(({ id }) => ({ left: id, right: id })) };
    case "order":
      return { items: question.items.map(({ id }) => id) };
    case "fill_blank":
      return { blanks: question.blanks.map(({ id, answers: [text = ""] }) => ({ id, text })) };
    default:
      return null;
  }
}
