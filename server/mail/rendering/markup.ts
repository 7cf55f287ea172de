/** Known in this file alone, so that no text can pass for markup. */
const markup = Symbol("markup");

/** A piece of HTML that only `html` makes: whatever stands in it is escaped. */
export interface Markup {
  readonly [markup]: string;
}

type Part = string | number | null | Markup | readonly Part[];

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** Makes HTML of a template. What is put in is escaped unless `html` made it; lists are joined and null is nothing. */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const [first = "", ...rest] = template;
  return { [markup]: first + rest.map((literal, index) => render(parts[index] ?? null) + literal).join("") };
}

/** Gives the markup as the text of a document, without the indentation of the templates that it is made of. */
export function toDocument(whole: Markup): string {
  return `${whole[markup].replaceAll(/\s*\n\s*/g, "\n").trim()}\n`;
}

/**
 * Gives an address for `href`.
 * @throws on what is no web address: only a mistake in the code can bring one.
 */
export function webAddress(url: string): string {
  if (!/^https?:\/\/[^\s<>"\p{Cc}]+$/u.test(url) || !URL.canParse(url))
    throw new Error(`a mail links to web addresses only: ${JSON.stringify(url)}`);
  return url;
}

function render(part: Part): string {
  if (part === null) return "";
  if (typeof part === "object") return markup in part ? part[markup] : part.map(render).join("");
  return String(part).replaceAll(/[&<>"'`]/g, (sign) => escapes[sign] ?? "");
}
