import assert from "node:assert/strict";
import { test } from "node:test";
import { locales } from "../../users/schema.ts";
import { formatDate, formatDay, formatNumber, formatPercent } from "./format.ts";
import { frameTexts } from "./frame-texts.ts";
import { dark, light } from "./look.ts";
import { plural } from "./plural.ts";

const NAME = "⟦name⟧";
const NUMBERS = [1, 2, 3, 5, 11, 21, 100, 1_000_000];

test("the frame says the same in every language, each in its own words", () => {
  assert.deepEqual(Object.keys(frameTexts), [...locales]);
  const owners = new Map<string, string>();
  for (const locale of locales) {
    const texts = frameTexts[locale];
    const named = [texts.greeting(NAME), texts.why(NAME), texts.why_always(NAME)];
    for (const text of named) assert.ok(text.includes(NAME), `${locale}: ${text}`);
    assert.notEqual(texts.greeting(null), "");
    assert.doesNotMatch(texts.greeting(null), /null|,.*,|  /);
    for (const text of [...named.slice(1), texts.open_address, texts.stop, texts.choose]) {
      assert.equal(text.trim(), text);
      assert.equal(owners.get(text), undefined, `${locale} and ${owners.get(text)}: ${text}`);
      owners.set(text, locale);
    }
    for (const n of NUMBERS) {
      const isWord = locale === "ar" && n <= 2;
      assert.doesNotMatch(texts.more(n), /[{}]/);
      if (!isWord) assert.ok(texts.more(n).includes(formatNumber(locale, n)), `${locale}: ${texts.more(n)}`);
    }
  }
});

test("numbers choose the form that their language wants, and are written as it writes them", () => {
  const forms = { zero: "z{n}", one: "o{n}", two: "t{n}", few: "f{n}", many: "m{n}", other: "x{n}" };
  const said = (locale: (typeof locales)[number]) =>
    [0, 1, 2, 3, 5, 11, 21, 100].map((n) => plural(locale, n, forms)[0]).join("");
  assert.deepEqual(Object.fromEntries(locales.map((locale) => [locale, said(locale)])), {
    ar: "zotffmmx",
    de: "xoxxxxxx",
    en: "xoxxxxxx",
    es: "xoxxxxxx",
    fr: "ooxxxxxx",
    it: "xoxxxxxx",
    ja: "xxxxxxxx",
    nl: "xoxxxxxx",
    pt: "ooxxxxxx",
    ru: "moffmmom",
    sv: "xoxxxxxx",
    "zh-CN": "xxxxxxxx",
  });
  assert.equal(plural("ru", 12_345, { other: "{n} и {n}" }), "12\u00a0345 и 12\u00a0345");
  assert.equal(plural("de", 12_345, { other: "{n} $& {m}" }), "12.345 $& {m}");
  assert.equal(formatPercent("de", 84.95), "85\u00a0%");
  assert.equal(formatPercent("en", 66.67), "66.7%");
});

test("dates are written as the language writes them, days in the zone and times with it", () => {
  const instant = "2026-11-21T23:30:00Z";
  assert.equal(formatDay("en", "UTC", instant), "November 21, 2026");
  assert.equal(formatDay("de", "Europe/Berlin", instant), "22. November 2026");
  assert.equal(formatDay("fr", "UTC", "2026-12-01"), "1er décembre 2026");
  assert.equal(formatDay("fr", "UTC", "2026-12-11"), "11 décembre 2026");
  assert.equal(formatDay("pt", "UTC", "2026-12-01"), "1º de dezembro de 2026");
  assert.equal(formatDay("pt", "UTC", "2026-12-10"), "10 de dezembro de 2026");
  assert.equal(formatDay("it", "UTC", "2026-12-01"), "1º dicembre 2026");
  assert.equal(formatDay("ja", "America/New_York", "2026-12-01"), "2026年12月1日");
  assert.equal(formatDay("ar", "Asia/Tokyo", "2026-12-01"), "1 ديسمبر 2026");
  assert.equal(formatDate("de", "Europe/Berlin", instant), "22. November 2026 um 00:30 MEZ");
  assert.equal(formatDate("pt", "America/Sao_Paulo", instant), "21 de novembro de 2026 às 20:30 BRT");
});

test("every colour can be read on what is behind it, in the light and in the dark", () => {
  for (const [name, { page, card, ink, quiet, link, button, label }] of Object.entries({ light, dark })) {
    for (const background of [page, card]) {
      for (const color of [ink, quiet, link])
        assert.ok(contrast(color, background) >= 4.5, `${name}: ${color} on ${background}`);
    }
    assert.ok(contrast(label, button) >= 4.5, `${name}: the button's words`);
    assert.ok(contrast(button, card) >= 3, `${name}: the button`);
  }
});

/** As WCAG 2.2 defines it. */
function contrast(a: string, b: string): number {
  const [dim = 0, bright = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (bright + 0.05) / (dim + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
