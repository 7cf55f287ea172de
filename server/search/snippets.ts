/** A piece of a text, and where in it the words stand that were searched for. */
interface Marked {
  readonly text: string;
  readonly marks: { start: number; end: number }[];
}

/** Characters of a snippet: two lines. */
const SNIPPET_CHARACTERS = 200;
/** Characters of it before the first word that is marked. */
const BEFORE_CHARACTERS = 50;
const MOST_MARKS = 20;

/** Marks, in a text that is shown whole, the words that begin as the ones that were searched for. */
export function markWords(text: string, beginnings: readonly string[]): Marked {
  return { text, marks: findMarks(text, beginnings) };
}

/** Cuts out of a text where the first of the words stands; null where none does. */
export function cutSnippet(text: string, beginnings: readonly string[]): Marked | null {
  const first = patternOf(beginnings)?.exec(text);
  if (first == null) return null;
  const from = startOfWord(text, Math.max(0, first.index - BEFORE_CHARACTERS), first.index);
  const to = endOfWord(text, from + SNIPPET_CHARACTERS, first.index + first[0].length);
  const piece = text.slice(from, to).replaceAll(/\s/g, " ");
  return markWords(`${from > 0 ? "… " : ""}${piece}${to < text.length ? " …" : ""}`, beginnings);
}

function findMarks(text: string, beginnings: readonly string[]): Marked["marks"] {
  const pattern = patternOf(beginnings);
  if (pattern === undefined) return [];
  const marks: { start: number; end: number }[] = [];
  for (const { index, 0: word } of text.matchAll(pattern)) {
    marks.push({ start: index, end: index + word.length });
    if (marks.length === MOST_MARKS) break;
  }
  return marks;
}

/** A word that begins with one of these. Where a script parts no words, the mark is what was searched for alone. */
function patternOf(beginnings: readonly string[]): RegExp | undefined {
  const longestFirst = beginnings.toSorted((a, b) => b.length - a.length).map((word) => escape(word));
  if (longestFirst.length === 0) return undefined;
  const unparted = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
  const letter = String.raw`[[\p{L}\p{M}\p{N}]--[${unparted}]]`;
  return new RegExp(`(?<!${letter})(?:${longestFirst.join("|")})${letter}*`, "giv");
}

function escape(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

function startOfWord(text: string, from: number, latest: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, latest).search(/\s\S/);
  return space < 0 ? unsplit(text, from) : from + space + 1;
}

function endOfWord(text: string, to: number, earliest: number): number {
  if (to >= text.length) return text.length;
  const spaceBefore = text.slice(0, to).search(/\s\S*$/);
  return spaceBefore > earliest ? spaceBefore : unsplit(text, Math.max(to, earliest));
}

/** Not between the halves of a pair. */
function unsplit(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at + 1 : at;
}
