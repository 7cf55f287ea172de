// Facts are what people typed: names, titles, addresses. They stand between two marks (U+2068 and U+2069) from the
// moment when they meet the words around them. So their direction can't turn those words, the subject knows what it may
// cut, and the HTML knows what to isolate.

const BEGIN = "\u2068";
const END = "\u2069";
const MARKED = /\u2068([^\u2068\u2069]*)\u2069/;
/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** A stretch of a text: a fact, or the words around facts. */
export interface Stretch {
  readonly text: string;
  readonly isFact: boolean;
}

/** Gives one fact with its marks, on one line, without what turns the direction of the text after it. */
export function markFact(fact: string): string {
  return `${BEGIN}${oneLine(fact).trim()}${END}`;
}

/** Gives a mail's facts with every text in them marked, however deep it is. Numbers and nulls stay as they are. */
export function markFacts<Facts>(facts: Facts): Facts {
  const marked: Facts = JSON.parse(JSON.stringify(facts), (_key, value: unknown) =>
    typeof value === "string" ? markFact(value) : value,
  );
  return marked;
}

/** Gives the part of a row of stretches that lies between two places of its text. */
export function sliceStretches(stretches: readonly Stretch[], start: number, end: number): Stretch[] {
  let passed = 0;
  return stretches.flatMap(({ text, isFact }) => {
    const from = Math.max(start - passed, 0);
    const to = Math.max(end - passed, 0);
    passed += text.length;
    const part = text.slice(from, to);
    return part === "" ? [] : [{ text: part, isFact }];
  });
}

/** Takes a text apart into facts and words; marks that have no partner are dropped. */
export function stretchesOf(text: string): Stretch[] {
  return text
    .split(MARKED)
    .map((part, index) => ({ text: oneLine(part), isFact: index % 2 === 1 }))
    .filter((stretch) => stretch.text !== "");
}

/**
 * Joins stretches to plain text. Marks stay only where the direction could turn: some mail programs show a box for them.
 */
export function joinStretches(stretches: readonly Stretch[], direction: "ltr" | "rtl"): string {
  return stretches
    .map(({ text, isFact }) => {
      const needsMarks = isFact && (direction === "rtl" || RIGHT_TO_LEFT.test(text));
      return needsMarks ? `${BEGIN}${text}${END}` : text;
    })
    .join("");
}

/** Makes one line: control characters become a space; marks of direction and halves of characters go. */
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u202a-\u202e\u2066-\u2069\ufeff]/g, "")
    .replace(/ *[\p{Cc}\p{Zl}\p{Zp}]+ */gu, " ");
}
