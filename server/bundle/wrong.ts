import { OperatorError } from "../operator-error.ts";

/** What is wrong with a value of a bundle: the message begins with the value's JSON pointer; that of the whole is empty. */
export function wrong(pointer: string, why: string): OperatorError {
  return new OperatorError(pointer === "" ? why : `${pointer}: ${why}`);
}

/** A key as it stands in a JSON pointer (RFC 6901). */
export function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
