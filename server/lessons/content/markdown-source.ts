import type { Nodes, PhrasingContent } from "mdast";
import type { FieldError } from "../../http/problem.ts";
import type { LeafDirective, TextDirective, ContainerDirective } from "./markdown-syntax.ts";

/** A Markdown file that is being read: it collects what is wrong, each with its line. */
export class MarkdownSource {
  readonly errors: FieldError[] = [];
  readonly #text: string;
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#text = text;
    this.#lines = text.split("\n");
  }

  report(node: Nodes, message: string): void {
    this.errors.push({ field: `line ${lineOf(node)}`, message });
  }

  /** What the author wrote for a node. */
  textOf(node: Nodes): string {
    return this.#text.slice(node.position?.start.offset, node.position?.end.offset);
  }

  /** Whether a container ends with a line of colons, and not only because the file does. */
  isClosed(node: ContainerDirective): boolean {
    const { start, end } = node.position ?? {};
    if (start === undefined || end === undefined || end.line === start.line) return false;
    return /^[ \t]*:{3,}[ \t]*$/.test(this.#lines[end.line - 1] ?? "");
  }
}

export function lineOf(node: Nodes): number {
  return node.position?.start.line ?? 1;
}

/** The text of what may have no marks: a title, a choice, a caption. */
export function readLine(nodes: readonly PhrasingContent[], source: MarkdownSource): string {
  return nodes.map((node) => readLinePart(node, source)).join("");
}

function readLinePart(node: PhrasingContent, source: MarkdownSource): string {
  if (node.type === "text") return node.value.replaceAll("\n", " ");
  if (node.type === "textDirective" && isProse(node)) return source.textOf(node);
  const written = source.textOf(node).slice(0, 40);
  source.report(
    node,
    `has ${written} where only plain text can stand: put a backslash before it to mean it as it is`,
  );
  return "";
}

/** "10:30am" is no directive, though it looks like one. */
export function isProse(node: TextDirective): boolean {
  return (
    node.children.length === 0 && Object.keys(node.attributes ?? {}).length === 0 && !KNOWN.has(node.name)
  );
}
const KNOWN = new Set(["br", "blank"]);

/** Cuts `{#id}` off the end of a text. */
export function splitId(text: string): { text: string; id: string | undefined } {
  const line = text.trimEnd();
  const start = line.lastIndexOf("{#");
  if (start === -1 || !line.endsWith("}")) return { text, id: undefined };
  const id = line.slice(start + 2, -1);
  return /^[^\s{}]+$/.test(id) ? { text: line.slice(0, start).trimEnd(), id } : { text, id: undefined };
}

type Directive = LeafDirective | TextDirective | ContainerDirective;

/** The attributes of a directive, each asked for by name; those that nobody asked for are errors. */
export class DirectiveAttributes {
  readonly #left: Map<string, string>;
  readonly #node: Directive;
  readonly #source: MarkdownSource;

  constructor(node: Directive, source: MarkdownSource) {
    this.#left = new Map(Object.entries(node.attributes ?? {}).map(([key, value]) => [key, value ?? ""]));
    this.#node = node;
    this.#source = source;
  }

  text(key: string): string | undefined {
    const value = this.#left.get(key);
    this.#left.delete(key);
    return value;
  }

  /** `{shuffle}` or `{shuffle=true}` */
  flag(key: string): boolean {
    const value = this.text(key);
    if (value === undefined || value === "false") return false;
    if (value !== "" && value !== "true")
      this.#report(`has ${key}="${value}": write ${key} alone, or leave it out`);
    return true;
  }

  integer(key: string): number | undefined {
    const value = this.text(key);
    if (value === undefined || /^[0-9]{1,9}$/.test(value))
      return value === undefined ? undefined : Number(value);
    this.#report(`has ${key}="${value}": write a whole number, such as ${key}=2`);
    return undefined;
  }

  /** `file:12` */
  file(key: string): number | undefined {
    const value = this.text(key);
    const id = value === undefined ? undefined : readFileAddress(value);
    if (value !== undefined && id === undefined) {
      this.#report(`has ${key}="${value}": write the number of a file, such as ${key}="file:12"`);
    }
    return id;
  }

  /** Ends the reading: whatever is left has no meaning. */
  close(): void {
    for (const key of this.#left.keys())
      this.#report(`has ${key}, which ${this.#node.name} does not know: remove it`);
  }

  #report(message: string): void {
    this.#source.report(this.#node, message);
  }
}

/** `file:12` → 12 */
export function readFileAddress(address: string): number | undefined {
  const digits = /^file:([1-9][0-9]{0,15})$/.exec(address)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
