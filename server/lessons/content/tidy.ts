/**
 * Brings content into the one form in which it is stored: texts without control characters, rich text without what
 * editors add (attributes of presentation, empty paragraphs, texts cut in two). So the same content is always the same
 * JSON, and Markdown gives back what it was given.
 *
 * @param value anything that is within the limits; what is no content is left for the schema to refuse.
 */
export function tidy(value: unknown): unknown {
  if (typeof value === "string") return toLine(value);
  if (Array.isArray(value)) return value.map((item) => tidy(item));
  if (!isRecord(value)) return value;
  if (value["type"] === "doc") return tidyDoc(value);
  // Object.fromEntries makes own keys only, also of a hostile "__proto__".
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, tidyField(value, key, item)]));
}

function tidyField(owner: Fields, key: string, item: unknown): unknown {
  if (owner["type"] === "code" && key === "text" && typeof item === "string") return toLines(item);
  return tidy(item);
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object whose keys can be read. */
export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Control characters, and the separators that end a line for some. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/** A text on one line, without plain spaces around it; other white space may be meant. */
export function toLine(text: string): string {
  return cutSpaces(text.replaceAll(CONTROLS, " "), { isFirst: true, isLast: true });
}

/** By hand, as a pattern for spaces at the end takes quadratic time where many spaces stand inside. */
function cutSpaces(text: string, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): string {
  let [start, end] = [0, text.length];
  if (isFirst) while (text[start] === " ") start += 1;
  if (isLast) while (end > start && text[end - 1] === " ") end -= 1;
  return text.slice(start, end);
}

/** A text on several lines, as Markdown's code and YAML keep it. */
export function toLines(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(/[^\P{Cc}\n\t]/gu, "");
}

function tidyDoc(doc: Fields): Fields {
  const content = tidyBlocks(doc["content"]);
  return { ...tidyRest(doc), content: isEmpty(content) ? [{ type: "paragraph" }] : content };
}

function tidyRest(node: Fields): Fields {
  return Object.fromEntries(Object.entries(node).filter(([key]) => key !== "content"));
}

function isEmpty(content: unknown): boolean {
  return content === undefined || (Array.isArray(content) && content.length === 0);
}

/** The blocks below each other, without those that say nothing. */
function tidyBlocks(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((node) => tidyNode(node)).filter((node) => !isBlank(node));
}

const BLANK = new Set<unknown>(["paragraph", "heading", "blockquote", "bulletList", "orderedList"]);

function isBlank(node: unknown): boolean {
  if (!isRecord(node)) return false;
  const { type, content } = node;
  if (type === "listItem") return Array.isArray(content) && content.every((child) => isBlank(child));
  return BLANK.has(type) && isEmpty(content);
}

function tidyNode(node: unknown): unknown {
  if (!isRecord(node)) return node;
  switch (node["type"]) {
    case "text":
      return tidyText(node);
    case "hardBreak":
      return { type: "hardBreak" };
    case "paragraph":
    case "heading":
      return withContent(node, tidyInline(node["content"]));
    case "blockquote":
    case "bulletList":
    case "orderedList":
      return withContent(node, tidyBlocks(node["content"]));
    case "listItem":
    case "tableCell":
    case "tableHeader":
      return withContent(node, startWithParagraph(tidyBlocks(node["content"] ?? [])));
    default:
      return withContent(
        node,
        Array.isArray(node["content"]) ? node["content"].map(tidyNode) : node["content"],
      );
  }
}

function withContent(node: Fields, content: unknown): Fields {
  const attrs = tidyAttrs(node);
  return {
    ...Object.fromEntries(Object.entries(tidyRest(node)).filter(([key]) => key !== "attrs")),
    ...(attrs === undefined ? {} : { attrs }),
    ...(isEmpty(content) ? {} : { content }),
  };
}

/** The editors demand that an item or a cell begins with a paragraph, be it an empty one. */
function startWithParagraph(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const [first] = content;
  return isRecord(first) && first["type"] === "paragraph" ? content : [{ type: "paragraph" }, ...content];
}

/** Attributes that the editors write and that say no more than their absence. */
const PRESENTATION = new Set(["target", "rel", "class", "title", "textAlign", "tight", "colwidth", "align"]);
const DEFAULTS = new Map<string, unknown>([
  ["start", 1],
  ["colspan", 1],
  ["rowspan", 1],
]);

function tidyAttrs({ type, attrs }: Fields): unknown {
  const given = attrs ?? (type === "heading" ? { level: 1 } : undefined);
  if (!isRecord(given)) return given;
  const kept = Object.entries(given).filter(
    ([key, value]) => value !== null && !PRESENTATION.has(key) && DEFAULTS.get(key) !== value,
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Marks from the outermost to the innermost. */
const MARKS: readonly unknown[] = ["link", "bold", "italic", "strike", "code"];

function tidyText(node: Fields): Fields {
  const { text, marks } = node;
  const tidied = Array.isArray(marks) ? tidyMarks(marks) : marks;
  return {
    ...Object.fromEntries(Object.entries(node).filter(([key]) => key !== "marks")),
    ...(typeof text === "string" ? { text: text.replaceAll(CONTROLS, " ") } : {}),
    ...(isEmpty(tidied) ? {} : { marks: tidied }),
  };
}

function tidyMarks(marks: readonly unknown[]): unknown[] {
  const byType = new Map(marks.map((mark) => [isRecord(mark) ? mark["type"] : mark, mark]));
  return [...byType.values()]
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((mark) => (isRecord(mark) ? withContent(mark, undefined) : mark));
}

function rankOf(mark: unknown): number {
  return MARKS.indexOf(isRecord(mark) ? mark["type"] : undefined);
}

function tidyInline(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const joined: unknown[] = [];
  for (const node of content.map((each) => tidyNode(each))) {
    if (isRecord(node) && node["text"] === "") continue;
    const last = joined.at(-1);
    if (isRecord(last) && isRecord(node) && areAlike(last, node)) {
      joined[joined.length - 1] = { ...last, text: `${String(last["text"])}${String(node["text"])}` };
    } else {
      joined.push(node);
    }
  }
  return trimInline(joined);
}

function isSpace(node: unknown): boolean {
  return isRecord(node) && typeof node["text"] === "string" && toLine(node["text"]) === "";
}

/** Spaces at the ends of a paragraph are shown nowhere. */
function trimInline(content: readonly unknown[]): unknown[] {
  const start = content.findIndex((node) => !isSpace(node));
  if (start === -1) return [];
  const trimmed = content.slice(start, content.findLastIndex((node) => !isSpace(node)) + 1);
  return trimmed.map((node, index) => {
    if (!isRecord(node) || typeof node["text"] !== "string") return node;
    const isFirst = index === 0;
    const isLast = index === trimmed.length - 1;
    return { ...node, text: cutSpaces(node["text"], { isFirst, isLast }) };
  });
}

function areAlike(a: Fields, b: Fields): boolean {
  if (typeof a["text"] !== "string" || typeof b["text"] !== "string") return false;
  return JSON.stringify({ ...a, text: "" }) === JSON.stringify({ ...b, text: "" });
}
