import { commonPasswords, commonWords } from "./common-passwords.ts";

/** NIST SP 800-63B: length is what counts. Nothing is asked of the kinds of characters. */
export const LEAST_PASSWORD_CHARACTERS = 12;
/** Longer than any sentence that somebody types; a bound for the hash. */
export const MOST_PASSWORD_CHARACTERS = 128;
/** Fewer different characters than this are a pattern, such as abababababab. */
const LEAST_DIFFERENT_CHARACTERS = 5;
/** What must be left of a password without the words that everybody knows of the person. */
const LEAST_CHARACTERS_OF_ONES_OWN = 6;
/** A shorter word stands in others by chance. */
const LEAST_WORD_CHARACTERS = 4;
/** Rows that fingers run along, and the orders that everybody knows. */
const RUNS = ["abcdefghijklmnopqrstuvwxyz", "0123456789", "qwertyuiopasdfghjklzxcvbnm"]
  .map((run) => run.repeat(Math.ceil(MOST_PASSWORD_CHARACTERS / run.length) + 1))
  .flatMap((run) => [run, Array.from(run).toReversed().join("")]);

/** What anybody can know of whose password it is. */
export interface Known {
  readonly name: string;
  readonly email: string;
  readonly subdomain: string;
}

/**
 * What is wrong with a new password, as the end of a sentence.
 * @param known whose it is, where that is known.
 * @returns undefined for a good one.
 */
export function findPasswordFault(password: string, known?: Known): string | undefined {
  const { length } = Array.from(password);
  if (length < LEAST_PASSWORD_CHARACTERS) {
    return `must have at least ${LEAST_PASSWORD_CHARACTERS} characters: a few words that are not a saying do well`;
  }
  if (length > MOST_PASSWORD_CHARACTERS) {
    return `must have at most ${MOST_PASSWORD_CHARACTERS} characters`;
  }
  const folded = password.normalize("NFKC").toLowerCase();
  if (isCommon(folded)) return "is among those that are guessed first: choose a few words of your own";
  if (isPattern(folded)) return "is a pattern that is soon guessed: choose a few words of your own";
  if (known !== undefined && isMadeOf(folded, known))
    return "is made of your name, e-mail or company, which others know too";
  return undefined;
}

function isCommon(folded: string): boolean {
  if (commonPasswords.has(folded) || commonPasswords.has(folded.replaceAll(/\s/g, ""))) return true;
  const inner = folded.replaceAll(/^[^\p{Letter}@$]+|[^\p{Letter}]+$/gu, "");
  const letters = inner
    .replaceAll(/[@$0134579]/g, (sign) => LETTERS[sign] ?? "")
    .replaceAll(/[^\p{Letter}]/gu, "");
  return commonWords.has(letters) || isOfTwoWords(letters);
}

/** What stands for letters in the hope that nobody thinks of it. */
const LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  ["@a", "$s", "0o", "1i", "3e", "4a", "5s", "7t", "9g"].map(([sign = "", letter = ""]) => [sign, letter]),
);

/** Two of the words that come first are guessed next. */
function isOfTwoWords(letters: string): boolean {
  for (let cut = 1; cut < letters.length; cut += 1) {
    if (commonWords.has(letters.slice(0, cut)) && commonWords.has(letters.slice(cut))) return true;
  }
  return false;
}

function isPattern(folded: string): boolean {
  if (new Set(folded).size < LEAST_DIFFERENT_CHARACTERS) return true;
  if (/^(.{1,6}?)\1+$/su.test(folded)) return true;
  return RUNS.some((run) => run.includes(folded));
}

function isMadeOf(folded: string, { name, email, subdomain }: Known): boolean {
  const [local = "", domain = ""] = email.toLowerCase().split("@");
  const words = [
    local,
    ...domain.split("."),
    subdomain,
    "lectern",
    ...`${name} ${local}`.split(/[^\p{Letter}\d]+/u),
  ]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= LEAST_WORD_CHARACTERS)
    .toSorted((one, other) => other.length - one.length);
  const rest = words.reduce((left, word) => left.replaceAll(word, ""), folded);
  return rest !== folded && Array.from(rest).length < LEAST_CHARACTERS_OF_ONES_OWN;
}
