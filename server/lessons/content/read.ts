import { Type } from "typebox";
import { type FieldError, invalid } from "../../http/problem.ts";
import { closed } from "../../http/schema.ts";
import { checkBounds } from "./bounds.ts";
import { below } from "./fields.ts";
import { MOST_BLOCKS, MOST_PAGES, MOST_SECTIONS } from "./limits.ts";
import { checkBlock } from "./rules.ts";
import { blockSchemas, type LessonBlock, type LessonDocument, LessonPage, LessonSection } from "./schema.ts";
import { isRecord, tidy } from "./tidy.ts";
import { compileCheck, compileQuickCheck, listErrors } from "./validate.ts";

/**
 * Reads a lesson's content strictly: no unknown key, nothing coerced. What may be left out gets its default, and rich
 * text is brought into one form, so that reading it again changes nothing.
 *
 * @param value anything, also an enemy's: the limits are held before all else.
 * @param options.at what stands before the fields of errors, such as `document`.
 * @throws 400 with each field that is wrong, such as `sections[0].pages[1].blocks[2].choices`.
 */
export function readDocument(value: unknown, { at = "" }: { at?: string } = {}): LessonDocument {
  return below(at, () => {
    checkBounds(value);
    const document = tidy(value);
    const errors: FieldError[] = [];
    if (!isDocument(document, errors)) throw invalid(...errors);
    return document;
  });
}

function isDocument(value: unknown, errors: FieldError[]): value is LessonDocument {
  if (checkFrame(value)) {
    errors.push(...checkSize(value), ...checkNames(value));
    // Blocks are looked at only once there are not too many.
    if (errors.length === 0) errors.push(...checkBlocks(value));
  } else {
    errors.push(...listErrors(checkFrame, ""));
  }
  return errors.length === 0;
}

/** A document whose blocks are not looked at yet. */
interface Frame {
  sections: { id: string; title: string; pages: { id: string; title: string; blocks: unknown[] }[] }[];
}

const checkFrame = compileQuickCheck<Frame>(
  closed({
    sections: Type.Array(
      closed({
        ...LessonSection.properties,
        pages: Type.Array(closed({ ...LessonPage.properties, blocks: Type.Array(Type.Unknown()) }), {
          maxItems: MOST_PAGES,
        }),
      }),
      { maxItems: MOST_SECTIONS },
    ),
  }),
);

function checkSize({ sections }: Frame): FieldError[] {
  const blocks = sections.flatMap(({ pages }) => pages.map((page) => page.blocks.length));
  const total = blocks.reduce((sum, count) => sum + count, 0);
  if (total <= MOST_BLOCKS) return [];
  return [
    {
      field: "sections",
      message: `can have at most ${MOST_BLOCKS} blocks in all, but has ${total}: split the lesson`,
    },
  ];
}

interface Placed<T> {
  readonly item: T;
  readonly field: string;
}

function checkNames(frame: Frame): FieldError[] {
  const places: Placed<unknown>[] = listPages(frame).flatMap(({ item, field }) => [
    { item, field },
    ...item.blocks.map((block, index) => ({ item: block, field: `${field}.blocks[${index}]` })),
  ]);
  const sections = frame.sections.map((item, index) => ({ item, field: `sections[${index}]` }));
  const first = new Map<unknown, string>();
  return [...sections, ...places].flatMap(({ item, field }) => {
    const id = isRecord(item) ? item["id"] : undefined;
    const other = first.get(id);
    if (other === undefined) first.set(id, field);
    if (typeof id !== "string" || other === undefined) return [];
    return [{ field: `${field}.id`, message: `is the id of ${other} already: give each its own` }];
  });
}

function listPages({ sections }: Frame): Placed<Frame["sections"][number]["pages"][number]>[] {
  return sections.flatMap(({ pages }, section) =>
    pages.map((item, page) => ({ item, field: `sections[${section}].pages[${page}]` })),
  );
}

/** Blocks whose errors are listed: one with errors tells of the others' kind. */
const MOST_WRONG_BLOCKS = 20;

function checkBlocks(frame: Frame): FieldError[] {
  const errors: FieldError[] = [];
  let wrong = 0;
  for (const { item: page, field } of listPages(frame)) {
    for (const [index, block] of page.blocks.entries()) {
      const found = findErrors(block, `${field}.blocks[${index}]`);
      errors.push(...found);
      if (found.length > 0) wrong += 1;
      if (wrong === MOST_WRONG_BLOCKS) return errors;
    }
  }
  return errors;
}

const blockChecks = new Map<unknown, ReturnType<typeof compileCheck<LessonBlock>>>(
  blockSchemas.map((schema) => [schema.properties.type.const, compileCheck<LessonBlock>(schema)]),
);

function findErrors(block: unknown, field: string): FieldError[] {
  if (!isRecord(block)) return [{ field, message: "must be an object" }];
  const check = blockChecks.get(block["type"]);
  if (check === undefined) {
    return [{ field: `${field}.type`, message: `must be one of ${[...blockChecks.keys()].join(", ")}` }];
  }
  return check(block) ? checkBlock(block, field) : listErrors(check, field);
}
