import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { FormError, parseForm } from "./form.ts";

test("a form is fields with values", () => {
  assertForm("name=Ada+Lovelace&email=ada%40example.com", { name: "Ada Lovelace", email: "ada@example.com" });
  assertForm("", {});
  assertForm("&&a=1&", { a: "1" });
  assertForm("a=&b&c=x=y%3D", { a: "", b: "", c: "x=y=" });
  assertForm("name=Zo%C3%AB+%2B+%F0%9F%8E%93&na%6De2=1", { name: "Zoë + 🎓", name2: "1" });
});

test("a name that is given twice counts as it is given last", () => {
  assertForm("public=0&public=1", { public: "1" });
  assertForm("a[b]=0&a[b]=1", { a: { b: "1" } });
  assertForm("a[0]=0&a[00]=1", { a: ["1"] });
});

test("brackets make objects and arrays, raw or percent-encoded", () => {
  assertForm("tags[]=a&tags[]=b", { tags: ["a", "b"] });
  assertForm("tags%5B%5D=a&tags%5b%5d=b", { tags: ["a", "b"] });
  assertForm("webhook[url]=x&webhook[auth][value]=y", { webhook: { url: "x", auth: { value: "y" } } });
});

test("a repeated key begins the next element", () => {
  assertForm("members[][id]=1&members[][remove]=true&members[][id]=2", {
    members: [{ id: "1", remove: "true" }, { id: "2" }],
  });
  assertForm("a[][b][c]=1&a[][b][d]=2&a[][b][c]=3", { a: [{ b: { c: "1", d: "2" } }, { b: { c: "3" } }] });
  assertForm("a[][b][c]=1&a[][b]=2", { a: [{ b: { c: "1" } }, { b: "2" }] });
  assertForm("a[][id]=1&a[][tags][]=x&a[][tags][]=y&a[][id]=2&a[][tags][]=z", {
    a: [
      { id: "1", tags: ["x", "y"] },
      { id: "2", tags: ["z"] },
    ],
  });
  assertForm("a[]=1&a[][b]=2&a[]=3", { a: ["1", { b: "2" }, "3"] });
});

test("numeric indexes come in any order, and gaps are closed", () => {
  assertForm("members[0][id]=1&members[1][id]=2", { members: [{ id: "1" }, { id: "2" }] });
  assertForm("assignments[10][due_by]=c&assignments[2][id]=b&assignments[0][id]=a&assignments[10][id]=d", {
    assignments: [{ id: "a" }, { id: "b" }, { due_by: "c", id: "d" }],
  });
  assertForm("12=x&a[-1]=y&b[1x]=z", { 12: "x", a: { "-1": "y" }, b: { "1x": "z" } });
});

test("names of the language's own are fields like any other", () => {
  const form = parseForm("__proto__[admin]=1&constructor[prototype][admin]=1&a[__proto__]=x&toString=y");
  const mine = { own: "" };
  assert.equal("admin" in mine, false);
  assert.equal(Object.getPrototypeOf(form), null);
  assert.deepEqual(Object.keys(form), ["__proto__", "constructor", "a", "toString"]);
  assert.equal(parseForm("a[b]=1")["constructor"], undefined);
});

test("a form that can't be read is refused", () => {
  const unreadable = ["a=%", "a=%zz", "%=a", "a=%E9", "a=%C0%80", "a=%ED%A0%80", "a=%F0%9F%8E", "%5Ba%ff=1"];
  for (const body of unreadable) assertRefused(body, /percent-encoded UTF-8/);
  const unbalanced = ["a[=1", "a[b=1", "a[b]c=1", "a[[b]]=1", "a[b]]=1", "a[b][=1"];
  for (const body of unbalanced) assertRefused(body, /brackets of a name don't match/);
});

test("a form that contradicts itself is refused", () => {
  assertRefused("a=1&a[b]=2", /^a is used for a value and an object$/);
  assertRefused("a[b]=2&a=1", /^a is used for a value and an object$/);
  assertRefused("a=1&a[]=2", /^a is used for a value and an array by order$/);
  assertRefused("a[b]=1&a[b][c]=2", /^b is used for a value and an object$/);
  assertRefused("a[b]=1&a[]=2", /^a name is used for an object and an array by order$/);
  assertRefused("a[]=1&a[0]=2", /^a name is used for an array by order and an array by index$/);
  assertRefused("a[0]=1&a[b]=2", /^a name is used for an array by index and an object$/);
});

test("a form has limits", () => {
  assert.equal(Object.keys(parseForm(fields(50_000))).length, 50_000);
  assertRefused(fields(50_001), /more than 50000 fields/);
  assertForm(`a${"[b]".repeat(8)}=1`, { a: { b: { b: { b: { b: { b: { b: { b: { b: "1" } } } } } } } } });
  assertRefused(`a${"[b]".repeat(9)}=1`, /more than 8 brackets/);
  assertRefused("[".repeat(1_000_000), /more than 8 brackets/);
  assertForm("a[10000]=1", { a: ["1"] });
  assertRefused("a[10001]=1", /greater than 10000/);
  assertRefused(`a[${"9".repeat(1_000)}]=1`, /greater than 10000/);
});

test("whatever is written with indexes is read as it was", () => {
  fc.assert(fc.property(forms(), (form) => assertForm(written(form).join("&"), form)));
});

test("elements with the same keys are read from empty brackets as they were", () => {
  const elements = fc
    .uniqueArray(fieldName(), { minLength: 1, maxLength: 4 })
    .chain((names) =>
      fc.array(fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), anyText()))), { minLength: 1 }),
    );
  fc.assert(
    fc.property(elements, (rows) => {
      const body = rows.flatMap((row) => row.map(([name, value]) => pair(`a[][${name}]`, value))).join("&");
      assertForm(body, { a: rows.map((row) => Object.fromEntries(row)) });
    }),
  );
});

test("no text makes it throw anything but a FormError", () => {
  const near = fc.array(fc.constantFrom("a", "b", "0", "1", "[", "]", "[]", "=", "&", "%41", "+"), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        near.map((parts) => parts.join("")),
      ),
      (body) => {
        try {
          parseForm(body);
        } catch (error) {
          assert.ok(error instanceof FormError);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

function assertForm(body: string, expected: Record<string, unknown>): void {
  // A copy has plain objects, which strict equality tells from those without a prototype.
  assert.deepEqual(structuredClone(parseForm(body)), expected, body);
}

function assertRefused(body: string, message: RegExp): void {
  assert.throws(() => parseForm(body), { name: "FormError", message }, body.slice(0, 100));
}

function fields(count: number): string {
  return Array.from({ length: count }, (_, i) => `f${i}=`).join("&");
}

/** A name that stands for no index and has no brackets. structuredClone would lose `__proto__`. */
function fieldName(): fc.Arbitrary<string> {
  return anyText().filter((name) => !/[[\]]|^\d*$|^__proto__$/.test(name));
}

/** Any text that UTF-8 can write. */
function anyText(): fc.Arbitrary<string> {
  return fc.string({ unit: "grapheme", maxLength: 8 });
}

function forms(): fc.Arbitrary<Record<string, unknown>> {
  const { form } = fc.letrec<{ value: unknown; form: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      anyText(),
      tie("form"),
      fc.array(tie("value"), { minLength: 1, maxLength: 4 }),
    ),
    form: fc.dictionary(fieldName(), tie("value"), { minKeys: 1, maxKeys: 4 }),
  }));
  return form.map((value) => structuredClone(value));
}

/** The pairs of a value, each with its whole name. */
function written(value: unknown, name = ""): string[] {
  if (typeof value !== "object" || value === null) return [pair(name, String(value))];
  return Object.entries(value).flatMap(([key, child]) =>
    written(child, name === "" ? key : `${name}[${key}]`),
  );
}

function pair(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value).replaceAll("%20", "+")}`;
}
