import { invalid } from "../http/problem.ts";
import { isReservedHeader } from "./outgoing.ts";
import { MASK } from "./show.ts";
import { MOST_HEADERS } from "./v2-schema.ts";

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** What every request has of ours. */
const OURS = /^(?:content-type|user-agent|webhook-.*)$/i;

/**
 * Reads fixed headers: names in lower case, each once. A value that is the mask is the one that is there.
 * @throws Problem 422 for what no header can be, and what is not for them to say.
 */
export function readHeaders(
  given: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const entries = Object.entries(given);
  if (entries.length > MOST_HEADERS) {
    throw invalid({ field: "headers", message: `can have at most ${MOST_HEADERS} entries` });
  }
  const headers: Record<string, string> = {};
  for (const [typed, value] of entries) {
    const field = `headers.${typed}`;
    const name = typed.toLowerCase();
    if (!HEADER_NAME.test(name)) throw invalid({ field, message: "is no name that a header can have" });
    if (isReservedHeader(name) || OURS.test(name)) {
      throw invalid({ field, message: "is set by the service: leave it out" });
    }
    if (Object.hasOwn(headers, name)) throw invalid({ field, message: "is there twice" });
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw invalid({ field, message: "must be one line of characters that a header can carry" });
    }
    headers[name] = value === MASK ? knownValue(field, before[name]) : value;
  }
  return headers;
}

/** What the mask stands for. */
function knownValue(field: string, before: string | undefined): string {
  if (before !== undefined) return before;
  throw invalid({ field, message: `is ${MASK}, which stands for a value that is not known: give the value` });
}
