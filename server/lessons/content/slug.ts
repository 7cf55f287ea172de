import { isRecord } from "./tidy.ts";

/** Characters of a derived id, so that there is room for a number behind it. */
const SLUG_CHARACTERS = 32;

/** Characters of a text that a derived id looks at. */
const HEAD_CHARACTERS = 200;

/** An id made of the words of a text, such as `what-is-phishing`; or another where it has no Latin letters. */
export function toSlug(text: string, fallback: string): string {
  const slug = text
    .slice(0, HEAD_CHARACTERS)
    .normalize("NFKD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_CHARACTERS)
    .replaceAll(/^-|-$/g, "");
  return slug === "" ? fallback : slug;
}

/** The id of an element that has none of its own: a to z by its place, then i27. */
export function itemId(index: number): string {
  return "abcdefghijklmnopqrstuvwxyz"[index] ?? `i${index + 1}`;
}

/** An id that is not taken yet, and now is. */
export function takeId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let number = 2; taken.has(id); number += 1) id = `${wanted}-${number}`;
  taken.add(id);
  return id;
}

/** The words that a block's derived id is made of: its text or what it asks, as it stands after tidying. */
export function blockWords(fields: unknown): string {
  if (!isRecord(fields)) return "";
  const words: string[] = [];
  collectTexts(fields["content"] ?? fields["prompt"], words);
  return words.join(" ");
}

function collectTexts(node: unknown, words: string[]): void {
  if (!isRecord(node)) return;
  if (typeof node["text"] === "string") words.push(node["text"]);
  if (Array.isArray(node["content"])) for (const child of node["content"]) collectTexts(child, words);
}
