import type { FieldError } from "../../http/problem.ts";
import { listBlanks } from "./blanks.ts";
import { EMBED_HOSTS, isEmbeddable } from "./embed.ts";
import type { FillBlankQuestion, LessonQuestion, MultipleChoiceQuestion } from "./question-schema.ts";
import { checkRichText, isEmptyText } from "./rich-text.ts";
import type { LessonBlock } from "./schema.ts";

/** Gives what is wrong with a block that its schema lets through. */
export function checkBlock(block: LessonBlock, field: string): FieldError[] {
  if ("prompt" in block) return checkQuestion(block, field);
  if ("content" in block) return checkRichText(block.content, `${field}.content`);
  if (block.type === "embed" && !isEmbeddable(block.url)) {
    return [
      {
        field: `${field}.url`,
        message: `must be an https address of one of ${EMBED_HOSTS.join(", ")}, percent-encoded`,
      },
    ];
  }
  return [];
}

function checkQuestion(question: LessonQuestion, field: string): FieldError[] {
  const errors = checkRichText(question.prompt, `${field}.prompt`);
  if (errors.length === 0 && isEmptyText(question.prompt)) {
    errors.push({ field: `${field}.prompt`, message: "is empty: write the question" });
  }
  return [...errors, ...checkItems(question, field), ...checkKind(question, field)];
}

function checkItems(question: LessonQuestion, field: string): FieldError[] {
  const { key, items } = listItems(question);
  const seen = new Set<string>();
  return items.flatMap(({ id }, index) => {
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [
      {
        field: `${field}.${key}[${index}].id`,
        message: `is ${id}, as another's of this question: give it its own`,
      },
    ];
  });
}

function listItems(question: LessonQuestion): { key: string; items: readonly { id: string }[] } {
  if ("choices" in question) return { key: "choices", items: question.choices };
  if ("pairs" in question) return { key: "pairs", items: question.pairs };
  if ("items" in question) return { key: "items", items: question.items };
  if ("blanks" in question) return { key: "blanks", items: question.blanks };
  if ("rubric" in question) return { key: "rubric", items: question.rubric };
  return { key: "", items: [] };
}

function checkKind(question: LessonQuestion, field: string): FieldError[] {
  switch (question.type) {
    case "multiple_choice":
      return checkChoices(question, field);
    case "fill_blank":
      return checkBlanks(question, field);
    case "free_response":
      return question.min_length > question.max_length
        ? [{ field: `${field}.max_length`, message: "must be at least min_length" }]
        : [];
    default:
      return [];
  }
}

function checkChoices({ choices, multiple }: MultipleChoiceQuestion, field: string): FieldError[] {
  const right = choices.filter(({ correct }) => correct).length;
  if (right === 0) return [{ field: `${field}.choices`, message: "has no right choice: mark at least one" }];
  if (right === 1 || multiple) return [];
  return [
    { field: `${field}.choices`, message: "has several right choices: mark one, or set multiple to true" },
  ];
}

function checkBlanks({ prompt, blanks }: FillBlankQuestion, field: string): FieldError[] {
  const standing = listBlanks(prompt);
  const ids = new Set(blanks.map(({ id }) => id));
  const unknown = standing.find((id) => !ids.has(id));
  const errors: FieldError[] = [];
  if (unknown !== undefined) {
    errors.push({
      field: `${field}.prompt`,
      message: `has {{${unknown}}}, which is no blank: add it to blanks`,
    });
  }
  for (const [index, { id }] of blanks.entries()) {
    const times = standing.filter((each) => each === id).length;
    if (times === 1) continue;
    errors.push({
      field: `${field}.blanks[${index}]`,
      message: `must stand in the prompt's text once, as {{${id}}}, and not in code; it is there ${times} times`,
    });
  }
  return errors;
}
