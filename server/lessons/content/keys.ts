import { createHmac } from "node:crypto";
import type { LessonQuestion } from "./question-schema.ts";

/** Characters of a key: 64 bits, so that two of a question's hundred are never alike. */
const KEY_CHARACTERS = 16;

/** What of a question a key names. The sides of a pair have keys that don't tell which belong together. */
export type Side = "item" | "left" | "right";

/**
 * The name of a choice, pair, item or blank in one attempt. The author's own ids may tell what is right (`wrong-1`, or a,
 * b, c in the right order), so a learner never sees them; and as nobody can compute a key without the attempt's seed,
 * the order of the keys is a shuffled order.
 */
export function keyOf(
  seed: string,
  question: LessonQuestion,
  { id, side }: { id: string; side: Side },
): string {
  return createHmac("sha256", seed)
    .update(JSON.stringify([question.id, side, id]))
    .digest("hex")
    .slice(0, KEY_CHARACTERS);
}

/** The ids that stand on a side of a question, in the author's order. */
export function listIds(question: LessonQuestion, side: Side): string[] {
  if ("pairs" in question) return side === "item" ? [] : question.pairs.map(({ id }) => id);
  if (side !== "item") return [];
  if ("choices" in question) return question.choices.map(({ id }) => id);
  if ("items" in question) return question.items.map(({ id }) => id);
  if ("blanks" in question) return question.blanks.map(({ id }) => id);
  return [];
}
