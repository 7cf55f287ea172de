import type { RootContent } from "mdast";
import { type FrontMatter, writeFrontMatter } from "./markdown-front-matter.ts";
import { writeTree } from "./markdown-syntax.ts";
import { container, leaf, writeQuestion } from "./markdown-write-questions.ts";
import { plain, writeRichText } from "./markdown-write-text.ts";
import { isEmptyText } from "./rich-text.ts";
import type { LessonBlock, LessonDocument } from "./schema.ts";
import { blockWords, toSlug } from "./slug.ts";

/**
 * A lesson as a `.md` file, which `readMarkdown` reads as the same again, with every id.
 *
 * @param lesson.document as `readDocument` gives it.
 */
export function writeMarkdown({
  front_matter,
  document,
}: {
  readonly front_matter: FrontMatter;
  readonly document: LessonDocument;
}): string {
  const children = document.sections.flatMap(({ id, title, pages }): RootContent[] => [
    { type: "heading", depth: 1, children: plain(`${title} {#${id}}`) },
    ...pages.flatMap((page): RootContent[] => [
      { type: "heading", depth: 2, children: plain(`${page.title} {#${page.id}}`) },
      ...writeBlocks(page.blocks),
    ]),
  ]);
  return `${writeFrontMatter(front_matter)}\n${writeTree({ type: "root", children })}`;
}

function writeBlocks(blocks: readonly LessonBlock[]): RootContent[] {
  const written: RootContent[] = [];
  let afterProse = false;
  for (const block of blocks) {
    const isProse: boolean = !afterProse && canBeProse(block);
    written.push(
      ...(isProse && block.type === "rich_text" ? writeRichText(block.content) : [writeBlock(block)]),
    );
    afterProse = isProse;
  }
  return written;
}

/** Text needs no container where its id is the one that it gets by its words. */
function canBeProse(block: LessonBlock): boolean {
  if (block.type !== "rich_text" || isEmptyText(block.content)) return false;
  return toSlug(blockWords(block), "rich-text") === block.id;
}

function writeBlock(block: LessonBlock): RootContent {
  if ("prompt" in block) return writeQuestion(block);
  const { id } = block;
  switch (block.type) {
    case "rich_text":
      return container("text", { id }, writeRichText(block.content));
    case "callout":
      return container(block.kind, { id }, writeRichText(block.content));
    case "code":
      return { type: "code", ...writeCodeHead(block), value: block.text };
    default:
      return writeLeafBlock(block);
  }
}

function writeCodeHead({ language, id }: { language: string; id: string }): {
  lang: string;
  meta: string | null;
} {
  const name = `{#${id}}`;
  return language === "" ? { lang: name, meta: null } : { lang: language, meta: name };
}

type LeafBlock = Extract<LessonBlock, { type: "image" | "video" | "audio" | "file" | "embed" | "divider" }>;

function writeLeafBlock(block: LeafBlock): RootContent {
  const { id } = block;
  const src = "file_id" in block ? `file:${block.file_id}` : "";
  switch (block.type) {
    case "image": {
      const { alt, caption, decorative } = block;
      return leaf("image", { id, src, caption, decorative }, alt);
    }
    case "video": {
      const captions = block.captions_file_id === null ? "" : `file:${block.captions_file_id}`;
      return leaf("video", { id, src, captions }, block.caption);
    }
    case "audio":
      return leaf("audio", { id, src }, block.caption);
    case "file":
      return leaf("file", { id, src }, block.name);
    case "embed":
      return leaf("embed", { id, url: block.url }, "");
    case "divider":
      return leaf("divider", { id }, "");
  }
}
