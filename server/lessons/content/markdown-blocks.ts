import type { Image, Nodes, RootContent } from "mdast";
import { type Fields, QUESTION_NAMES, readQuestion } from "./markdown-questions.ts";
import { readRichText } from "./markdown-rich-text.ts";
import {
  DirectiveAttributes,
  lineOf,
  type MarkdownSource,
  readFileAddress,
  readLine,
  splitId,
} from "./markdown-source.ts";
import type { ContainerDirective, LeafDirective } from "./markdown-syntax.ts";
import { CALLOUTS } from "./schema.ts";

/** A block as it stands in the file. */
export interface BlockDraft {
  readonly line: number;
  readonly id: string | undefined;
  readonly fields: Fields;
}

/** Reads what stands on a page: what is no block of its own is rich text, up to the next block. */
export function readBlocks(nodes: readonly RootContent[], source: MarkdownSource): BlockDraft[] {
  const drafts: BlockDraft[] = [];
  let prose: RootContent[] = [];
  const endProse = () => {
    const [first] = prose;
    if (first !== undefined) drafts.push(draft(first, proseFields(prose, source)));
    prose = [];
  };
  for (const node of nodes) {
    const block = readBlock(node, source);
    if (block === undefined) {
      prose.push(node);
    } else {
      endProse();
      drafts.push(block);
    }
  }
  endProse();
  return drafts;
}

function proseFields(nodes: readonly RootContent[], source: MarkdownSource): Fields {
  return { type: "rich_text", content: readRichText(nodes, { source, blanks: new Map() }) };
}

function draft(node: Nodes, fields: Fields, id?: string): BlockDraft {
  return { line: lineOf(node), id, fields };
}

/** Nothing, where a node belongs to the text. */
function readBlock(node: RootContent, source: MarkdownSource): BlockDraft | undefined {
  switch (node.type) {
    case "thematicBreak":
      return draft(node, { type: "divider" });
    case "code": {
      const { text, id } = splitId(
        [node.lang, node.meta].filter((part) => typeof part === "string").join(" "),
      );
      return draft(node, { type: "code", language: text, text: node.value }, id);
    }
    case "paragraph": {
      const [image] = node.children;
      return node.children.length === 1 && image?.type === "image"
        ? draft(node, readImage(image, source))
        : undefined;
    }
    case "leafDirective":
      return readDirective(node, source, readLeaf);
    case "containerDirective":
      if (!source.isClosed(node))
        source.report(
          node,
          `opens ${node.name}, which is never closed: end it with a line of as many colons`,
        );
      return readDirective(node, source, readContainer);
    default:
      return undefined;
  }
}

/** `![alt](file:12 "caption")` */
function readImage(node: Image, source: MarkdownSource): Fields {
  const { url, alt, title } = node;
  const file_id = readFileAddress(url);
  if (file_id === undefined) {
    source.report(node, `shows ${url.slice(0, 100)}: upload the picture and write its number, as file:12`);
  }
  return { type: "image", file_id, alt: alt ?? "", caption: title ?? "" };
}

function readDirective<N extends LeafDirective | ContainerDirective>(
  node: N,
  source: MarkdownSource,
  read: (node: N, attributes: DirectiveAttributes, source: MarkdownSource) => Fields | undefined,
): BlockDraft {
  const attributes = new DirectiveAttributes(node, source);
  const id = attributes.text("id");
  const fields = read(node, attributes, source);
  if (fields === undefined)
    source.report(node, `has ${node.name}, which is no block: see docs/authoring.md for their names`);
  else attributes.close();
  return draft(node, fields ?? {}, id);
}

function readLeaf(
  node: LeafDirective,
  attributes: DirectiveAttributes,
  source: MarkdownSource,
): Fields | undefined {
  const label = readLine(node.children, source);
  const file_id = attributes.file("src");
  switch (node.name) {
    case "image": {
      const [caption, decorative] = [attributes.text("caption"), attributes.flag("decorative")];
      return { type: "image", file_id, alt: label, caption, decorative };
    }
    case "video":
      return {
        type: "video",
        file_id,
        caption: label,
        captions_file_id: attributes.file("captions") ?? null,
      };
    case "audio":
      return { type: "audio", file_id, caption: label };
    case "file":
      return { type: "file", file_id, name: label };
    case "embed":
      return { type: "embed", url: attributes.text("url") };
    case "divider":
      return { type: "divider" };
    default:
      return undefined;
  }
}

function readContainer(
  node: ContainerDirective,
  attributes: DirectiveAttributes,
  source: MarkdownSource,
): Fields | undefined {
  const [first] = node.children;
  if (first?.type === "paragraph" && first.data?.["directiveLabel"] === true) {
    source.report(node, `has a text in brackets behind ${node.name}: write it on the lines below`);
  }
  if (node.name === "text") return proseFields(node.children, source);
  const kind = CALLOUTS.find((name) => name === node.name);
  if (kind !== undefined) return { ...proseFields(node.children, source), type: "callout", kind };
  return QUESTION_NAMES.has(node.name) ? readQuestion(node, attributes, source) : undefined;
}
