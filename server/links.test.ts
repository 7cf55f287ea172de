import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { links, slug } from "./links.ts";

const base = "https://acme.example.com";

test("a lesson, path or course has an overview and a shareable address", () => {
  const thing = { id: 12, title: "Fire Safety" };
  assert.deepEqual(links(base, "lesson", thing), {
    overview: "https://acme.example.com/lessons/12-fire-safety",
    shareable: "https://acme.example.com/lesson/12-fire-safety",
  });
  assert.deepEqual(links(base, "path", thing), {
    overview: "https://acme.example.com/paths/12-fire-safety",
    shareable: "https://acme.example.com/path/12-fire-safety",
  });
  assert.deepEqual(links(base, "course", thing), {
    overview: "https://acme.example.com/courses/12-fire-safety",
    shareable: "https://acme.example.com/course/12-fire-safety",
  });
});

test("a title without Latin letters leaves the id alone", () => {
  assert.deepEqual(links(base, "lesson", { id: 7, title: "消防安全" }), {
    overview: "https://acme.example.com/lessons/7",
    shareable: "https://acme.example.com/lesson/7",
  });
});

test("a slug is a title's letters and digits with hyphens between", () => {
  const cases = [
    ["  Fire  Safety: 2nd edition! ", "fire-safety-2nd-edition"],
    ["Crème brûlée & Ärger — İstanbul", "creme-brulee-arger-istanbul"],
    ["ﬁrst № ⑫ Ｆｕｌｌ", "first-no-12-full"],
    ["C++/C#", "c-c"],
    ["../../etc/passwd?x=<script>", "etc-passwd-x-script"],
    ["Straße", "stra-e"],
    ["-_-", ""],
    ["", ""],
  ] as const;
  for (const [title, expected] of cases) assert.equal(slug(title), expected, title);
});

test("a slug is cut to 80 characters and never ends with a hyphen", () => {
  assert.equal(slug("a".repeat(100)), "a".repeat(80));
  assert.equal(slug(`${"a".repeat(79)} b`), "a".repeat(79));
  assert.equal(slug(` ${"a".repeat(80)}b`), "a".repeat(80));
});

test("whatever the title, its slug is safe in an address and is its own slug", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (title) => {
      const made = slug(title);
      assert.match(made, /^([a-z0-9]+(-[a-z0-9]+)*)?$/);
      assert.ok(made.length <= 80);
      assert.equal(slug(made), made);
    }),
  );
});
