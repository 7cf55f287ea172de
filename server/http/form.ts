/** What is wrong with a form, in words for the client. */
export class FormError extends Error {
  override name = "FormError";
}

/**
 * Reads an application/x-www-form-urlencoded body. Brackets in names make objects and arrays, in the way
 * of Rack and PHP: `a[b]=1`; `a[]=1&a[]=2`; `a[0][b]=1&a[1][b]=2` in any order, gaps closed; and
 * `a[][b]=1&a[][c]=2&a[][b]=3`, where a key that the last element has begins the next one. A name that is given twice
 * counts as it is given last. Objects have no prototype, so that a field named `__proto__` is a field like any other.
 * @throws FormError when it can't be read, contradicts itself or is beyond a limit.
 */
export function parseForm(body: string): Record<string, unknown> {
  const pairs = body.split("&", MOST_PAIRS + 1);
  if (pairs.length > MOST_PAIRS) throw new FormError(`the form has more than ${MOST_PAIRS} fields`);
  const root = branch("object");
  for (const pair of pairs) {
    if (pair === "") continue;
    const [, name = pair, value = ""] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    put(root, readName(decode(name)), decode(value));
  }
  return objectOf(root);
}

/** Pairs in one body: far above what the largest request needs. */
const MOST_PAIRS = 50_000;
/** Brackets after a name. The contract's deepest body needs two. */
const MOST_BRACKETS = 8;
const GREATEST_INDEX = 10_000;

type Kind = "object" | "array by index" | "array by order";

/** A step from a branch to one of its children. The key is not known yet where it is the next one in order. */
interface Step {
  readonly kind: Kind;
  readonly key: string;
}

interface Branch {
  readonly kind: Kind;
  readonly children: Map<string, Branch | string>;
}

function branch(kind: Kind): Branch {
  return { kind, children: new Map() };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new FormError("the form is not percent-encoded UTF-8");
  }
}

function readName(name: string): Step[] {
  const [field = "", ...brackets] = name.split("[", MOST_BRACKETS + 2);
  if (brackets.length > MOST_BRACKETS) throw new FormError(`a name has more than ${MOST_BRACKETS} brackets`);
  return [{ kind: "object", key: field }, ...brackets.map(readBracket)];
}

function readBracket(bracket: string): Step {
  const key = bracket.slice(0, -1);
  if (!bracket.endsWith("]") || key.includes("]")) throw new FormError("the brackets of a name don't match");
  if (key === "") return { kind: "array by order", key };
  if (!/^\d+$/.test(key)) return { kind: "object", key };
  if (Number(key) > GREATEST_INDEX) throw new FormError(`an index is greater than ${GREATEST_INDEX}`);
  return { kind: "array by index", key: String(Number(key)) };
}

function put(parent: Branch, steps: readonly Step[], value: string): void {
  const [step, ...rest] = steps;
  if (step === undefined) return;
  if (step.kind !== parent.kind)
    throw new FormError(`a name is used for an ${parent.kind} and an ${step.kind}`);
  const key = parent.kind === "array by order" ? keyInOrder(parent, rest) : step.key;
  const child = parent.children.get(key);
  const [next] = rest;
  if (next === undefined) {
    if (typeof child === "object")
      throw new FormError(`${step.key} is used for a value and an ${child.kind}`);
    parent.children.set(key, value);
    return;
  }
  if (typeof child === "string") throw new FormError(`${step.key} is used for a value and an ${next.kind}`);
  const grown = child ?? branch(next.kind);
  parent.children.set(key, grown);
  put(grown, rest, value);
}

/** The last element's key while it can take the rest of the name, else the next key. */
function keyInOrder(array: Branch, rest: readonly Step[]): string {
  const last = array.children.get(String(array.children.size - 1));
  const takes = typeof last === "object" && rest.length > 0 && !has(last, rest);
  return String(takes ? array.children.size - 1 : array.children.size);
}

/** Whether the branch holds anything under these steps already. An array in order always has room for one more. */
function has(parent: Branch, [step, ...rest]: readonly Step[]): boolean {
  if (step === undefined) return true;
  if (step.kind === "array by order") return false;
  const child = parent.children.get(step.key);
  return typeof child === "object" ? has(child, rest) : child !== undefined;
}

function valueOf(child: Branch | string): unknown {
  if (typeof child === "string") return child;
  if (child.kind === "object") return objectOf(child);
  // Elements in order are in order already; by index they are wherever the client wrote them.
  const entries = [...child.children].toSorted(([a], [b]) => Number(a) - Number(b));
  return entries.map(([, element]) => valueOf(element));
}

function objectOf({ children }: Branch): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, child] of children) object[key] = valueOf(child);
  return object;
}
