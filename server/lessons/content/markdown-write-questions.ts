import type { BlockContent, DefinitionContent, ListItem, PhrasingContent } from "mdast";
import { BLANK } from "./blanks.ts";
import { joinAnswers } from "./markdown-blanks.ts";
import { QUESTION_NAMES } from "./markdown-questions.ts";
import type { ContainerDirective, LeafDirective } from "./markdown-syntax.ts";
import { plain, writeRichText, type WriteText } from "./markdown-write-text.ts";
import type { FillBlankQuestion, LessonQuestion } from "./question-schema.ts";
import { itemId } from "./slug.ts";

/** Attributes of a directive. What is false, empty or missing is not written; true is written as the name alone. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A block of one line. */
export function leaf(name: string, attributes: Attributes, label: string): LeafDirective {
  return { type: "leafDirective", name, attributes: writeAttributes(attributes), children: plain(label) };
}

/** A block with content between two lines of colons. */
export function container(
  name: string,
  attributes: Attributes,
  children: (BlockContent | DefinitionContent)[],
): ContainerDirective {
  return { type: "containerDirective", name, attributes: writeAttributes(attributes), children };
}

function writeAttributes(attributes: Attributes): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(([, value]) => value !== undefined && value !== false && value !== "")
      .map(([key, value]) => [key, value === true ? "" : String(value)]),
  );
}

/** A question as a container: its prompt, its list, then hints and feedback. */
export function writeQuestion(question: LessonQuestion): ContainerDirective {
  const name = names.get(question.type) ?? question.type;
  const writeText = question.type === "fill_blank" ? writeBlanks(question) : plain;
  return container(name, { id: question.id, ...writeSettings(question) }, [
    ...writeRichText(question.prompt, writeText),
    ...writeList(question),
    ...writeNotes(question),
  ]);
}

const names = new Map([...QUESTION_NAMES].map(([name, type]) => [type, name]));

function writeSettings(question: LessonQuestion): Attributes {
  const weight = "weight" in question && question.weight !== 1 ? question.weight : undefined;
  switch (question.type) {
    case "multiple_choice": {
      const { multiple, shuffle } = question;
      return { weight, multiple, shuffle, "partial-credit": question.partial_credit };
    }
    case "poll":
      return { multiple: question.multiple, shuffle: question.shuffle };
    case "true_false":
      return { weight, answer: String(question.correct) };
    case "match":
      return { weight, shuffle: question.shuffle, "partial-credit": question.partial_credit };
    case "order":
    case "fill_blank":
      return { weight, "partial-credit": question.partial_credit };
    case "free_response": {
      const { answer_type, min_length, max_length } = question;
      return { weight, answer: answer_type, "min-length": min_length, "max-length": max_length };
    }
    case "practice_recording":
      return { weight, media: question.media, "max-seconds": question.max_seconds };
  }
}

function writeList(question: LessonQuestion): BlockContent[] {
  switch (question.type) {
    case "multiple_choice":
      return [list(question.choices.map((choice, index) => writeChoice(choice, index)))];
    case "poll":
      return [list(question.choices.map(({ id, text }, index) => item(nameItem(text, { id, index }))))];
    case "match": {
      const pairs = question.pairs.map(({ id, left, right }, index) =>
        item(nameItem(left, { id, index }), [list([item(right)])]),
      );
      return [list(pairs)];
    }
    case "order": {
      const children = question.items.map(({ id, text }, index) => item(nameItem(text, { id, index })));
      return [{ type: "list", ordered: true, start: 1, spread: false, children }];
    }
    default:
      return [];
  }
}

function list(children: ListItem[]): BlockContent {
  return { type: "list", ordered: false, spread: false, children };
}

function item(text: string, below: BlockContent[] = []): ListItem {
  return {
    type: "listItem",
    spread: false,
    children: [{ type: "paragraph", children: plain(text) }, ...below],
  };
}

interface Choice {
  readonly id: string;
  readonly text: string;
  readonly correct: boolean;
  readonly feedback: string;
}

function writeChoice({ id, text, correct, feedback }: Choice, index: number): ListItem {
  const paragraph: BlockContent = { type: "paragraph", children: plain(feedback) };
  const below: BlockContent[] = feedback === "" ? [] : [{ type: "blockquote", children: [paragraph] }];
  return { ...item(nameItem(text, { id, index }), below), checked: correct };
}

/** An id is written where it is not the one that the place gives; and behind a brace, which could be taken for an id. */
function nameItem(text: string, { id, index }: { id: string; index: number }): string {
  return id === itemId(index) && !text.endsWith("}") ? text : `${text} {#${id}}`;
}

function writeBlanks({ blanks }: FillBlankQuestion): WriteText {
  const byId = new Map(blanks.map((blank) => [blank.id, blank]));
  return (text) => {
    const parts = text.split(BLANK);
    return parts.flatMap((part, index): PhrasingContent[] => {
      const blank = index % 2 === 1 ? byId.get(part) : undefined;
      if (blank === undefined) return plain(part);
      const attributes = writeAttributes({ id: blank.id, "case-sensitive": blank.case_sensitive });
      return [
        { type: "textDirective", name: "blank", attributes, children: plain(joinAnswers(blank.answers)) },
      ];
    });
  };
}

function writeNotes(question: LessonQuestion): LeafDirective[] {
  const rubric = "rubric" in question ? question.rubric : [];
  const hints = "hints" in question ? question.hints : [];
  const feedback = "feedback" in question ? Object.entries(question.feedback) : [];
  return [
    ...rubric.map(({ id, title, points }) => leaf("criterion", { id, points }, title)),
    ...hints.map((hint) => leaf("hint", {}, hint)),
    ...feedback.filter(([, text]) => text !== "").map(([name, text]) => leaf(name, {}, text)),
  ];
}
