import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../http/problem.ts";
import { readMarkdown } from "./markdown-read.ts";
import { readDocument } from "./read.ts";
import { richText } from "./rich-text.ts";

/** What is refused may take so long, or, on a slow machine, so many times what the longest lesson takes. */
const MOST_MS = 100;
const MOST_TIMES = 20;
const TRIES = 3;

test("what is left out gets its default, and what an editor adds is tidied", () => {
  const paragraph = {
    type: "paragraph",
    attrs: { textAlign: null },
    content: [
      { type: "text", text: " one" },
      { type: "text", text: " two " },
      {
        type: "text",
        marks: [{ type: "bold" }, { type: "link", attrs: { href: "https://a.example", target: "_blank" } }],
        text: "x",
      },
    ],
  };
  const content = { type: "doc", content: [paragraph, { type: "paragraph" }] };
  const question = {
    id: "q",
    type: "multiple_choice",
    prompt: richText("Why?"),
    choices: [
      { id: "a", text: " So\n", correct: true },
      { id: "b", text: "Not" },
    ],
  };
  assert.deepEqual(
    readDocument(lessonOf([{ id: "t", type: "rich_text", content }, question])),
    lessonOf([
      {
        id: "t",
        type: "rich_text",
        content: {
          type: "doc",
          content: [
            {
              type: "paragraph",
              content: [
                { type: "text", text: "one two " },
                {
                  type: "text",
                  text: "x",
                  marks: [{ type: "link", attrs: { href: "https://a.example" } }, { type: "bold" }],
                },
              ],
            },
          ],
        },
      },
      {
        ...question,
        choices: [
          { id: "a", text: "So", correct: true, feedback: "" },
          { id: "b", text: "Not", correct: false, feedback: "" },
        ],
        multiple: false,
        shuffle: false,
        partial_credit: false,
        weight: 1,
        hints: [],
        feedback: { correct: "", incorrect: "" },
      },
    ]),
  );
});

test("each wrong field is named, with what to do", () => {
  const prompt = richText("Why?");
  const choices = [
    { id: "a", text: "So" },
    { id: "a", text: "Not" },
  ];
  const wrong: readonly [object | string, string][] = [
    ["text", " must be an object"],
    [
      { id: "x", type: "html" },
      ".type must be one of rich_text, image, video, audio, file, embed, code, callout, divider, multiple_choice, true_false, match, order, fill_blank, free_response, practice_recording, poll",
    ],
    [
      { id: "X", type: "divider" },
      ".id must be 1 to 40 of the characters a-z, 0-9 and -, and stay the same when the content is edited",
    ],
    [{ id: "s", type: "divider" }, ".id is the id of sections[0] already: give each its own"],
    [{ id: "x", type: "divider", html: "<b>" }, ".html is no key of this: remove it"],
    [{ id: "x", type: "image", file_id: "12" }, ".file_id must be an integer"],
    [{ id: "x", type: "true_false", prompt, correct: "true" }, ".correct must be a boolean"],
    [
      { id: "x", type: "true_false", prompt: richText(" "), correct: true },
      ".prompt is empty: write the question",
    ],
    [{ id: "x", type: "true_false", prompt, correct: true, weight: 101 }, ".weight must be at most 100"],
    [
      { id: "x", type: "multiple_choice", prompt, choices: choices.slice(1) },
      ".choices must have at least 2 elements",
    ],
    [
      { id: "x", type: "multiple_choice", prompt, choices },
      ".choices[1].id is a, as another's of this question: give it its own; sections[0].pages[0].blocks[0].choices has no right choice: mark at least one",
    ],
    [
      { id: "x", type: "fill_blank", prompt, blanks: [{ id: "a", answers: ["b"] }] },
      ".blanks[0] must stand in the prompt's text once, as {{a}}, and not in code; it is there 0 times",
    ],
    [
      { id: "x", type: "free_response", prompt, min_length: 5, max_length: 4 },
      ".max_length must be at least min_length",
    ],
    [
      { id: "x", type: "rich_text", content: linkTo("javascript:alert(1)") },
      ".content.content[0].content[0].marks[0].attrs.href must be an address that begins with https://, http:// or mailto: and has no spaces",
    ],
    [
      { id: "x", type: "rich_text", content: { type: "doc", content: [{ type: "tableRow" }] } },
      ".content.content[0] is a tableRow, which can't stand in a doc: move it",
    ],
    [
      { id: "x", type: "rich_text", content: { type: "doc", content: [{ type: "image" }] } },
      ".content.content[0].type must be one of paragraph, heading, bulletList, orderedList, blockquote, table, listItem, tableRow, tableHeader, tableCell, hardBreak, text",
    ],
    [
      { id: "x", type: "rich_text", content: JSON.parse('{"type":"doc","content":[],"__proto__":{"a":1}}') },
      ".content.__proto__ is no key of this: remove it",
    ],
  ];
  for (const [block, message] of wrong) {
    assert.equal(
      messageOf(() => readDocument(lessonOf([block]))),
      `sections[0].pages[0].blocks[0]${message}`,
    );
  }
  assert.equal(
    messageOf(() => readDocument(null, { at: "document" })),
    "document must be an object",
  );
  assert.equal(
    messageOf(() => readDocument({ sections: [{}] }, { at: "document" })),
    "document.sections[0].id is required",
  );
  assert.match(
    messageOf(() =>
      readDocument(lessonOf([{ id: "x", type: "embed", url: "https://evil.example/www.youtube.com" }])),
    ),
    /^sections\[0\]\.pages\[0\]\.blocks\[0\]\.url must be an https address of one of www\.youtube-nocookie\.com, /,
  );
});

test("content bombs are refused at once", () => {
  const bombs: readonly [unknown, RegExp][] = [
    [
      lessonOf(dividers(10_000)),
      /^sections can have at most 2000 blocks in all, but has 10000: split the lesson$/,
    ],
    [
      lessonOf([{ id: "x", type: "rich_text", content: richText("a".repeat(2 ** 20)) }]),
      /^sections\[0\]\.pages\[0\]\.blocks\[0\]\.content can have at most 100000 characters: split the text$/,
    ],
    [lessonOf(dividers(30_000)), /^sections can have at most 2000 blocks in all/],
    [lessonOf(Array.from({ length: 99_000 }, () => 1)), /can have at most/],
    [
      lessonOf([
        { id: "x", type: "poll", prompt: richText("?"), choices: Array.from({ length: 30_000 }, () => 1) },
      ]),
      /^sections\[0\]\.pages\[0\]\.blocks\[0\]\.choices can have at most 100 elements$/,
    ],
    ["x".repeat(2 ** 20), /^document can have at most 100000 characters: split the text$/],
    [Array.from({ length: 1_000_000 }), /^document can have at most 100000 elements$/],
    [
      { sections: Array.from({ length: 12 }, () => "x".repeat(90_000)) },
      /^document can have at most 1000000 bytes: split the lesson$/,
    ],
    [
      lessonOf([{ id: "x", type: "code", text: "a\0b" }]),
      /^sections\[0\]\.pages\[0\]\.blocks\[0\]\.text holds a character/,
    ],
    ...[15, 1_000, 10_000, 100_000].map((levels): [unknown, RegExp] => [
      lessonOf([{ id: "x", type: "rich_text", content: { type: "doc", content: [nest(levels)] } }]),
      /^sections\[0\]\.pages\[0\]\.blocks\[0\]\.content\S* is nested deeper than 20 levels: take content out of it$/,
    ]),
  ];
  const most = mostMs();
  for (const [value, message] of bombs) {
    const took = leastMsOf(() =>
      assert.match(
        messageOf(() => readDocument(value)),
        message,
      ),
    );
    assert.ok(took < most, `${message} took ${took} ms of ${most}`);
  }
});

test("Markdown bombs are refused at once", () => {
  const bombs = [
    ">".repeat(100_000),
    "- ".repeat(1000),
    "a**b".repeat(50_000),
    "[a](".repeat(30_000),
    "`a``".repeat(9000),
    "x".repeat(2 ** 20),
    "\n".repeat(40_000),
    ":::a\n".repeat(1000),
    "a\n".repeat(29_000) + "*".repeat(2000),
  ];
  const most = mostMs();
  for (const bomb of bombs) {
    const took = leastMsOf(() =>
      assert.match(
        messageOf(() => readMarkdown(`---\ntitle: T\n---\n${bomb}`)),
        /^(line \d+|markdown) /,
      ),
    );
    assert.ok(took < most, `${bomb.slice(0, 20)} took ${took} ms of ${most}`);
  }
  const front = [
    "a: &a [x]\nb: *a",
    "[".repeat(40_000),
    "a: 1\na: 2",
    "- ".repeat(20_000),
    "title: T\nevil: 1",
    "title: {",
  ];
  for (const yaml of front) {
    const took = leastMsOf(() =>
      assert.match(
        messageOf(() => readMarkdown(`---\n${yaml}\n---\n`)),
        /^line \d+ /,
      ),
    );
    assert.ok(took < most, `${yaml.slice(0, 20)} took ${took} ms of ${most}`);
  }
});

function lessonOf(blocks: readonly unknown[]) {
  return { sections: [{ id: "s", title: "S", pages: [{ id: "p", title: "P", blocks }] }] };
}

function nest(levels: number): object {
  let node: object = { type: "paragraph", content: [{ type: "text", text: "deep" }] };
  for (let level = 0; level < levels; level += 1)
    node = { type: "bulletList", content: [{ type: "listItem", content: [{ type: "paragraph" }, node] }] };
  return node;
}

function linkTo(href: string) {
  const text = { type: "text", text: "x", marks: [{ type: "link", attrs: { href } }] };
  return { type: "doc", content: [{ type: "paragraph", content: [text] }] };
}

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof Problem && error.status === 400, String(error));
    return error.message;
  }
  return assert.fail("nothing was thrown");
}

function dividers(count: number) {
  return Array.from({ length: count }, (_, index) => ({ id: `d-${index}`, type: "divider" }));
}

function mostMs(): number {
  const longest = lessonOf(
    Array.from({ length: 2_000 }, (_, index) => ({
      id: `r-${index}`,
      type: "rich_text",
      content: richText("a".repeat(200)),
    })),
  );
  const longestMs = msOf(() => {
    for (let times = 0; times < MOST_TIMES; times += 1) readDocument(longest);
  });
  return Math.max(MOST_MS, longestMs);
}

function leastMsOf(action: () => unknown): number {
  return Math.min(...Array.from({ length: TRIES }, () => msOf(action)));
}

/** Time of this thread's own, as others work on the same machine. It may be counted in steps of some milliseconds. */
function msOf(action: () => unknown): number {
  const begun = process.threadCpuUsage();
  action();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1000;
}
