import { joinStretches, stretchesOf, type Stretch } from "./facts.ts";

/** Lists of mails show no more than some 70 characters; counted as JavaScript does, so that every way to count agrees. */
const SUBJECT_MAX_LENGTH = 69;
/** A fact that is cut still says what it is about. */
const FACT_MIN_LENGTH = 16;
/** The two marks around a fact. */
const MARKS_LENGTH = 2;

/** Makes the subject fit: the longest fact in it is cut first, then the next, and its words only if that won't do. */
export function fitSubject(subject: string, direction: "ltr" | "rtl"): string {
  const stretches = stretchesOf(harmless(subject));
  const whole = joinStretches(stretches, direction);
  if (whole.length <= SUBJECT_MAX_LENGTH) return whole;
  const longest = stretches
    .filter(({ isFact, text }) => isFact && text.length > FACT_MIN_LENGTH)
    .toSorted((a, b) => b.text.length - a.text.length);
  const cut = new Map<Stretch, Stretch>();
  for (const fact of longest) {
    const fitted = stretches.map((stretch) => cut.get(stretch) ?? stretch);
    const over = joinStretches(fitted, direction).length - SUBJECT_MAX_LENGTH;
    if (over <= 0) break;
    cut.set(fact, { ...fact, text: cutText(fact.text, Math.max(fact.text.length - over, FACT_MIN_LENGTH)) });
  }
  return cutEnd(
    stretches.map((stretch) => cut.get(stretch) ?? stretch),
    direction,
  );
}

/** A subject in which no encoded word begins (RFC 2047). A letter has none in any case: here it still counts as length. */
function harmless(subject: string): string {
  return subject.replaceAll("=?", "= ?");
}

/** Cuts what is still too long, without losing the mark that ends a fact. */
function cutEnd(stretches: readonly Stretch[], direction: "ltr" | "rtl"): string {
  const kept: Stretch[] = [];
  let left = SUBJECT_MAX_LENGTH;
  for (const stretch of stretches) {
    const marks = joinStretches([stretch], direction).length - stretch.text.length;
    const text = cutText(stretch.text, left - marks);
    kept.push({ ...stretch, text });
    left -= text.length + marks;
    if (text !== stretch.text || left <= MARKS_LENGTH) break;
  }
  return joinStretches(kept, direction);
}

/** Cuts between two characters as a reader sees them, and says so with an ellipsis. */
function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter("und", { granularity: "grapheme" }).segment(text)) {
    if (kept.length + segment.length >= maxLength) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
