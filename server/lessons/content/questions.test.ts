import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { Problem } from "../../http/problem.ts";
import { anyContentDocument } from "./any-document.ts";
import { listMissing, readAnswer, toLearnerAnswer } from "./answers.ts";
import { diffDocuments } from "./diff.ts";
import { answerKeys, answerOptions } from "./distribution.ts";
import { listFileIds } from "./files.ts";
import { findRightAnswer, toLearnerDocument, toLearnerQuestion } from "./learner.ts";
import { type Mark, markAnswer, readGrade, scoreLesson } from "./marks.ts";
import { readMarkdown } from "./markdown-read.ts";
import { findQuestion, listQuestions, needsGrader } from "./questions.ts";
import { readDocument } from "./read.ts";
import { richText } from "./rich-text.ts";
import { searchText } from "./search-text.ts";

const example = readFileSync(new URL("../../../docs/example-lesson.md", import.meta.url), "utf8");
const { document } = readMarkdown(example);
const none: ReadonlySet<string> = new Set();

function question(id: string) {
  return findQuestion(document, id) ?? assert.fail(id);
}

test("nothing that a learner is sent depends on what is right, until it is answered for good", () => {
  fc.assert(
    fc.property(anyContentDocument, (value) => {
      const written = readDocument(value);
      const attempt = { seed: "s3cret", answered: none };
      const sent = toLearnerDocument(written, attempt);
      // The same lesson with other right answers: a learner can't tell them apart.
      const other = structuredClone(written);
      for (const question of listQuestions(other)) {
        if (question.type === "multiple_choice") {
          for (const choice of question.choices)
            Object.assign(choice, { correct: !choice.correct, feedback: "?" });
        }
        if (question.type === "true_false") question.correct = !question.correct;
        if (question.type === "order") question.items.reverse();
        if (question.type === "fill_blank") for (const blank of question.blanks) blank.answers = ["?"];
        if ("feedback" in question) question.feedback = { correct: "?", incorrect: "?" };
      }
      assert.deepEqual(toLearnerDocument(other, attempt), sent);
      for (const question of listQuestions(written)) {
        const { left = [], right = [] } = toLearnerQuestion(question, attempt);
        assert.equal(new Set([...left, ...right].map(({ id }) => id)).size, left.length + right.length);
      }
    }),
    { numRuns: 40, seed: 4 },
  );
});

test("the right answer, as a learner sees it, is read and marked as right; and nothing is lost on the way", () => {
  fc.assert(
    fc.property(anyContentDocument, fc.string(), (value, seed) => {
      for (const question of listQuestions(readDocument(value))) {
        const right = findRightAnswer(question);
        if (right === null) continue;
        const shown = toLearnerAnswer(question, right, seed);
        assert.deepEqual(readAnswer(question, shown, { seed }), right);
        assert.equal(markAnswer(question, right).correct, true);
        assert.equal(markAnswer(question, null).correct, false);
        assert.deepEqual(
          toLearnerQuestion(question, { seed, answered: new Set([question.id]) }).solution?.answer,
          shown,
        );
        const keys = new Set(
          answerOptions(question)
            .filter(({ correct }) => correct)
            .map(({ key }) => key),
        );
        assert.deepEqual(new Set(answerKeys(question, right)), keys);
        assert.deepEqual(listMissing(question, right), []);
      }
    }),
    { numRuns: 40, seed: 4 },
  );
});

test("an attempt has its own order on every device; another attempt has another", () => {
  const ask = (seed: string) => toLearnerQuestion(question("q-order"), { seed, answered: none }).items ?? [];
  assert.deepEqual(ask("one"), ask("one"));
  const orders = Array.from({ length: 50 }, (_, seed) =>
    ask(String(seed))
      .map(({ text }) => text)
      .join(),
  );
  assert.equal(new Set(orders).size, 6);
  assert.ok(!JSON.stringify(toLearnerDocument(document, { seed: "x", answered: none })).includes("Heron"));
});

test("a wrong answer is told by its field", () => {
  const seed = "s";
  const refusal = (id: string, value: unknown) => {
    try {
      readAnswer(question(id), value, { seed });
    } catch (error) {
      return error instanceof Problem ? error.message : String(error);
    }
    return undefined;
  };
  const keys = (id: string) => toLearnerQuestion(question(id), { seed, answered: none });
  const [a, b] = (keys("q-first").choices ?? []).map((choice) => choice.id);
  const [item] = (keys("q-order").items ?? []).map(({ id }) => id);
  const [left] = (keys("q-match").left ?? []).map(({ id }) => id);
  assert.equal(refusal("q-first", { choices: [a] }), undefined);
  assert.equal(refusal("q-first", { choices: [] }), undefined);
  assert.equal(
    refusal("q-first", { choices: [a, b] }),
    "answer.choices can have one choice: this question takes no more",
  );
  assert.equal(
    refusal("q-first", { choices: ["a"] }),
    "answer.choices[0] is no id of this question: use those that came with it",
  );
  assert.equal(refusal("q-first", { choices: [a, a] }), "answer.choices has an element twice: remove one");
  assert.equal(refusal("q-first", { value: true }), "answer.choices is required");
  assert.equal(refusal("q-true", { value: "true" }), "answer.value must be a boolean");
  assert.equal(
    refusal("q-order", { items: [item] }),
    "answer.items must have every item of the question, each once",
  );
  assert.equal(
    refusal("q-match", { pairs: [{ left, right: left }] }),
    "answer.pairs[0].right is no id of this question: use those that came with it",
  );
  assert.equal(refusal("q-free", { text: "x".repeat(2001) }), "answer.text can have at most 2000 characters");
  assert.equal(refusal("q-file", { text: "x" }), "answer.file_id is required");
  assert.equal(refusal("q-file", null), "answer must be an object");
  assert.deepEqual(listMissing(question("q-free"), { text: "short" }), [
    { field: "answer.text", message: "must have at least 20 characters" },
  ]);
});

test("partial credit: right less wrong, and the share of pairs, places and blanks", () => {
  const many = (...choices: string[]) => markAnswer(question("q-many"), { choices }).points;
  assert.deepEqual(many("a", "b"), { earned: 2, possible: 2 });
  assert.deepEqual(many("a"), { earned: 1, possible: 2 });
  assert.deepEqual(many("a", "b", "c"), { earned: 1, possible: 2 });
  assert.deepEqual(many("c"), { earned: 0, possible: 2 });
  assert.deepEqual(markAnswer(question("q-first"), { choices: ["b"] }), {
    points: { earned: 0, possible: 1 },
    correct: false,
  });
  assert.deepEqual(markAnswer(question("q-order"), { items: ["a", "c", "b"] }).points, {
    earned: 1,
    possible: 3,
  });
  const pairs = [
    { left: "a", right: "a" },
    { left: "b", right: "c" },
  ];
  assert.deepEqual(markAnswer(question("q-match"), { pairs }).points, { earned: 1, possible: 3 });
  const blanks = [
    { id: "a", text: " ABUSE " },
    { id: "hours", text: "1" },
    { id: "word", text: "heron" },
  ];
  assert.deepEqual(markAnswer(question("q-blank"), { blanks }).points, { earned: 2, possible: 3 });
  assert.deepEqual(markAnswer(question("q-free"), { text: "…" }), { points: null, correct: null });
  assert.deepEqual(markAnswer(question("q-poll"), { choices: ["a"] }), {
    points: { earned: 0, possible: 0 },
    correct: null,
  });
});

test("a grader gives points for each row of the rubric, or per cent", () => {
  const points = [
    { id: "a", points: 2 },
    { id: "b", points: 2 },
  ];
  assert.deepEqual(readGrade(question("q-free"), { points }), {
    points: { earned: 4, possible: 5 },
    correct: null,
  });
  assert.deepEqual(readGrade(question("q-file"), { percent: 50 }).points, { earned: 50, possible: 100 });
  assert.throws(
    () => readGrade(question("q-free"), { points: [{ id: "a", points: 4 }, points[1]] }),
    /grade\.points\[0\]\.points must be at most 3/,
  );
  assert.throws(
    () => readGrade(question("q-free"), { points: points.slice(1) }),
    /grade\.points must have the row a /,
  );
  assert.throws(() => readGrade(question("q-free"), { percent: 5 }), /grade\.points is required/);
});

test("the score is exact, half up, by weight", () => {
  const aMark = fc.integer({ min: 1, max: 300 }).chain((possible) =>
    fc.record({
      weight: fc.integer({ min: 0, max: 100 }),
      possible: fc.constant(possible),
      earned: fc.integer({ min: 0, max: possible }),
    }),
  );
  fc.assert(
    fc.property(fc.array(aMark, { maxLength: 12 }), (given) => {
      const blocks = given.map(({ weight }, index) => ({
        id: `q-${index}`,
        type: "true_false",
        prompt: richText("?"),
        correct: true,
        weight,
      }));
      const marks = new Map(
        given.map(({ earned, possible }, index) => [
          `q-${index}`,
          { points: { earned, possible }, correct: null },
        ]),
      );
      const whole = given.reduce((product, { possible }) => product * BigInt(possible), 1n);
      const sum = given.reduce(
        (total, { weight, earned, possible }) => total + (BigInt(weight * earned) * whole) / BigInt(possible),
        0n,
      );
      const weights = BigInt(given.reduce((total, { weight }) => total + weight, 0));
      const expected =
        weights === 0n ? null : Number((sum * 200n + whole * weights) / (whole * weights * 2n));
      assert.equal(scoreLesson(lessonOf(blocks), marks), expected);
    }),
  );
  const eight = Array.from({ length: 8 }, (_, index) => ({
    id: `q-${index}`,
    type: "true_false",
    prompt: richText("?"),
    correct: true,
  }));
  const right: Mark = { points: { earned: 1, possible: 1 }, correct: true };
  assert.equal(scoreLesson(lessonOf(eight), new Map([["q-0", right]])), 13, "12.5 is 13");
  const free = { id: "f", type: "free_response", prompt: richText("?") };
  const waiting = new Map<string, Mark>([["f", { points: null, correct: null }]]);
  assert.equal(scoreLesson(lessonOf([...eight, free]), waiting), "pending");
  assert.equal(scoreLesson(lessonOf([{ ...free, weight: 0 }]), new Map()), null);
  assert.equal(scoreLesson(lessonOf([]), new Map()), null);
  assert.deepEqual(
    listQuestions(document)
      .filter(needsGrader)
      .map(({ id }) => id),
    ["q-free", "q-file", "q-record"],
  );
});

test("what changed between two versions is told by ids", () => {
  const before = readDocument({
    sections: [
      {
        id: "s",
        title: "S",
        pages: [
          { id: "p", title: "P", blocks: ["a", "b", "c", "d"].map((id) => code(id)) },
          { id: "p2", title: "P2", blocks: [] },
        ],
      },
    ],
  });
  const after = readDocument({
    sections: [
      {
        id: "s",
        title: "S",
        pages: [
          { id: "p2", title: "Two", blocks: [code("d")] },
          { id: "p", title: "P", blocks: [code("c"), code("a", "new"), code("e")] },
        ],
      },
    ],
  });
  assert.deepEqual(diffDocuments(before, before), []);
  assert.deepEqual(diffDocuments(before, after), [
    { change: "moved", kind: "page", id: "p2", summary: "Two" },
    { change: "changed", kind: "page", id: "p2", summary: "Two", before: "P2", after: "Two" },
    { change: "moved", kind: "block", id: "d", summary: "d" },
    { change: "moved", kind: "block", id: "c", summary: "c" },
    { change: "changed", kind: "block", id: "a", summary: "new", before: "a", after: "new" },
    { change: "added", kind: "block", id: "e", summary: "e" },
    { change: "removed", kind: "block", id: "b", summary: "b" },
  ]);
});

test("a lesson tells its files and its words, but no answers", () => {
  assert.deepEqual(listFileIds(document), [12, 13, 14, 15, 16, 17]);
  const words = searchText(document);
  for (const word of ["pretends", "gift card", "A lock in", "Checklist.pdf", "sender !== expected"])
    assert.ok(words.includes(word), word);
  for (const word of ["Heron", "Right: the help desk", "{{"]) assert.ok(!words.includes(word), word);
});

function lessonOf(blocks: readonly unknown[]) {
  return readDocument({ sections: [{ id: "s", title: "S", pages: [{ id: "p", title: "P", blocks }] }] });
}

function code(id: string, text = id) {
  return { id, type: "code", text };
}
