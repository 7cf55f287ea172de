import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { checkStructure, MOST_ITEMS, MOST_LEVELS, type NestedPaths } from "./cycles.ts";

test("paths without a circle can be stored, also one that is nested in many or twice in one", () => {
  const paths = new Map([
    [1, [2, 3, 3]],
    [2, [3, 4]],
    [3, [4]],
  ]);
  assert.equal(checkStructure(paths), undefined);
  assert.equal(checkStructure(new Map()), undefined);
});

test("a path that contains itself, directly or through others, is found with all on the circle", () => {
  assert.deepEqual(checkStructure(new Map([[7, [7]]])), {
    reason: "cycle",
    path_ids: [7],
    message: "path 7 contains itself: 7 → 7",
  });
  const paths = new Map([
    [1, [2]],
    [2, [9, 3]],
    [3, [4]],
    [4, [2]],
  ]);
  assert.deepEqual(checkStructure(paths), {
    reason: "cycle",
    path_ids: [2, 3, 4],
    message: "path 2 contains itself: 2 → 3 → 4 → 2",
  });
});

test("paths nest 400 levels deep, and not one more", () => {
  assert.equal(checkStructure(chain(MOST_LEVELS)), undefined);
  assert.deepEqual(checkStructure(chain(MOST_LEVELS + 1)), {
    reason: "levels",
    path_ids: [1],
    message: "path 1 nests more than 400 levels of paths",
  });
});

test("a path shows 10,000 items with all that is nested in it, and not one more", () => {
  const paths = new Map([[1, [2, 2]]]);
  const room = MOST_ITEMS - 2;
  assert.equal(checkStructure(paths, new Map([[2, room / 2]])), undefined);
  assert.deepEqual(
    checkStructure(
      paths,
      new Map([
        [1, 1],
        [2, room / 2],
      ]),
    ),
    {
      reason: "items",
      path_ids: [1],
      message: "path 1 has more than 10000 items with all that is nested in it",
    },
  );
  assert.deepEqual(checkStructure(new Map(), new Map([[2, MOST_ITEMS + 1]]))?.path_ids, [2]);
});

test("paths that hold the next one twice are measured, not expanded: 900 levels would be 2^900 items", () => {
  const paths = new Map([...chain(900)].map(([path_id, nested]) => [path_id, [...nested, ...nested]]));
  assert.equal(checkStructure(paths)?.reason, "items");
});

test("a long circle is found without running out of stack", () => {
  const length = 200_000;
  const fault = checkStructure(new Map([...chain(length), [length, [1]]]));
  assert.deepEqual([fault?.reason, fault?.path_ids.length], ["cycle", length]);
});

test("whatever the paths, a fault is found exactly where expanding them finds one", () => {
  const ids = fc.integer({ min: 1, max: 8 });
  const structures = fc.array(fc.tuple(ids, fc.array(ids, { maxLength: 3 })), { maxLength: 8 });
  fc.assert(
    fc.property(structures, (entries) => {
      const paths = new Map(entries);
      const fault = checkStructure(paths);
      const circular = [...paths.keys()].filter((path_id) => contains(paths, path_id, path_id));
      assert.equal(fault?.reason, circular.length > 0 ? "cycle" : undefined);
      for (const [index, path_id] of (fault?.path_ids ?? []).entries()) {
        const next = fault?.path_ids[index + 1] ?? fault?.path_ids[0] ?? 0;
        assert.ok(paths.get(path_id)?.includes(next), `${path_id} holds ${next}`);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("levels and items are what writing the contents out would show", () => {
  // Each path holds later ones alone, so there is no circle.
  const structures = fc.array(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 4 }), { maxLength: 30 });
  fc.assert(
    fc.property(structures, fc.integer({ min: 0, max: 400 }), (steps, others) => {
      const paths = new Map(steps.map((nested, index) => [index, nested.map((step) => index + step)]));
      const own = new Map(steps.map((_, index) => [index, others]));
      const isTooLarge = steps.some((_, index) => countItems(paths, own, index) > MOST_ITEMS);
      assert.equal(checkStructure(paths, own)?.reason, isTooLarge ? "items" : undefined);
    }),
    { numRuns: 500 },
  );
});

/** 1 holds 2, 2 holds 3, and so on. */
function chain(levels: number): Map<number, number[]> {
  return new Map(Array.from({ length: levels - 1 }, (_, index) => [index + 1, [index + 2]]));
}

function contains(paths: NestedPaths, from: number, wanted: number, seen = new Set<number>()): boolean {
  return (paths.get(from) ?? []).some((child) => {
    if (child === wanted) return true;
    if (seen.has(child)) return false;
    seen.add(child);
    return contains(paths, child, wanted, seen);
  });
}

/** Expands, and stops where the answer is known. */
function countItems(paths: NestedPaths, own: ReadonlyMap<number, number>, path_id: number): number {
  let items = own.get(path_id) ?? 0;
  for (const child of paths.get(path_id) ?? []) {
    if (items > MOST_ITEMS) return items;
    items += 1 + countItems(paths, own, child);
  }
  return items;
}
