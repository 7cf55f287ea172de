/** Words of one text that are found: a long book. A tsvector holds 1 MiB, which these two keep far away from. */
const MOST_WORDS = 100_000;
/** Bytes of the different words of one text. */
const MOST_WORD_BYTES = 150_000;
/** PostgreSQL indexes no longer words. */
const MOST_WORD_CHARACTERS = 500;

const segmenter = new Intl.Segmenter("und", { granularity: "word" });

/**
 * Cuts a text into its words, also where no spaces part them, as in Japanese and Chinese. Texts and queries are cut by
 * this alone, so that both have the same words.
 */
export function cutWords(text: string): string[] {
  const words: string[] = [];
  const known = new Set<string>();
  let bytes = 0;
  for (const { segment, isWordLike } of segmenter.segment(text.normalize("NFKC"))) {
    if (isWordLike !== true || segment.length > MOST_WORD_CHARACTERS) continue;
    if (!known.has(segment)) {
      known.add(segment);
      bytes += Buffer.byteLength(segment);
    }
    words.push(segment);
    if (words.length === MOST_WORDS || bytes > MOST_WORD_BYTES) break;
  }
  return words;
}
