import fc, { type Arbitrary } from "fast-check";
import type { FrontMatter } from "./markdown-front-matter.ts";

/** Texts that Markdown could take for something else, beside any other. */
const tricky = fc.constantFrom(
  "*",
  "**",
  "_",
  "__",
  "~~",
  "`",
  "``",
  "[",
  "]",
  "](",
  "!",
  "![",
  "<",
  "<b>",
  ">",
  "#",
  "# ",
  "-",
  "- ",
  "1. ",
  "1) ",
  "+ ",
  ":",
  "::",
  ":::",
  ":a",
  ":br",
  ":blank[x]",
  "::hint[x]",
  ":::tip",
  "{#a}",
  "{{a}}",
  "{",
  "}",
  "|",
  "\\",
  "\\|",
  "&",
  "&amp;",
  "&#32;",
  "=",
  "---",
  "***",
  "===",
  "[ ] ",
  "[x] ",
  "https://a.b/c",
  "www.a.b",
  "me@x.org",
  "  ",
  " ",
  "\t",
  "\n",
  "\u00A0",
  "\u2003",
  "\u3000",
  "'",
  '"',
  "\u201C",
  "(",
  ")",
  "$",
  "%",
  ".",
  ",",
  "a",
  "b",
  "word",
  "é",
  "字",
  "👩‍🏫",
  "[^1]",
  "[a]: b",
  "file:12",
  "0",
  "~",
  "^",
  "/",
  "\u200B",
  "\uFEFF",
  "null",
  "true",
  "~~~",
  "```",
);
const anyText = fc
  .array(fc.oneof({ weight: 3, arbitrary: tricky }, fc.string({ unit: "grapheme", maxLength: 6 })), {
    maxLength: 8,
  })
  .map((parts) => parts.join("").replaceAll("\0", "").toWellFormed());
const anyLine = anyText.map((text) => `${text}x`);
const maybeLine = fc.oneof(fc.constant(""), anyText);

const anyMarks = fc.subarray([
  { type: "bold" },
  { type: "italic" },
  { type: "strike" },
  { type: "code" },
  { type: "link", attrs: { href: "https://example.com/a_(b)?c=d&amp;e*f", target: "_blank" } },
  { type: "link", attrs: { href: "mailto:me@example.com" } },
]);
const noMarks = fc.constant<object[]>([]);
const anyInline: Arbitrary<object> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant("text"), text: anyText, marks: fc.oneof(noMarks, anyMarks) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: "hardBreak" }) },
);
const inlines = fc.array(anyInline, { maxLength: 5 });
const paragraph = fc.record({ type: fc.constant("paragraph"), content: inlines });
const heading = fc.record({
  type: fc.constant("heading"),
  attrs: fc.record({ level: fc.integer({ min: 1, max: 4 }) }),
  content: inlines,
});

const table = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }))
  .chain(([width, height]) => {
    const row = (type: string) =>
      fc
        .array(fc.record({ type: fc.constant(type), content: fc.tuple(paragraph) }), {
          minLength: width,
          maxLength: width,
        })
        .map((content) => ({ type: "tableRow", content }));
    return fc
      .tuple(row("tableHeader"), fc.array(row("tableCell"), { maxLength: height }))
      .map(([first, rest]) => ({ type: "table", content: [first, ...rest] }));
  });

const { block } = fc.letrec<{ block: object; blocks: object[]; items: object[] }>((tie) => ({
  block: fc.oneof(
    { depthSize: "small" },
    paragraph,
    heading,
    table,
    fc.record({ type: fc.constant("blockquote"), content: tie("blocks") }),
    fc.record({ type: fc.constant("bulletList"), content: tie("items") }),
    fc.record({
      type: fc.constant("orderedList"),
      attrs: fc.record({ start: fc.constantFrom(0, 1, 2, 999), type: fc.constant(null) }),
      content: tie("items"),
    }),
  ),
  blocks: fc.array(tie("block"), { maxLength: 3 }),
  items: fc.array(
    tie("blocks").map((content) => ({ type: "listItem", content })),
    { minLength: 1, maxLength: 3 },
  ),
}));
const anyRichText = fc.array(block, { maxLength: 4 }).map((content) => ({ type: "doc", content }));
const anyPrompt = anyRichText.map(({ type, content }) => ({
  type,
  content: [...content, { type: "paragraph", content: [{ type: "text", text: "Why?" }] }],
}));

/** Objects of which each has an id of its own. */
function named<T extends object>(arbitrary: Arbitrary<T>, minLength: number) {
  const ids = fc.constantFrom("a", "b", "c", "d", "one", "two-2", "x".repeat(40));
  return fc
    .uniqueArray(ids, { minLength, maxLength: minLength + 2 })
    .chain((keys) => fc.tuple(...keys.map((id) => arbitrary.map((fields) => ({ id, ...fields })))));
}

const scored = {
  prompt: anyPrompt,
  weight: fc.integer({ min: 0, max: 100 }),
  hints: fc.array(anyLine, { maxLength: 2 }),
};
const marked = { ...scored, feedback: fc.record({ correct: maybeLine, incorrect: maybeLine }) };
const partial_credit = fc.boolean();
const shuffle = fc.boolean();
const rubric = named(fc.record({ title: anyLine, points: fc.integer({ min: 1, max: 1000 }) }), 0);

const choices = named(fc.record({ text: anyLine, correct: fc.boolean(), feedback: maybeLine }), 2).map(
  (all) => all.map((choice, index) => ({ ...choice, correct: choice.correct || index === 0 })),
);

const fillBlank = named(
  fc.record({ answers: fc.array(anyLine, { minLength: 1, maxLength: 3 }), case_sensitive: fc.boolean() }),
  1,
).chain((blanks) =>
  fc.record({
    type: fc.constant("fill_blank"),
    blanks: fc.constant(blanks),
    partial_credit,
    ...marked,
    prompt: fc
      .array(fc.tuple(anyText, anyMarks), { minLength: blanks.length, maxLength: blanks.length })
      .map((texts) => ({
        type: "doc",
        content: [
          {
            type: "paragraph",
            content: texts.map(([text, marks], index) => ({
              type: "text",
              text: `${text.replaceAll("{{a}}", "")}{{${blanks[index]?.id}}}`,
              marks: marks.filter(({ type }) => type !== "code"),
            })),
          },
        ],
      })),
  }),
);

const file_id = fc.integer({ min: 1, max: 2 ** 40 });
const is = <T extends string>(type: T) => fc.constant(type);

const anyQuestion: Arbitrary<object> = fc.oneof(
  fc.record({
    type: is("multiple_choice"),
    choices,
    multiple: fc.constant(true),
    shuffle,
    partial_credit,
    ...marked,
  }),
  fc.record({ type: is("true_false"), correct: fc.boolean(), ...marked }),
  fc.record({
    type: is("match"),
    pairs: named(fc.record({ left: anyLine, right: anyLine }), 2),
    shuffle,
    partial_credit,
    ...marked,
  }),
  fc.record({ type: is("order"), items: named(fc.record({ text: anyLine }), 2), partial_credit, ...marked }),
  fillBlank,
  fc.record({
    type: is("free_response"),
    answer_type: fc.constantFrom("text", "file"),
    rubric,
    min_length: fc.integer({ min: 0, max: 50 }),
    max_length: fc.integer({ min: 50, max: 1000 }),
    ...scored,
  }),
  fc.record({
    type: is("practice_recording"),
    media: fc.constantFrom("audio", "video"),
    rubric,
    max_seconds: fc.integer({ min: 1, max: 3600 }),
    ...scored,
  }),
  fc.record({
    type: is("poll"),
    choices: named(fc.record({ text: anyLine }), 2),
    multiple: fc.boolean(),
    shuffle,
    prompt: anyPrompt,
  }),
);

const anyContent: Arbitrary<object> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: is("rich_text"), content: anyRichText }) },
  fc.record({ type: is("image"), file_id, alt: maybeLine, caption: maybeLine, decorative: fc.boolean() }),
  fc.record({ type: is("video"), file_id, caption: maybeLine, captions_file_id: fc.option(file_id) }),
  fc.record({ type: is("audio"), file_id, caption: maybeLine }),
  fc.record({ type: is("file"), file_id, name: anyLine }),
  fc.record({
    type: is("embed"),
    url: fc.constantFrom("https://youtu.be/a_b*c?d=e&amp;f#g", "https://player.vimeo.com/video/1?a=(b)"),
  }),
  fc.record({
    type: is("code"),
    language: fc.constantFrom("", "js", "c++", "_x"),
    text: fc.oneof(anyText, is("a\n\n  b\n")),
  }),
  fc.record({
    type: is("callout"),
    kind: fc.constantFrom("info", "tip", "warning", "danger"),
    content: anyRichText,
  }),
  fc.record({ type: is("divider") }),
);

const anyPage = fc.record({
  title: anyLine,
  blocks: fc.array(fc.oneof({ weight: 2, arbitrary: anyContent }, anyQuestion), { maxLength: 5 }),
});
const anySection = fc.record({ title: anyLine, pages: fc.array(anyPage, { maxLength: 2 }) });

/** Any lesson with texts that are hard on Markdown, as an editor might send it: not yet tidied, without defaults. */
export const anyContentDocument = fc.array(anySection, { maxLength: 3 }).map((sections) => {
  let count = 0;
  const name = <T extends object>(thing: T) => ({ ...thing, id: `n-${(count += 1)}` });
  return {
    sections: sections.map((section) =>
      name({
        ...section,
        pages: section.pages.map((page) => name({ ...page, blocks: page.blocks.map((each) => name(each)) })),
      }),
    ),
  };
});

/** Any front matter, as a lesson might have it. */
export const anyFrontMatter: Arbitrary<FrontMatter> = fc.record({
  title: anyLine,
  description: fc.array(anyText, { maxLength: 3 }).map((lines) => lines.join("\n")),
  language: fc.constantFrom(null, "en", "no", "pt-BR"),
  pass_mark: fc.integer({ min: 0, max: 100 }),
  public: fc.boolean(),
  tags: fc.uniqueArray(anyLine, { maxLength: 3, selector: (tag) => tag.trim() }),
});
