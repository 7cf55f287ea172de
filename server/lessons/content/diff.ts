import { Type, type Static } from "typebox";
import { closed, component } from "../../http/schema.ts";
import { blockText } from "./search-text.ts";
import type { LessonBlock, LessonDocument } from "./schema.ts";

/** Characters of a text in a change: enough to know it again. */
const MOST_SUMMARY_CHARACTERS = 200;

/** One difference between two versions of a lesson. */
export const ContentChange = component(
  "ContentChange",
  closed({
    change: Type.Unsafe<"added" | "removed" | "changed" | "moved">({
      type: "string",
      enum: ["added", "removed", "changed", "moved"],
    }),
    kind: Type.Unsafe<"section" | "page" | "block">({ type: "string", enum: ["section", "page", "block"] }),
    id: Type.String(),
    summary: Type.String({
      description: "Its title or the beginning of its text, as it is now or was last.",
    }),
    before: Type.Optional(Type.String({ description: "Of a change: the title or text as it was." })),
    after: Type.Optional(Type.String({ description: "Of a change: the title or text as it is." })),
  }),
);
export type ContentChange = Static<typeof ContentChange>;

/**
 * What changed from one version of a lesson to another, by ids: what is new, what changed or moved, in the order of the
 * later one; then what is gone. What moves with its page or section is not told again.
 */
export function diffDocuments(before: LessonDocument, after: LessonDocument): ContentChange[] {
  const [old, now] = [listParts(before), listParts(after)];
  const moved = findMoved(old, now);
  return [
    ...[...now.values()].flatMap((part) => comparePart(old.get(keyOf(part)), part, moved)),
    ...[...old.values()]
      .filter((part) => !now.has(keyOf(part)))
      .map((part): ContentChange => tell("removed", part)),
  ];
}

interface Part {
  readonly kind: ContentChange["kind"];
  readonly id: string;
  readonly parent: string;
  readonly text: string;
  /** All that it consists of, without what stands in it as a part of its own. */
  readonly content: string;
}

function keyOf({ kind, id }: Part): string {
  return `${kind} ${id}`;
}

function listParts({ sections }: LessonDocument): Map<string, Part> {
  const parts = sections.flatMap((section) => [
    titled("section", section, ""),
    ...section.pages.flatMap((page) => [
      titled("page", page, section.id),
      ...page.blocks.map((block) => blockPart(block, page.id)),
    ]),
  ]);
  return new Map(parts.map((part) => [keyOf(part), part]));
}

function titled(
  kind: "section" | "page",
  { id, title }: { id: string; title: string },
  parent: string,
): Part {
  return { kind, id, parent, text: title, content: title };
}

function blockPart(block: LessonBlock, parent: string): Part {
  return { kind: "block", id: block.id, parent, text: blockText(block), content: canonical(block) };
}

/** JSON with its keys in one order, as the database and an editor each have their own. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

function comparePart(old: Part | undefined, now: Part, moved: ReadonlySet<string>): ContentChange[] {
  if (old === undefined) return [tell("added", now)];
  const changes: ContentChange[] = [];
  if (moved.has(keyOf(now))) changes.push(tell("moved", now));
  if (old.content !== now.content) {
    changes.push({ ...tell("changed", now), before: shorten(old.text), after: shorten(now.text) });
  }
  return changes;
}

function tell(change: ContentChange["change"], { kind, id, text }: Part): ContentChange {
  return { change, kind, id, summary: shorten(text) };
}

function shorten(text: string): string {
  const characters = Array.from(text.slice(0, 2 * MOST_SUMMARY_CHARACTERS + 1));
  if (characters.length <= MOST_SUMMARY_CHARACTERS) return text;
  return `${characters.slice(0, MOST_SUMMARY_CHARACTERS - 1).join("")}…`;
}

/** Those with another parent, and the fewest that explain another order below the same one. */
function findMoved(old: ReadonlyMap<string, Part>, now: ReadonlyMap<string, Part>): Set<string> {
  const both = [...now.values()].filter((part) => old.has(keyOf(part)));
  const places = new Map([...old.keys()].map((key, place) => [key, place]));
  const moved = new Set<string>();
  const stayed = Map.groupBy(both, ({ kind, parent }) => `${kind} ${parent}`);
  for (const siblings of stayed.values()) {
    const keys = siblings.map((part) => keyOf(part));
    const here = siblings
      .filter((part) => old.get(keyOf(part))?.parent === part.parent)
      .map((part) => keyOf(part));
    const inOrder = new Set(longestRun(here.map((key) => places.get(key) ?? 0)).map((index) => here[index]));
    for (const key of keys) if (!inOrder.has(key)) moved.add(key);
  }
  return moved;
}

/** The indexes of a longest increasing run of numbers, with gaps. */
function longestRun(numbers: readonly number[]): number[] {
  const previous: (number | undefined)[] = [];
  const ends: number[] = [];
  for (const [index, number] of numbers.entries()) {
    const place = ends.findIndex((end) => (numbers[end] ?? 0) >= number);
    const at = place === -1 ? ends.length : place;
    previous[index] = ends[at - 1];
    ends[at] = index;
  }
  const run: number[] = [];
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) run.unshift(index);
  return run;
}
