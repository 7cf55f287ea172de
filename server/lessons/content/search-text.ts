import { BLANK } from "./blanks.ts";
import { listBlocks } from "./questions.ts";
import { plainText } from "./rich-text.ts";
import type { LessonBlock, LessonDocument } from "./schema.ts";

/** Every word of a lesson that a reader may search for, each text on a line of its own. Never what tells a right answer. */
export function searchText(document: LessonDocument): string {
  const titles = document.sections.flatMap(({ title, pages }) => [title, ...pages.map((page) => page.title)]);
  return [...titles, ...listBlocks(document).map((block) => blockText(block))]
    .filter((text) => text !== "")
    .join("\n");
}

/** The words of a block: what is read, and the choices of a question, but neither feedback nor the texts of blanks. */
export function blockText(block: LessonBlock): string {
  return listTexts(block)
    .filter((text) => text !== "")
    .join("\n");
}

function listTexts(block: LessonBlock): string[] {
  if ("prompt" in block) return [plainText(block.prompt).replaceAll(BLANK, "…"), ...listChoices(block)];
  switch (block.type) {
    case "rich_text":
    case "callout":
      return [plainText(block.content)];
    case "image":
      return [block.alt, block.caption];
    case "video":
    case "audio":
      return [block.caption];
    case "file":
      return [block.name];
    case "embed":
      return [block.url];
    case "code":
      return [block.text];
    case "divider":
      return [];
  }
}

function listChoices(question: Extract<LessonBlock, { prompt: unknown }>): string[] {
  if ("choices" in question) return question.choices.map(({ text }) => text);
  if ("pairs" in question)
    return [
      ...question.pairs.map(({ left }) => left),
      ...question.pairs.map(({ right }) => right).toSorted(),
    ];
  if ("items" in question) return question.items.map(({ text }) => text).toSorted();
  return [];
}
