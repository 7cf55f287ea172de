import type { BlockContent, DefinitionContent, List, PhrasingContent, RootContent, Table } from "mdast";
import { isProse, type MarkdownSource } from "./markdown-source.ts";
import type { TextDirective } from "./markdown-syntax.ts";
import type { RichTextMark, RichTextNode } from "./rich-text-schema.ts";

/** Headings of the text begin below those of sections and pages. */
export const HEADING_SHIFT = 2;

/** How the blanks of a question are named while its text is read; nothing, where no blank can stand. */
export type BlankNames = ReadonlyMap<TextDirective, string>;

export interface TextReading {
  readonly source: MarkdownSource;
  readonly blanks: BlankNames;
}

/** Reads Markdown as rich text; what has no place in it is reported and left out. */
export function readRichText(
  nodes: readonly RootContent[],
  reading: TextReading,
): { type: "doc"; content: RichTextNode[] } {
  return { type: "doc", content: nodes.flatMap((node) => readFlow(node, reading)) };
}

function readFlow(node: RootContent, reading: TextReading): RichTextNode[] {
  switch (node.type) {
    case "paragraph":
      return [{ type: "paragraph", content: readInline(node.children, reading) }];
    case "heading": {
      const level = node.depth - HEADING_SHIFT;
      if (level < 1)
        reading.source.report(node, "is a heading of a section or page: write ### to ###### here");
      return [
        {
          type: "heading",
          attrs: { level: Math.max(1, level) },
          content: readInline(node.children, reading),
        },
      ];
    }
    case "list":
      return [readList(node, reading)];
    case "blockquote":
      return [{ type: "blockquote", content: readAll(node.children, reading) }];
    case "table":
      return [readTable(node, reading)];
    default:
      reading.source.report(node, whyNot(node));
      return [];
  }
}

function readAll(nodes: readonly (BlockContent | DefinitionContent)[], reading: TextReading): RichTextNode[] {
  return nodes.flatMap((node) => readFlow(node, reading));
}

function whyNot(node: RootContent): string {
  switch (node.type) {
    case "html":
      return "has HTML, which lessons don't keep: write Markdown, or a backslash before < to mean it as it is";
    case "definition":
      return "defines a link: write the address where the link is, as [text](https://…)";
    case "containerDirective":
    case "leafDirective":
      return `has ${node.name}, which can't stand here: see the list of blocks in docs/authoring.md`;
    default:
      return `has ${node.type}, which can't stand here: it is a block of its own, outside of lists and :::`;
  }
}

function readList(node: List, reading: TextReading): RichTextNode {
  const { ordered, start } = node;
  const content = node.children.map((item): RichTextNode => {
    if (typeof item.checked === "boolean") {
      reading.source.report(
        item,
        "is a choice [ ] outside of a question: choices come last in :::multiple-choice",
      );
    }
    return { type: "listItem", content: readAll(item.children, reading) };
  });
  if (ordered !== true) return { type: "bulletList", content };
  return { type: "orderedList", ...(typeof start === "number" ? { attrs: { start } } : {}), content };
}

/** Rows that are too short are filled, as Markdown has it. */
function readTable(node: Table, reading: TextReading): RichTextNode {
  const width = node.children[0]?.children.length ?? 0;
  const content = node.children.map((row, index): RichTextNode => {
    const type = index === 0 ? "tableHeader" : "tableCell";
    const cells = Array.from({ length: width }, (_, column): RichTextNode => {
      const inline = readInline(row.children[column]?.children ?? [], reading);
      return { type, content: [{ type: "paragraph", content: inline }] };
    });
    if (row.children.length > width)
      reading.source.report(row, `has more than ${width} cells, as the first row has`);
    return { type: "tableRow", content: cells };
  });
  return { type: "table", content };
}

/** Reads what stands in a line: text with its marks. */
export function readInline(
  nodes: readonly PhrasingContent[],
  reading: TextReading,
  marks: readonly RichTextMark[] = [],
): RichTextNode[] {
  return nodes.flatMap((node) => readPhrase(node, reading, marks));
}

function readPhrase(
  node: PhrasingContent,
  reading: TextReading,
  marks: readonly RichTextMark[],
): RichTextNode[] {
  switch (node.type) {
    case "text":
      return toText(node.value, marks);
    case "inlineCode":
      return toText(node.value, [...marks, { type: "code" }]);
    case "break":
      return [{ type: "hardBreak" }];
    case "strong":
      return readInline(node.children, reading, [...marks, { type: "bold" }]);
    case "emphasis":
      return readInline(node.children, reading, [...marks, { type: "italic" }]);
    case "delete":
      return readInline(node.children, reading, [...marks, { type: "strike" }]);
    case "link":
      return readInline(node.children, reading, [...marks, { type: "link", attrs: { href: node.url } }]);
    case "textDirective":
      return readDirective(node, reading, marks);
    case "html":
      reading.source.report(node, whyNot(node));
      return [];
    case "image":
      reading.source.report(node, "has an image in the text: put it into a paragraph of its own");
      return [];
    default:
      reading.source.report(
        node,
        `has ${node.type}: write the address where the link is, as [text](https://…)`,
      );
      return [];
  }
}

function toText(text: string, marks: readonly RichTextMark[]): RichTextNode[] {
  if (text === "") return [];
  return [
    { type: "text", text: text.replaceAll("\n", " "), ...(marks.length === 0 ? {} : { marks: [...marks] }) },
  ];
}

/** Marks that are written out where `**` and its like would not be read as meant. */
const MARK_DIRECTIVES = new Map<string, RichTextMark["type"]>([
  ["bold", "bold"],
  ["italic", "italic"],
  ["strike", "strike"],
  ["code", "code"],
]);

function readDirective(
  node: TextDirective,
  reading: TextReading,
  marks: readonly RichTextMark[],
): RichTextNode[] {
  const blank = reading.blanks.get(node);
  if (blank !== undefined) return toText(`{{${blank}}}`, marks);
  if (node.name === "br") return [{ type: "hardBreak" }];
  if (isProse(node)) return toText(reading.source.textOf(node), marks);
  const mark = MARK_DIRECTIVES.get(node.name);
  if (mark !== undefined) return readInline(node.children, reading, [...marks, { type: mark }]);
  const where =
    node.name === "blank"
      ? "blanks stand in :::fill-blank alone"
      : "put a backslash before the colon to mean it as it is";
  reading.source.report(node, `has :${node.name}, which has no meaning here: ${where}`);
  return [];
}
