import { findDifferences, type Written } from "./drafts.ts";
import { nameSteps, type Step } from "./steps.ts";
import type { PathDiff } from "./v2-version-schema.ts";

/**
 * What has changed between what was published and what is to be: settings with other values, and steps that were added,
 * removed, changed, or moved among those that stay. As few as can be count as moved.
 */
export function diffPaths(before: Written | undefined, after: Written): PathDiff {
  const settings = before === undefined ? [] : Object.keys(findDifferences(before.settings, after.settings));
  return { settings, contents: diffSteps(before?.steps ?? [], after.steps) };
}

function diffSteps(before: readonly Step[], after: readonly Step[]): PathDiff["contents"] {
  const had = new Map(nameSteps(before).map((name, index) => [name, { index, step: before[index] }]));
  const names = nameSteps(after);
  const kept = names.flatMap((name) => had.get(name)?.index ?? []);
  const unmoved = new Set(longestRise(kept));
  const has = new Set(names);
  const removed = [...had.keys()]
    .filter((name) => !has.has(name))
    .map((step_id) => ({ step_id, change: "removed" as const }));
  const others = names.flatMap((step_id, index): PathDiff["contents"] => {
    const known = had.get(step_id);
    if (known === undefined) return [{ step_id, change: "added" }];
    const isSame = JSON.stringify(known.step) === JSON.stringify(after[index]);
    return [
      ...(isSame ? [] : [{ step_id, change: "changed" as const }]),
      ...(unmoved.has(known.index) ? [] : [{ step_id, change: "moved" as const }]),
    ];
  });
  return [...removed, ...others];
}

/** The longest of the subsequences that rise. A path has at most some hundred steps: the square of that is little. */
function longestRise(numbers: readonly number[]): number[] {
  const best: number[][] = [];
  for (const [index, number] of numbers.entries()) {
    let longest: number[] = [];
    for (const rise of best.slice(0, index)) {
      if ((rise.at(-1) ?? -1) < number && rise.length > longest.length) longest = rise;
    }
    best.push([...longest, number]);
  }
  return best.reduce((longest, rise) => (rise.length > longest.length ? rise : longest), []);
}
