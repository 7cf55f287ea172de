/**
 * Levels of paths within paths: more than anyone writes by hand, and few enough for every JSON reader's stack. Two
 * thirds of Node's own (984 KiB) are enough for an answer with so many, also for the first, while nothing is compiled.
 */
export const MOST_LEVELS = 400;
/** Items that a path shows with all that is nested in it. A path that holds another twice shows it twice. */
export const MOST_ITEMS = 10_000;

/** Why paths can't be stored as they are. */
export interface StructureFault {
  readonly reason: "cycle" | "levels" | "items";
  /** Those on the cycle, in its order; otherwise the one path that is too deep or too large. */
  readonly path_ids: readonly number[];
  readonly message: string;
}

/** The paths in each path, once for each time that they are in it. A path that is no key contains none. */
export type NestedPaths = ReadonlyMap<number, readonly number[]>;

/**
 * Checks that no path contains itself, directly or through others, and that none grows beyond the limits. Nothing is
 * expanded and nothing recurs: each path is measured once, after all that are in it.
 * @param others how many items of other kinds each path has; none for a path that is no key.
 * @returns a fault, undefined when there is none.
 */
export function checkStructure(
  children: NestedPaths,
  others: ReadonlyMap<number, number> = new Map(),
): StructureFault | undefined {
  const { holders, unmeasured, ready } = prepareOrder(children, others);
  const measures = new Map<number, Measure>();
  for (const path_id of ready) {
    const nested = (children.get(path_id) ?? []).flatMap((child) => measures.get(child) ?? []);
    const measure = addUp(nested, others.get(path_id) ?? 0);
    const fault = findExcess(path_id, measure);
    if (fault !== undefined) return fault;
    measures.set(path_id, measure);
    for (const holder of holders.get(path_id) ?? []) {
      const left = (unmeasured.get(holder) ?? 0) - 1;
      unmeasured.set(holder, left);
      if (left === 0) ready.push(holder);
    }
  }
  return findCycle(children, measures);
}

/** A path's levels, its own among them, and its items with all that is nested in it. */
interface Measure {
  readonly levels: number;
  readonly items: number;
}

/** Who holds each path, how many of what each holds are not measured yet, and those that hold none. */
function prepareOrder(children: NestedPaths, others: ReadonlyMap<number, number>) {
  const holders = new Map<number, number[]>();
  const unmeasured = new Map<number, number>();
  for (const [path_id, nested] of children) {
    unmeasured.set(path_id, nested.length);
    for (const child of nested) {
      const known = holders.get(child) ?? [];
      known.push(path_id);
      holders.set(child, known);
    }
  }
  const all = new Set([...children.keys(), ...holders.keys(), ...others.keys()]);
  return { holders, unmeasured, ready: [...all].filter((path_id) => (unmeasured.get(path_id) ?? 0) === 0) };
}

function addUp(nested: readonly Measure[], others: number): Measure {
  let levels = 1;
  let items = others + nested.length;
  for (const inner of nested) {
    levels = Math.max(levels, inner.levels + 1);
    items += inner.items;
  }
  return { levels, items };
}

function findExcess(path_id: number, { levels, items }: Measure): StructureFault | undefined {
  if (levels > MOST_LEVELS) {
    const message = `path ${path_id} nests more than ${MOST_LEVELS} levels of paths`;
    return { reason: "levels", path_ids: [path_id], message };
  }
  if (items > MOST_ITEMS) {
    const message = `path ${path_id} has more than ${MOST_ITEMS} items with all that is nested in it`;
    return { reason: "items", path_ids: [path_id], message };
  }
  return undefined;
}

/** What could not be measured waits for another such path: going from one to the next ends in a circle. */
function findCycle(
  children: NestedPaths,
  measures: ReadonlyMap<number, Measure>,
): StructureFault | undefined {
  const trail = new Set<number>();
  let path_id = [...children.keys()].find((id) => !measures.has(id));
  while (path_id !== undefined && !trail.has(path_id)) {
    trail.add(path_id);
    path_id = children.get(path_id)?.find((child) => !measures.has(child));
  }
  if (path_id === undefined) return undefined;
  const ids = [...trail];
  const path_ids = ids.slice(ids.indexOf(path_id));
  const message = `path ${path_id} contains itself: ${[...path_ids, path_id].join(" → ")}`;
  return { reason: "cycle", path_ids, message };
}
