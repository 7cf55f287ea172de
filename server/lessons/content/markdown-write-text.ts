import type { BlockContent, ListItem, PhrasingContent, TableCell, TableRow } from "mdast";
import { isCode } from "./blanks.ts";
import { HEADING_SHIFT, readInline } from "./markdown-rich-text.ts";
import { MarkdownSource } from "./markdown-source.ts";
import { parseTree, writeTree } from "./markdown-syntax.ts";
import type { RichText, RichTextMark, RichTextNode } from "./rich-text-schema.ts";
import { tidy } from "./tidy.ts";

/** How the texts of a question's prompt are written, where blanks stand in them. */
export type WriteText = (text: string) => PhrasingContent[];

/** Rich text as a tree of Markdown. */
export function writeRichText(doc: RichText, writeText: WriteText = plain): BlockContent[] {
  return doc.content.flatMap((node) => writeFlow(node, writeText));
}

/** A text without marks. */
export function plain(value: string): PhrasingContent[] {
  return value === "" ? [] : [{ type: "text", value }];
}

function writeFlow(node: RichTextNode, writeText: WriteText): BlockContent[] {
  const { type, content = [] } = node;
  switch (type) {
    case "paragraph":
      // An empty one is what the editors begin an item with; Markdown needs none.
      return content.length === 0
        ? []
        : [{ type: "paragraph", children: writeInline(content, writeText, "lines") }];
    case "heading": {
      const depth = toDepth((node.attrs?.level ?? 1) + HEADING_SHIFT);
      return [{ type: "heading", depth, children: writeInline(content, writeText, "line") }];
    }
    case "blockquote":
      return [{ type, children: writeAll(content, writeText) }];
    case "bulletList":
    case "orderedList": {
      const children = content.map((item) => writeItem(item, writeText));
      const ordered = type === "orderedList";
      return [
        { type: "list", ordered, start: ordered ? (node.attrs?.start ?? 1) : null, spread: false, children },
      ];
    }
    case "table":
      return [{ type, children: content.map((row) => writeRow(row, writeText)) }];
    default:
      throw new TypeError(`Rich text that was checked has no ${type} among blocks`);
  }
}

function writeAll(nodes: readonly RichTextNode[], writeText: WriteText): BlockContent[] {
  return nodes.flatMap((node) => writeFlow(node, writeText));
}

function toDepth(depth: number): 3 | 4 | 5 | 6 {
  return depth === 3 || depth === 4 || depth === 5 ? depth : 6;
}

function writeItem({ content = [] }: RichTextNode, writeText: WriteText): ListItem {
  const children = writeAll(content, writeText);
  const [, second] = children;
  const spread = children.length > 2 || (second !== undefined && !canFollow(second));
  return { type: "listItem", spread, children };
}

/** A list can begin right below a line if it begins with a text, and at 1; anything else would run into the line. */
function canFollow(node: BlockContent): boolean {
  return (
    node.type === "list" && (node.start ?? 1) === 1 && node.children[0]?.children[0]?.type === "paragraph"
  );
}

function writeRow({ content = [] }: RichTextNode, writeText: WriteText): TableRow {
  const children = content.map((cell): TableCell => {
    const inline = cell.content?.[0]?.content ?? [];
    return { type: "tableCell", children: writeInline(inline, writeText, "line") };
  });
  return { type: "tableRow", children };
}

/**
 * The text of a paragraph with its marks: as `**` and its like where that is read as meant (they are not inside of a word
 * beside a quotation mark, for one), else written out as `:bold[…]`.
 */
function writeInline(
  nodes: readonly RichTextNode[],
  writeText: WriteText,
  where: "line" | "lines",
): PhrasingContent[] {
  const usual = nestMarks(nodes, { rank: 0, write: { writeText, where, mark: writeMark } });
  const hasMarks = nodes.some(({ marks = [] }) =>
    marks.some(({ type }) => type !== "link" && type !== "code"),
  );
  if (!hasMarks || isReadAs(nodes, where)) return usual;
  return nestMarks(nodes, { rank: 0, write: { writeText, where: "line", mark: writeOut } });
}

function asDoc(inline: readonly RichTextNode[]): string {
  return JSON.stringify(tidy({ type: "doc", content: [{ type: "paragraph", content: inline }] }));
}

/** Whether Markdown gives back what is written with `**` and its like. A blank is punctuation as its `{{id}}` is. */
function isReadAs(nodes: readonly RichTextNode[], where: "line" | "lines"): boolean {
  const written = nestMarks(nodes, { rank: 0, write: { writeText: plain, where, mark: writeMark } });
  const text = writeTree({ type: "root", children: [{ type: "paragraph", children: written }] });
  const { children } = parseTree(text);
  const [paragraph] = children;
  if (children.length !== 1 || paragraph?.type !== "paragraph") return false;
  const source = new MarkdownSource(text);
  const content = readInline(paragraph.children, { source, blanks: new Map() });
  return source.errors.length === 0 && asDoc(content) === asDoc(nodes);
}

interface InlineWriting {
  readonly writeText: WriteText;
  /** Whether a line may end: it may not in a heading, in a cell and in brackets. */
  readonly where: "line" | "lines";
  readonly mark: (mark: RichTextMark, children: PhrasingContent[]) => PhrasingContent;
}

/** Marks from the outermost, as they stand in a text's list of marks. */
const RANKS: readonly RichTextMark["type"][] = ["link", "bold", "italic", "strike"];

/** Puts neighbours that have a mark in common below one node, the outermost mark first. */
function nestMarks(
  nodes: readonly RichTextNode[],
  { rank, write }: { rank: number; write: InlineWriting },
): PhrasingContent[] {
  const type = RANKS[rank];
  if (type === undefined)
    return nodes.flatMap((node, index) => writeLeaf(node, write, isAtEnd(nodes, index)));
  const runs: { mark: RichTextMark | undefined; nodes: RichTextNode[] }[] = [];
  for (const node of nodes) {
    const mark = node.marks?.find((each) => each.type === type);
    const last = runs.at(-1);
    if (last !== undefined && JSON.stringify(last.mark) === JSON.stringify(mark)) last.nodes.push(node);
    else runs.push({ mark, nodes: [node] });
  }
  return runs.flatMap((run) => {
    const children = nestMarks(run.nodes, { rank: rank + 1, write });
    return run.mark === undefined ? children : [write.mark(run.mark, children)];
  });
}

function isAtEnd(nodes: readonly RichTextNode[], index: number): boolean {
  return [nodes[index - 1], nodes[index + 1]].some(
    (other) => other === undefined || other.type === "hardBreak",
  );
}

/** A line's end where no line can end; its brackets keep it apart from a letter behind it. */
const BREAK: PhrasingContent = {
  type: "textDirective",
  name: "br",
  children: [{ type: "text", value: "↵" }],
};

function writeLeaf(
  node: RichTextNode,
  { writeText, where, mark }: InlineWriting,
  isEdge: boolean,
): PhrasingContent[] {
  if (node.type === "hardBreak") {
    return [where === "line" || isEdge ? BREAK : { type: "break" }];
  }
  const { text = "" } = node;
  if (!isCode(node)) return writeText(text);
  // Cells of a table can't have these two in code, and brackets of a directive no bracket.
  if (mark === writeOut || (where === "line" && text.includes("\\|")))
    return [writeOut({ type: "code" }, plain(text))];
  return [{ type: "inlineCode", value: text }];
}

function writeMark(mark: RichTextMark, children: PhrasingContent[]): PhrasingContent {
  switch (mark.type) {
    case "bold":
      return { type: "strong", children };
    case "italic":
      return { type: "emphasis", children };
    case "strike":
      return { type: "delete", children };
    default:
      return writeOut(mark, children);
  }
}

function writeOut(mark: RichTextMark, children: PhrasingContent[]): PhrasingContent {
  if (mark.type !== "link") return { type: "textDirective", name: mark.type, attributes: {}, children };
  // The editors let no link stand in a link, so that the children are no links.
  return {
    type: "link",
    url: mark.attrs?.href ?? "",
    children: children.filter((child) => child.type !== "link"),
  };
}
