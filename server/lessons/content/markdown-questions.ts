import type { List, ListItem, RootContent } from "mdast";
import { readBlankDirectives } from "./markdown-blanks.ts";
import { readRichText } from "./markdown-rich-text.ts";
import { DirectiveAttributes, type MarkdownSource, readLine, splitId } from "./markdown-source.ts";
import type { ContainerDirective, LeafDirective } from "./markdown-syntax.ts";
import type { LessonQuestion } from "./question-schema.ts";
import { itemId, takeId } from "./slug.ts";

/** What a block says, before it is held against its schema. */
export type Fields = Record<string, unknown>;

/** The names of questions in Markdown. */
export const QUESTION_NAMES = new Map<string, LessonQuestion["type"]>([
  ["multiple-choice", "multiple_choice"],
  ["true-false", "true_false"],
  ["match", "match"],
  ["order", "order"],
  ["fill-blank", "fill_blank"],
  ["free-response", "free_response"],
  ["practice-recording", "practice_recording"],
  ["poll", "poll"],
]);

/** Reads a question: its prompt first, then its choices, pairs or items as the last list, and hints and feedback. */
export function readQuestion(
  node: ContainerDirective,
  attributes: DirectiveAttributes,
  source: MarkdownSource,
): Fields {
  const type = QUESTION_NAMES.get(node.name);
  const notes = node.children.filter((child) => child.type === "leafDirective");
  const flow = node.children.filter((child) => child.type !== "leafDirective");
  const body = { node, flow, attributes, source };
  return {
    type,
    weight: attributes.integer("weight"),
    ...readKind(type, body),
    ...readNotes(notes, source),
  };
}

interface Body {
  readonly node: ContainerDirective;
  readonly flow: RootContent[];
  readonly attributes: DirectiveAttributes;
  readonly source: MarkdownSource;
}

function readKind(type: LessonQuestion["type"] | undefined, body: Body): Fields {
  const { attributes, source } = body;
  switch (type) {
    case "multiple_choice":
      return readMultipleChoice(body);
    case "poll": {
      const choices = takeItems(body, "- choice").map((item) => readItem(item, source));
      const [multiple, shuffle] = [attributes.flag("multiple"), attributes.flag("shuffle")];
      return { choices: nameItems(choices), multiple, shuffle, prompt: readPrompt(body) };
    }
    case "true_false":
      return { correct: readTruth(body), prompt: readPrompt(body) };
    case "match": {
      const pairs = takeItems(body, "- left, with its right side as a list below it").map((item) =>
        readPair(item, source),
      );
      const [shuffle, partial_credit] = [attributes.flag("shuffle"), attributes.flag("partial-credit")];
      return { pairs: nameItems(pairs), shuffle, partial_credit, prompt: readPrompt(body) };
    }
    case "order": {
      const items = takeItems(body, "1. item").map((item) => readItem(item, source));
      return {
        items: nameItems(items),
        partial_credit: attributes.flag("partial-credit"),
        prompt: readPrompt(body),
      };
    }
    case "fill_blank": {
      const { blanks, names } = readBlankDirectives(body.flow, source);
      const prompt = readRichText(body.flow, { source, blanks: names });
      return { blanks, prompt, partial_credit: attributes.flag("partial-credit") };
    }
    case "free_response":
      return {
        answer_type: attributes.text("answer"),
        min_length: attributes.integer("min-length"),
        max_length: attributes.integer("max-length"),
        prompt: readPrompt(body),
      };
    default:
      return {
        media: attributes.text("media"),
        max_seconds: attributes.integer("max-seconds"),
        prompt: readPrompt(body),
      };
  }
}

function readPrompt({ flow, source }: Body): unknown {
  return readRichText(flow, { source, blanks: new Map() });
}

function readTruth({ node, attributes, source }: Body): boolean | undefined {
  const answer = attributes.text("answer");
  if (answer === "true" || answer === "false") return answer === "true";
  source.report(node, "does not say what is right: write answer=true or answer=false in its braces");
  return undefined;
}

function readMultipleChoice(body: Body): Fields {
  const { attributes, source } = body;
  const choices = takeItems(body, "- [x] choice").map((item) => {
    if (typeof item.checked !== "boolean")
      source.report(item, "is no choice: begin it with [x] if it is right, or with [ ]");
    return { ...readItem(item, source), correct: item.checked === true };
  });
  return {
    choices: nameItems(choices),
    multiple: attributes.flag("multiple") || choices.filter(({ correct }) => correct).length > 1,
    shuffle: attributes.flag("shuffle"),
    partial_credit: attributes.flag("partial-credit"),
    prompt: readPrompt(body),
  };
}

/** Takes the last list out of a question's text. */
function takeItems({ node, flow, source }: Body, example: string): ListItem[] {
  const last = flow.at(-1);
  if (last?.type !== "list") {
    source.report(
      node,
      `does not end with its list: write each as "${example}", hints and feedback below them`,
    );
    return [];
  }
  flow.pop();
  return last.children;
}

interface Item extends Fields {
  id: string | undefined;
}

/** A line of a list, its id, and as a quotation below it the feedback. */
function readItem(item: ListItem, source: MarkdownSource): Item {
  const [first, ...rest] = item.children;
  const feedback = rest.length === 1 && rest[0]?.type === "blockquote" ? rest[0].children : [];
  if (rest.length > 0 && (feedback.length !== 1 || feedback[0]?.type !== "paragraph")) {
    source.report(item, "can have nothing below its line but feedback, as one paragraph after >");
  }
  const [paragraph] = feedback;
  const { text, id } = readItemLine(first, item, source);
  return {
    id,
    text,
    ...(paragraph?.type === "paragraph" ? { feedback: readLine(paragraph.children, source) } : {}),
  };
}

function readItemLine(
  first: RootContent | undefined,
  item: ListItem,
  source: MarkdownSource,
): { text: string; id: string | undefined } {
  if (first?.type === "paragraph") return splitId(readLine(first.children, source));
  source.report(item, "has no text: write some, or remove it");
  return { text: "", id: undefined };
}

function readPair(item: ListItem, source: MarkdownSource): Item {
  const [first, list] = item.children;
  const { text, id } = readItemLine(first, item, source);
  const right = list?.type === "list" ? findOnlyItem(list) : undefined;
  if (item.children.length === 2 && right?.children.length === 1 && right.children[0]?.type === "paragraph") {
    return { id, left: text, right: readLine(right.children[0].children, source) };
  }
  source.report(item, "has no right side: write one line below it, as a list with one item");
  return { id, left: text, right: "" };
}

function findOnlyItem({ children }: List): ListItem | undefined {
  return children.length === 1 ? children[0] : undefined;
}

/** Those without an id get one by their place. */
export function nameItems<T extends Item>(items: readonly T[]): T[] {
  const taken = new Set(items.flatMap(({ id }) => id ?? []));
  return items.map((item, index) => ({ ...item, id: item.id ?? takeId(itemId(index), taken) }));
}

function readNotes(notes: readonly LeafDirective[], source: MarkdownSource): Fields {
  const [hints, rubric, feedback]: [string[], Item[], Fields] = [[], [], {}];
  for (const note of notes) {
    const attributes = new DirectiveAttributes(note, source);
    const text = readLine(note.children, source);
    switch (note.name) {
      case "hint":
        hints.push(text);
        break;
      case "correct":
      case "incorrect":
        if (feedback[note.name] !== undefined) source.report(note, `is the second ${note.name}: remove one`);
        feedback[note.name] = text;
        break;
      case "criterion":
        rubric.push({ id: attributes.text("id"), title: text, points: attributes.integer("points") });
        break;
      default:
        source.report(note, `has ${note.name}, which no question knows: hint, correct, incorrect, criterion`);
    }
    attributes.close();
  }
  return {
    ...(hints.length > 0 ? { hints } : {}),
    ...(rubric.length > 0 ? { rubric: nameItems(rubric) } : {}),
    ...(Object.keys(feedback).length > 0 ? { feedback } : {}),
  };
}
