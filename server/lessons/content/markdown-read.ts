import type { Heading, RootContent } from "mdast";
import { type FieldError, invalid, Problem } from "../../http/problem.ts";
import { type BlockDraft, readBlocks } from "./markdown-blocks.ts";
import { type FrontMatter, readFrontMatter } from "./markdown-front-matter.ts";
import { guardMarkdown } from "./markdown-guard.ts";
import { lineOf, MarkdownSource, readLine, splitId } from "./markdown-source.ts";
import { parseTree } from "./markdown-syntax.ts";
import { readDocument } from "./read.ts";
import type { LessonDocument } from "./schema.ts";
import { blockWords, takeId, toSlug } from "./slug.ts";
import { tidy } from "./tidy.ts";

/** A lesson as its `.md` file has it. */
export interface MarkdownLesson {
  readonly front_matter: FrontMatter;
  readonly document: LessonDocument;
}

/**
 * Reads a lesson that is written as Markdown with front matter, as docs/authoring.md has it. Sections, pages and blocks
 * without an id get one made of their words, the same at every reading.
 *
 * @throws 400 with each line that is wrong: the field is such as `line 12`.
 */
export function readMarkdown(text: string): MarkdownLesson {
  const plain = text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
  const { front_matter, body } = readFrontMatter(plain);
  guardMarkdown(body);
  const source = new MarkdownSource(body);
  const outline = readOutline(parseTree(body).children, source, front_matter.title);
  if (source.errors.length > 0) throw invalid(...source.errors);
  const lines = new Map<string, number>();
  const value = nameAll(outline, lines);
  try {
    return { front_matter, document: readDocument(value) };
  } catch (error) {
    throw error instanceof Problem ? invalid(...error.errors.map((each) => atLine(each, lines))) : error;
  }
}

interface Titled {
  readonly line: number;
  readonly id: string | undefined;
  readonly title: string;
}
interface PageDraft extends Titled {
  readonly nodes: RootContent[];
  blocks: readonly BlockDraft[];
}
interface SectionDraft extends Titled {
  readonly pages: PageDraft[];
}

/** Sorts what stands in the file into sections and pages. What comes before the first heading gets the lesson's title. */
function readOutline(nodes: readonly RootContent[], source: MarkdownSource, title: string): SectionDraft[] {
  const sections: SectionDraft[] = [];
  for (const node of nodes) {
    const line = lineOf(node);
    if (node.type === "heading" && node.depth === 1) {
      sections.push({ ...readTitle(node, source), pages: [] });
      continue;
    }
    const section = sections.at(-1) ?? { line, id: undefined, title, pages: [] };
    if (sections.length === 0) sections.push(section);
    if (node.type === "heading" && node.depth === 2) {
      section.pages.push({ ...readTitle(node, source), nodes: [], blocks: [] });
      continue;
    }
    const page = section.pages.at(-1) ?? { line, id: undefined, title: section.title, nodes: [], blocks: [] };
    if (section.pages.length === 0) section.pages.push(page);
    page.nodes.push(node);
  }
  for (const page of sections.flatMap(({ pages }) => pages)) page.blocks = readBlocks(page.nodes, source);
  return sections;
}

function readTitle(node: Heading, source: MarkdownSource): Titled {
  const { text, id } = splitId(readLine(node.children, source));
  if (text === "") source.report(node, "is a heading without a title: write one");
  return { line: lineOf(node), id, title: text };
}

/** Gives ids to those that have none, and keeps the line of each. */
function nameAll(sections: readonly SectionDraft[], lines: Map<string, number>): unknown {
  const pages = sections.flatMap((section) => section.pages);
  const all = [...sections, ...pages, ...pages.flatMap((page) => page.blocks)];
  const taken = new Set(all.flatMap(({ id }) => id ?? []));
  const name = ({ line, id }: Titled | BlockDraft, words: string, { path, fallback }: Naming) => {
    lines.set(path, line);
    return id ?? takeId(toSlug(words, fallback), taken);
  };
  return {
    sections: sections.map((section, s) => ({
      id: name(section, section.title, { path: `sections[${s}]`, fallback: "section" }),
      title: section.title,
      pages: section.pages.map((page, p) => ({
        id: name(page, page.title, { path: `sections[${s}].pages[${p}]`, fallback: "page" }),
        title: page.title,
        blocks: page.blocks.map((block, b) => {
          const fallback = String(block.fields["type"]).replaceAll("_", "-");
          const path = `sections[${s}].pages[${p}].blocks[${b}]`;
          const id = name(block, blockWords(tidy(block.fields)), { path, fallback });
          return dropMissing({ id, ...block.fields });
        }),
      })),
    })),
  };
}

interface Naming {
  readonly path: string;
  readonly fallback: string;
}

/** What an author left out gets its default where it is read. */
function dropMissing(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const PLACE = /^sections\[\d+\](?:\.pages\[\d+\](?:\.blocks\[\d+\])?)?/;

/** `sections[0].pages[0].blocks[2].choices` → line 12 */
function atLine({ field, message }: FieldError, lines: ReadonlyMap<string, number>): FieldError {
  const place = PLACE.exec(field)?.[0] ?? "";
  const rest = field.slice(place.length).replace(/^\./, "");
  return { field: `line ${lines.get(place) ?? 1}`, message: rest === "" ? message : `${rest} ${message}` };
}
