import type { LearnerQuestion } from "../lessons/content/learner-schema.ts";
import type { LessonQuestion } from "../lessons/content/question-schema.ts";

/**
 * A right answer to a question, in the ids that its learner sees, found by the texts that its author wrote.
 * @returns undefined for what asks for a file.
 */
export function rightAnswer(written: LessonQuestion, shown: LearnerQuestion): object | undefined {
  switch (written.type) {
    case "multiple_choice":
      return {
        choices: written.choices
          .filter(({ correct }) => correct)
          .map(({ text }) => idOf(shown.choices, text)),
      };
    case "poll":
      return { choices: shown.choices?.slice(0, 1).map(({ id }) => id) };
    case "true_false":
      return { value: written.correct };
    case "match":
      return {
        pairs: written.pairs.map(({ left, right }) => ({
          left: idOf(shown.left, left),
          right: idOf(shown.right, right),
        })),
      };
    case "order":
      return { items: written.items.map(({ text }) => idOf(shown.items, text)) };
    case "fill_blank":
      return {
        blanks: written.blanks.map(({ answers }, index) => ({
          id: shown.blanks?.[index]?.id ?? "",
          text: answers[0] ?? "",
        })),
      };
    case "free_response":
      return written.answer_type === "text" ? { text: FREE_TEXT } : undefined;
    default:
      return undefined;
  }
}

const FREE_TEXT =
  "The guest list of the summer party: it was for the kitchen, three of us could see it, and it is deleted in September.";

function idOf(options: readonly { id: string; text: string }[] = [], text: string): string {
  return options.find((option) => option.text === text)?.id ?? "";
}
