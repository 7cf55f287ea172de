import { Type, type Static } from "typebox";
import { parseDocument, stringify } from "yaml";
import { closed, nullable } from "../../http/schema.ts";
import { invalid, type FieldError } from "../../http/problem.ts";
import { wrongLine } from "./markdown-guard.ts";
import { defaulted } from "./question-schema.ts";
import { isRecord, toLine, toLines } from "./tidy.ts";
import { compileCheck, listErrors } from "./validate.ts";

/** Characters of a front matter: far above a title, a description and tags. */
const MOST_CHARACTERS = 50_000;

/** What stands above a lesson's text in its file. */
export const FrontMatter = closed({
  title: Type.String({ minLength: 1, maxLength: 1000 }),
  description: defaulted(Type.String({ maxLength: 10_000, default: "" })),
  language: defaulted(
    nullable(Type.String({ pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$" }), {
      default: null,
      description: "Must be a language tag, such as en or pt-BR.",
    }),
  ),
  pass_mark: defaulted(
    Type.Integer({ minimum: 0, maximum: 100, default: 0, description: "In per cent; 0 for none." }),
  ),
  public: defaulted(Type.Boolean({ default: false })),
  tags: defaulted(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      maxItems: 100,
      uniqueItems: true,
      default: [],
    }),
  ),
});
export type FrontMatter = Static<typeof FrontMatter>;

const check = compileCheck<FrontMatter>(FrontMatter);

/**
 * Reads the front matter of a file, and gives the text below it, on the same lines.
 *
 * @throws 400 with the line, where it is no YAML, or the key that is wrong.
 */
export function readFrontMatter(text: string): { front_matter: FrontMatter; body: string } {
  const lines = text.split("\n");
  const end = lines.indexOf("---", 1);
  if (lines[0]?.trimEnd() !== "---" || end === -1) {
    throw wrongLine(1, "must be ---, with the front matter below it (title: …) and another --- after it");
  }
  const value = readYaml(lines.slice(1, end).join("\n"));
  const front_matter = tidyFrontMatter(value);
  if (!check(front_matter)) {
    throw invalid(...listErrors(check, "").map((error) => atLine(error, lines.slice(0, end))));
  }
  return { front_matter, body: lines.map((line, index) => (index <= end ? "" : line)).join("\n") };
}

/** What opens lists in lists, more than anybody means. */
const NESTED = /(?:[[{]\s*|- +|\? +|: +){50}/;

function readYaml(yaml: string): unknown {
  if (yaml.length > MOST_CHARACTERS)
    throw wrongLine(2, `begins a front matter of over ${MOST_CHARACTERS} characters`);
  if (NESTED.test(yaml))
    throw wrongLine(2, "begins a front matter of deep nesting: write plain keys and values");
  try {
    const document = parseDocument(yaml, { prettyErrors: true });
    const [error] = document.errors;
    if (error === undefined) return document.toJS({ maxAliasCount: 0 });
    const message = error.message.split("\n")[0]?.replace(/ at line .*$/, "") ?? "";
    throw wrongLine((error.linePos?.[0].line ?? 1) + 1, `is no YAML that can be read: ${message}`);
  } catch (error) {
    if (error instanceof ReferenceError || error instanceof RangeError) {
      throw wrongLine(
        2,
        "begins a front matter with aliases or too deep nesting: write plain keys and values",
      );
    }
    throw error;
  }
}

function atLine({ field, message }: FieldError, lines: readonly string[]): FieldError {
  const [key = ""] = field.split(/[.[]/);
  const index = lines.findIndex((line) => line.startsWith(`${key}:`));
  return { field: `line ${index === -1 ? 1 : index + 1}`, message: `${field} ${message}` };
}

function tidyFrontMatter(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { title, description, tags } = value;
  return {
    ...value,
    ...(typeof title === "string" ? { title: toLine(title) } : {}),
    ...(typeof description === "string" ? { description: toLines(description) } : {}),
    ...(Array.isArray(tags)
      ? { tags: tags.map((tag) => (typeof tag === "string" ? toLine(tag) : tag)) }
      : {}),
  };
}

/** The front matter as it stands above the text, between its lines of `---`. */
export function writeFrontMatter(front_matter: FrontMatter): string {
  return `---\n${stringify(tidyFrontMatter(front_matter), { lineWidth: 0 })}---\n`;
}
