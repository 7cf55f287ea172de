import type { FieldError } from "../../http/problem.ts";
import { MOST_RICH_TEXT_LEVELS } from "./limits.ts";
import { BLOCK_NODES, type RichText, type RichTextNode, type RichTextNodeType } from "./rich-text-schema.ts";

/** Rich text of one paragraph. */
export function richText(text: string): RichText {
  return {
    type: "doc",
    content: [text === "" ? { type: "paragraph" } : { type: "paragraph", content: [{ type: "text", text }] }],
  };
}

/** The words of rich text, each block on a line of its own. */
export function plainText(node: RichText | RichTextNode): string {
  if ("text" in node && node.text !== undefined) return node.text;
  if (node.type === "hardBreak") return " ";
  const inner = (node.content ?? []).map((child) => plainText(child));
  return inner.join(INLINE_PARENTS.has(node.type) ? "" : "\n");
}

const INLINE_PARENTS = new Set<string>(["paragraph", "heading"]);

/** Whether rich text says nothing at all. */
export function isEmptyText(doc: RichText): boolean {
  return plainText(doc).trim() === "";
}

/** What may stand in what, as the editors have it. */
const ALLOWED: Record<RichTextNodeType | "doc", readonly RichTextNodeType[]> = {
  doc: BLOCK_NODES,
  blockquote: BLOCK_NODES,
  listItem: BLOCK_NODES,
  bulletList: ["listItem"],
  orderedList: ["listItem"],
  table: ["tableRow"],
  tableRow: ["tableHeader", "tableCell"],
  tableHeader: ["paragraph"],
  tableCell: ["paragraph"],
  paragraph: ["text", "hardBreak"],
  heading: ["text", "hardBreak"],
  hardBreak: [],
  text: [],
};

/** Gives what is wrong with rich text that its schema lets through. */
export function checkRichText(doc: RichText, field: string): FieldError[] {
  const errors: FieldError[] = [];
  checkChildren(doc, { field, level: 1, errors });
  return errors;
}

interface Place {
  readonly field: string;
  readonly level: number;
  readonly errors: FieldError[];
}

function checkChildren(parent: RichText | RichTextNode, { field, level, errors }: Place): void {
  const allowed = ALLOWED[parent.type];
  for (const [index, node] of (parent.content ?? []).entries()) {
    const place = { field: `${field}.content[${index}]`, level: level + 1, errors };
    if (!allowed.includes(node.type)) {
      errors.push({
        field: place.field,
        message: `is a ${node.type}, which can't stand in a ${parent.type}: move it`,
      });
    } else if (place.level > MOST_RICH_TEXT_LEVELS) {
      errors.push({
        field,
        message: `is nested deeper than ${MOST_RICH_TEXT_LEVELS} levels: take content out of it`,
      });
      return;
    } else {
      checkNode(node, place);
      checkChildren(node, place);
    }
  }
}

function checkNode(node: RichTextNode, { field, errors }: Place): void {
  const { type, attrs = {}, marks = [] } = node;
  if ((type === "text") !== (node.text !== undefined)) {
    errors.push({ field: `${field}.text`, message: "must be there in a text node, and nowhere else" });
  }
  if ((type === "heading") !== (attrs.level !== undefined)) {
    errors.push({ field: `${field}.attrs.level`, message: "must be there in a heading, and nowhere else" });
  }
  if (attrs.start !== undefined && type !== "orderedList") {
    errors.push({ field: `${field}.attrs.start`, message: "must be in an orderedList alone: remove it" });
  }
  if (marks.length > 0 && type !== "text") {
    errors.push({ field: `${field}.marks`, message: "can't be on other nodes than text: remove them" });
  }
  for (const [index, mark] of marks.entries()) {
    if ((mark.type === "link") === (mark.attrs !== undefined)) continue;
    errors.push({
      field: `${field}.marks[${index}].attrs`,
      message: "must be there in a link, and nowhere else",
    });
  }
  if (type === "table") checkTable(node, { field, errors });
  if (LISTS.has(type) && (node.content ?? []).length === 0) {
    errors.push({ field, message: "has no items: add one or remove the list" });
  }
}

const LISTS = new Set<string>(["bulletList", "orderedList"]);

/** A table is one that Markdown can write: a row of headers, then rows of as many cells, each with one paragraph. */
function checkTable({ content: rows = [] }: RichTextNode, { field, errors }: Omit<Place, "level">): void {
  const width = rows[0]?.content?.length ?? 0;
  if (width === 0) errors.push({ field, message: "has no cells: add some or remove the table" });
  for (const [index, { content: cells = [] }] of rows.entries()) {
    const at = `${field}.content[${index}]`;
    const expected = index === 0 ? "tableHeader" : "tableCell";
    if (cells.length !== width) {
      errors.push({ field: at, message: `must have ${width} cells, as the first row has` });
    }
    if (cells.some(({ type }) => type !== expected)) {
      errors.push({
        field: at,
        message: `must have cells of the type ${expected}: the first row is the header, and it alone`,
      });
    }
    if (cells.some((cell) => cell.content?.length !== 1)) {
      errors.push({ field: at, message: "must have one paragraph in each cell" });
    }
  }
}
