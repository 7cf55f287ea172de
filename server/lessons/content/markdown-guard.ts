import { isStorable } from "../../http/input.ts";
import { invalid, type Problem } from "../../http/problem.ts";
import { MOST_BYTES, MOST_RICH_TEXT_LEVELS } from "./limits.ts";

/** Lines of a file: what 1 MB of prose has, and what the parser reads in a second or two. */
const MOST_LINES = 30_000;

/** Characters of one paragraph that begin or end a mark, a link or code: the parser's time grows with their square. */
const MOST_DELIMITERS = 1_000;

/** Spaces before a text: those of a list in a list, as deep as rich text may be. */
const MOST_INDENTATION = 4 * MOST_RICH_TEXT_LEVELS;

/** Containers in each other: a question holds none. */
const MOST_CONTAINERS = 4;

/** Quotation and list marks at the start of a line. */
const MARKERS = /^(?:[ \t]*(?:>|(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t])))+/;

/**
 * Refuses what would keep the parser busy for minutes, before it sees it: deep nesting and thousands of marks in one
 * paragraph. Code is left as it is.
 *
 * @throws 400 with the line.
 */
export function guardMarkdown(text: string): void {
  if (Buffer.byteLength(text) > MOST_BYTES) {
    throw invalid({ field: "markdown", message: `can have at most ${MOST_BYTES} bytes: split the lesson` });
  }
  const lines = text.split("\n");
  if (lines.length > MOST_LINES) throw wrongLine(MOST_LINES + 1, `is one too many: split the lesson`);
  const state: State = { fence: "", containers: 0, delimiters: 0 };
  for (const [index, line] of lines.entries()) {
    const message = isStorable(line) ? readLine(line, state) : "has a character that no text has: remove it";
    if (message !== undefined) throw wrongLine(index + 1, message);
  }
}

/** 400 for one line of the file. */
export function wrongLine(line: number, message: string): Problem {
  return invalid({ field: `line ${line}`, message });
}

interface State {
  /** The fence of the code that is open. */
  fence: string;
  containers: number;
  delimiters: number;
}

function readLine(line: string, state: State): string | undefined {
  if (state.fence !== "") {
    if (closes(line, state.fence) || (state.containers > 0 && CONTAINER_END.test(line))) state.fence = "";
    else return undefined;
  }
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence !== undefined) {
    state.fence = fence;
    return state.containers > 0 ? "begins code in a container: code is a block of its own" : undefined;
  }
  return nest(line, state) ?? countDelimiters(line, state);
}

const CONTAINER_END = /^ {0,3}:{3,}[ \t]*$/;

function closes(line: string, fence: string): boolean {
  const mark = line.trim();
  return mark.length >= fence.length && mark === fence.slice(0, 1).repeat(mark.length);
}

function nest(line: string, state: State): string | undefined {
  if (CONTAINER_END.test(line)) state.containers = Math.max(0, state.containers - 1);
  else if (/^ {0,3}:{3,}[A-Za-z]/.test(line)) state.containers += 1;
  if (state.containers > MOST_CONTAINERS) return "opens a container in too many others: close them with :::";
  const markers = MARKERS.exec(line)?.[0].replaceAll(/[ \t]/g, "") ?? "";
  const indentation = line.length - line.trimStart().length;
  if (markers.length > MOST_RICH_TEXT_LEVELS || indentation > MOST_INDENTATION) {
    return `is nested deeper than ${MOST_RICH_TEXT_LEVELS} levels: take it out of its lists`;
  }
  return undefined;
}

function countDelimiters(line: string, state: State): string | undefined {
  // Only what surely begins another paragraph: a list item of 2 or more does not.
  if (line.trim() === "" || /^ {0,3}(?:[-*+] +\S|#{1,6} )/.test(line)) state.delimiters = 0;
  state.delimiters += line.match(/[*_~`[\]<]/g)?.length ?? 0;
  return state.delimiters > MOST_DELIMITERS
    ? `is of a paragraph with more than ${MOST_DELIMITERS} marks: split the paragraph`
    : undefined;
}
