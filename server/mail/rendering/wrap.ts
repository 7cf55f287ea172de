import type { Locale } from "../../users/schema.ts";
import { joinStretches, sliceStretches, stretchesOf } from "./facts.ts";

/** RFC 5322 2.1.1 recommends 78; two are left for the signs of a quotation. */
const LINE_COLUMNS = 76;
/** Signs of Chinese, Japanese and Korean, and pictures, take two columns. */
const WIDE = /[\u3000-\u30ff\p{Script=Han}\p{Script=Hangul}\uff01-\uff60\p{Emoji_Presentation}]/u;
const WITHOUT_WIDTH = /[\p{M}\p{Cf}]/u;

/** Breaks a text into lines of at most 76 columns where its language lets one. A word that is longer stays whole. */
export function wrapText(
  text: string,
  options: { readonly locale: Locale; readonly direction: "ltr" | "rtl"; readonly indent?: string },
): string[] {
  const stretches = stretchesOf(text);
  const plain = stretches.map((stretch) => stretch.text).join("");
  const columns = LINE_COLUMNS - columnsOf(options.indent ?? "");
  const lines: string[] = [];
  let start = 0;
  for (const line of breakLines(piecesOf(plain, options.locale), columns)) {
    const end = start + line.length;
    lines.push(
      joinStretches(sliceStretches(stretches, start, start + line.trimEnd().length), options.direction),
    );
    start = end;
  }
  return lines;
}

function breakLines(pieces: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const piece of pieces) {
    if (line !== "" && columnsOf((line + piece).trimEnd()) > columns) {
      lines.push(line);
      line = "";
    }
    line += piece;
  }
  return [...lines, line];
}

/** Takes a text apart where a line may end: after spaces, and between words that are written without spaces. */
function piecesOf(text: string, locale: Locale): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const { segment } of new Intl.Segmenter(locale, { granularity: "word" }).segment(text)) {
    if (piece !== "" && mayBreak(piece, segment)) {
      pieces.push(piece);
      piece = "";
    }
    piece += segment;
  }
  return [...pieces, piece];
}

function mayBreak(before: string, after: string): boolean {
  if (after.startsWith(" ")) return false;
  if (before.endsWith(" ")) return true;
  const last = before.at(-1) ?? "";
  const first = String.fromCodePoint(after.codePointAt(0) ?? 0);
  // A sign that ends something never begins a line, and one that begins something never ends one.
  if (/[\p{Pe}\p{Pf}\p{Po}ー]/u.test(first) || /[\p{Ps}\p{Pi}]/u.test(last)) return false;
  return WIDE.test(first) || WIDE.test(last);
}

function columnsOf(text: string): number {
  let columns = 0;
  for (const sign of text) columns += WITHOUT_WIDTH.test(sign) ? 0 : WIDE.test(sign) ? 2 : 1;
  return columns;
}
