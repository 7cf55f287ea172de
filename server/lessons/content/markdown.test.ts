import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { Problem } from "../../http/problem.ts";
import { anyContentDocument, anyFrontMatter } from "./any-document.ts";
import { readMarkdown } from "./markdown-read.ts";
import { writeMarkdown } from "./markdown-write.ts";
import { listBlocks } from "./questions.ts";
import { readDocument } from "./read.ts";
import { blockSchemas } from "./schema.ts";

test("a lesson that is written as Markdown is read as the same, whatever stands in it", () => {
  fc.assert(
    fc.property(anyContentDocument, anyFrontMatter, (value, given) => {
      const document = readDocument(value);
      assert.deepEqual(readDocument(document), document);
      const markdown = writeMarkdown({ front_matter: given, document });
      const read = readMarkdown(markdown);
      assert.deepEqual(read.document, document, markdown);
      assert.equal(writeMarkdown(read), markdown);
    }),
    { numRuns: 40, seed: 4 },
  );
});

test("the example of the docs has every kind of block, and is itself again", () => {
  const lesson = readMarkdown(readDoc("example-lesson.md"));
  assert.deepEqual(
    new Set(listBlocks(lesson.document).map(({ type }) => type)),
    new Set(blockSchemas.map((schema) => schema.properties.type.const)),
  );
  assert.deepEqual(lesson.front_matter, {
    title: "Phishing, and what to do about it",
    description: "How to recognise a message that wants your password, and whom to tell.",
    language: "en",
    pass_mark: 80,
    public: true,
    tags: ["Security", "Onboarding"],
  });
  assert.deepEqual(readMarkdown(writeMarkdown(lesson)), lesson);
});

test("every example of docs/authoring.md is read", () => {
  const examples = [...readDoc("authoring.md").matchAll(/^(`{3,})markdown\n([^]*?)^\1$/gm)];
  const types = new Set<string>();
  for (const [, , body = ""] of examples) {
    const { document } = readMarkdown(`---\ntitle: T\n---\n${body}`);
    for (const { type } of listBlocks(document)) types.add(type);
  }
  assert.equal(types.size, blockSchemas.length);
});

test("what is written by hand gets ids of its words, the same every time", () => {
  const written = readBody(
    "Hello *you*\n\n---\n\n# One\n\nText at 10:30am\n\n## Two\n\n:::poll\nSure?\n\n- Yes\n- No {#no}\n:::\n\n# One\n\n```\nx\n```",
  );
  assert.deepEqual(written, readBody(writeMarkdown(written).split("---\n").slice(2).join("---\n")));
  assert.deepEqual(
    written.document.sections.map(({ id, title, pages }) => [
      id,
      title,
      pages.map((page) => [page.id, page.title, page.blocks.map((block) => block.id)]),
    ]),
    [
      ["t", "T", [["t-2", "T", ["hello-you", "divider"]]]],
      [
        "one",
        "One",
        [
          ["one-2", "One", ["text-at-10-30am"]],
          ["two", "Two", ["sure"]],
        ],
      ],
      ["one-3", "One", [["one-4", "One", ["code"]]]],
    ],
  );
});

test("what is wrong is told by its line", () => {
  const wrong: readonly [string, string][] = [
    [
      "<b>x</b>",
      "line 4 has HTML, which lessons don't keep: write Markdown, or a backslash before < to mean it as it is",
    ],
    [
      "Some <i>text",
      "line 4 has HTML, which lessons don't keep: write Markdown, or a backslash before < to mean it as it is",
    ],
    ["\n\n::vidio{src=file:1}", "line 6 has vidio, which is no block: see docs/authoring.md for their names"],
    [":::poll{colour=red}\nA?\n\n- b\n- c\n:::", "line 4 has colour, which poll does not know: remove it"],
    [":::poll{weight=2}\nA?\n\n- b\n- c\n:::", "line 4 weight is no key of this: remove it"],
    [
      ":::poll\nA?\n\n- b\n- c",
      "line 4 opens poll, which is never closed: end it with a line of as many colons",
    ],
    [
      ":::poll\nA?\n:::",
      'line 4 does not end with its list: write each as "- choice", hints and feedback below them',
    ],
    [
      "a\n\n:::multiple-choice\nA?\n\n- [ ] b\n- [ ] c\n:::",
      "line 6 choices has no right choice: mark at least one",
    ],
    [
      ":::multiple-choice\nA?\n\n- [x] b\n- c\n:::",
      "line 8 is no choice: begin it with [x] if it is right, or with [ ]",
    ],
    [
      ":::true-false\nA?\n:::",
      "line 4 does not say what is right: write answer=true or answer=false in its braces",
    ],
    [
      ":::match\nA?\n\n- b\n- c\n:::",
      "line 7 has no right side: write one line below it, as a list with one item",
    ],
    ["- [ ] a", "line 4 is a choice [ ] outside of a question: choices come last in :::multiple-choice"],
    ["a :blank[b]", "line 4 has :blank, which has no meaning here: blanks stand in :::fill-blank alone"],
    [
      "a\n![b](https://c.example/d.png)",
      "line 5 has an image in the text: put it into a paragraph of its own",
    ],
    [
      "![b](https://c.example/d.png)",
      "line 4 shows https://c.example/d.png: upload the picture and write its number, as file:12",
    ],
    [
      "[a](javascript:b)",
      "line 4 content.content[0].content[0].marks[0].attrs.href must be an address that begins with https://, http:// or mailto: and has no spaces",
    ],
    ["::image[a]{src=12}", 'line 4 has src="12": write the number of a file, such as src="file:12"'],
    [
      "# **a**",
      "line 4 has **a** where only plain text can stand: put a backslash before it to mean it as it is",
    ],
    [
      "# a {#A}",
      "line 4 id must be 1 to 40 of the characters a-z, 0-9 and -, and stay the same when the content is edited",
    ],
    ["# a {#a}\n\n## b {#a}", "line 6 id is the id of sections[0] already: give each its own"],
    [":::tip\n```\nx\n```\n:::", "line 5 begins code in a container: code is a block of its own"],
  ];
  for (const [body, message] of wrong) {
    const told = messageOf(() => readBody(body)).split("; ");
    assert.equal(told[0], message, body);
  }
  assert.equal(
    messageOf(() => readMarkdown("# a")),
    "line 1 must be ---, with the front matter below it (title: …) and another --- after it",
  );
  assert.equal(
    messageOf(() => readMarkdown("---\ntitle: T\npass_mark: high\n---\n")),
    "line 3 pass_mark must be an integer",
  );
  assert.equal(
    messageOf(() => readMarkdown("---\nauthor: T\n---\n")),
    "line 1 title is required; line 2 author is no key of this: remove it",
  );
});

function readBody(body: string) {
  return readMarkdown(`---\ntitle: T\n---\n${body}`);
}

function readDoc(name: string): string {
  return readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");
}

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return error instanceof Problem ? error.message : String(error);
  }
  return "nothing was thrown";
}
