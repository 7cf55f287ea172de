import { TokenParser, Tokenizer, TokenType } from "@streamparser/json";
import { OperatorError } from "../operator-error.ts";
import { COMPANY_KEY, FORMAT, FORMAT_KEY, type Part, parts } from "./parts.ts";
import { escapeKey, wrong } from "./wrong.ts";

/** Levels of arrays and objects: a path assignment has two for each of a thousand nested paths. */
const MOST_LEVELS = 4_096;
/** Bytes of one element: a group of a million users with their ids takes a third of it. */
const LARGEST_ELEMENT_BYTES = 64 * 1024 * 1024;

/** Takes the text of a bundle as it comes, in pieces of any size, and gives its elements one by one. */
export class Splitter {
  readonly #company = new Map<string, unknown>();
  readonly #onElement: (part: Part, element: unknown) => void;
  readonly #tokenizer = new FiniteTokenizer();
  readonly #parser = new TokenParser({ paths: ["$.*.*"], keepStack: false });
  readonly #seen = new Set<string>();
  #level = 0;
  #text = "";
  #key: string | undefined;
  #awaitsValue = false;
  #elements = 0;
  #bytes = 0;
  #bytesAtElement = 0;

  constructor(onElement: (part: Part, element: unknown) => void) {
    this.#onElement = onElement;
    this.#parser.onValue = ({ key, value }) => this.#take(key, value);
    this.#parser.onError = (error) => {
      throw error;
    };
    this.#parser.onEnd = () => this.#tokenizer.end();
    this.#tokenizer.onToken = (token) => {
      this.#follow(token.token, token.value);
      this.#parser.write(token);
    };
  }

  /** What the bundle says of the company itself. */
  get company(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#company);
  }

  /** @throws OperatorError naming the place where the text ceases to be a bundle. */
  write(bytes: Uint8Array): void {
    this.#explain(() => this.#tokenizer.write(bytes));
    this.#bytes += bytes.length;
    if (this.#bytes - this.#bytesAtElement > LARGEST_ELEMENT_BYTES) {
      throw wrong(this.#place(), `is larger than ${LARGEST_ELEMENT_BYTES / 1024 / 1024} MiB`);
    }
  }

  /** @throws OperatorError when the text ends too early. */
  end(): void {
    if (!this.#parser.isEnded) throw wrong(this.#place(), "the file ends here: it is cut off");
  }

  /** Keeps track of where in the bundle the text is. */
  #follow(token: TokenType, value: unknown): void {
    if (this.#level === 0 && token !== TokenType.LEFT_BRACE) throw wrong("", "a bundle is one JSON object");
    if (this.#level === 1 && this.#awaitsValue) this.#begin(token, value);
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.#level += 1;
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) {
      this.#level -= 1;
      if (this.#level === 1) this.#key = undefined;
    }
    if (this.#level > MOST_LEVELS) throw wrong(this.#place(), `is nested deeper than ${MOST_LEVELS} levels`);
    if (this.#level !== 1) return;
    if (token === TokenType.STRING) this.#text = String(value);
    if (token === TokenType.COLON) {
      this.#key = this.#text;
      this.#awaitsValue = true;
    }
  }

  /** A value of the bundle's own level begins. */
  #begin(token: TokenType, value: unknown): void {
    this.#awaitsValue = false;
    this.#elements = 0;
    const key = this.#key ?? "";
    const pointer = `/${escapeKey(key)}`;
    if (this.#seen.has(key)) throw wrong(pointer, "stands in the file twice");
    this.#seen.add(key);
    if (key === FORMAT_KEY) {
      if (value !== FORMAT) throw wrong(pointer, `must be ${FORMAT}: this version reads no other format`);
    } else if (key === COMPANY_KEY) {
      if (token !== TokenType.LEFT_BRACE) throw wrong(pointer, "must be an object");
    } else if (findPart(key) === undefined) {
      throw wrong(pointer, `is no part of a bundle; its parts are ${[COMPANY_KEY, ...parts].join(", ")}`);
    } else if (token !== TokenType.LEFT_BRACKET) {
      throw wrong(pointer, "must be an array");
    }
  }

  #take(key: string | number | undefined, value: unknown): void {
    const part = findPart(this.#key);
    if (part !== undefined) this.#onElement(part, value);
    else this.#company.set(String(key), value);
    this.#elements += 1;
    this.#bytesAtElement = this.#bytes;
  }

  #place(): string {
    if (this.#key === undefined) return "";
    const part = `/${escapeKey(this.#key)}`;
    return this.#level > 1 && findPart(this.#key) !== undefined ? `${part}/${this.#elements}` : part;
  }

  #explain(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      if (error instanceof RangeError) throw wrong(this.#place(), error.message);
      const isEncoding =
        error instanceof TypeError && "code" in error && error.code === "ERR_ENCODING_INVALID_ENCODED_DATA";
      throw wrong(this.#place(), isEncoding ? "is not UTF-8" : `is not JSON: ${describe(error)}`);
    }
  }
}

/** A number that JSON can write and a computer can't hold would become null further on. */
class FiniteTokenizer extends Tokenizer {
  override parseNumber(text: string): number {
    const number = Number(text);
    if (!Number.isFinite(number))
      throw new RangeError(`holds ${text.slice(0, 40)}, which is beyond all numbers`);
    return number;
  }
}

function findPart(key: string | undefined): Part | undefined {
  return parts.find((part) => part === key);
}

/** The library's words without the name of its inner state. */
function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .replace(/ in state \w+$/, "")
    .replace(/ at chunk position .*position "(\d+)"\)/, " at byte $1");
}
