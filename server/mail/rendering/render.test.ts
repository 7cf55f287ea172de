import assert from "node:assert/strict";
import { test } from "node:test";
import { peopleOf } from "../../test/mail-people.ts";
import { sampleMails, type Typed } from "../../test/mail-samples.ts";
import { locales } from "../../users/schema.ts";
import { renderMail } from "./render.ts";
import { fitSubject } from "./subject.ts";
import type { MailContent } from "../text.ts";

const MOST_SUBJECT_CHARACTERS = 69;
const MOST_COLUMNS = 76;
/** With its space, which an editor would take away at the end of a line. */
const SIGNATURE = "-- ";
/** Gmail cuts off what is longer. */
const MOST_HTML_BYTES = 100_000;

/** What people could type to get out of the place where it is shown. */
const attacks = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)` x=`",
  "</bdi></p></td></table><a href=https://evil.example>Sign in</a>",
  "<!--[if mso]><b><![endif]--> </style></title><style>*{display:none}",
  "&lt;script&gt; &#60;b&#62;",
  "{{7*7}} ${7*7} #{7*7} <%= 7*7 %> $& $1 %s",
];
/** What people could type to begin a line of their own, or to turn the words around. */
const disguises = [
  ["A\r\nBcc: b@example.com\r\n\r\nNew body", "A Bcc: b@example.com New body"],
  ["A\u0000\u0007\u001b[31m\u0085\u2028\u2029B", "A [31m B"],
  ["\u202egnp.exe\u202c\u2066\u2067\u2068\u2069\u2069\u2069\u202a", "gnp.exe"],
  ["\ud800 half \udc00", "\ufffd half \ufffd"],
] as const;
const long = [
  "x".repeat(1000),
  "wörter ".repeat(150),
  "👩‍👩‍👧‍👦".repeat(100),
  "ع\u0650".repeat(500),
  `e${"\u0301".repeat(1000)}`,
  "安全".repeat(500),
];

function typing(text: string): Typed {
  return { company_name: text, reader_name: text, titles: [text] };
}

const invitation: MailContent = {
  locale: "en",
  company_name: "Acme Academy",
  reader_name: "Ada",
  subject: "Your week",
  heading: "Your week at Acme",
  paragraphs: [
    "This is a sentence that is longer than what stands in one line of a mail, so it is broken.",
    "And this is another.",
  ],
  sections: [
    {
      heading: "Overdue",
      items: [
        { text: "Fire safety", url: "https://learn.example.com/assignments/1" },
        { text: "First aid, which has a title that does not fit into one line either", url: null },
      ],
    },
  ],
  action: { label: "Open", url: "https://learn.example.com/home?a=1&b=2" },
  unsubscribe_url: "https://learn.example.com/stop",
  preferences_url: "https://learn.example.com/choose",
};

test("a mail reads well as plain text", () => {
  assert.equal(
    renderMail(invitation).text,
    `Hello Ada,

Your week at Acme

This is a sentence that is longer than what stands in one line of a mail, so
it is broken.

And this is another.

Overdue

- Fire safety
  https://learn.example.com/assignments/1
- First aid, which has a title that does not fit into one line either

Open
https://learn.example.com/home?a=1&b=2

${SIGNATURE}
You are receiving this email because you have an account at Acme Academy.

Stop these emails
https://learn.example.com/stop

Choose your emails
https://learn.example.com/choose
`,
  );
  const required = renderMail({
    ...invitation,
    reader_name: " ",
    sections: [],
    action: null,
    unsubscribe_url: null,
    preferences_url: null,
  });
  assert.equal(
    required.text,
    `Hello,

Your week at Acme

This is a sentence that is longer than what stands in one line of a mail, so
it is broken.

And this is another.

${SIGNATURE}
Emails of this kind are always sent, as they concern your account at Acme
Academy.
`,
  );
});

test("every mail in every language has its subject, its words and its links in both forms, and loads nothing", () => {
  for (const locale of locales) {
    for (const { name, content } of sampleMails(locale, peopleOf[locale])) {
      const { subject, text, html } = renderMail(content);
      const what = `${locale} ${name}`;
      assert.ok(subject.length > 0 && subject.length <= MOST_SUBJECT_CHARACTERS, `${what}: ${subject}`);
      const { action, unsubscribe_url, preferences_url, sections } = content;
      const urls = [
        ...sections.flatMap(({ items }) => items.map(({ url }) => url)),
        action?.url,
        action?.url,
        unsubscribe_url,
        preferences_url,
      ].filter((url) => typeof url === "string");
      assert.deepEqual(linksOf(html), urls, what);
      for (const url of urls)
        assert.ok(
          text.split("\n").some((line) => line.trim() === url),
          `${what}: ${url}`,
        );
      for (const line of text.split("\n"))
        assert.ok(line.includes("https://") || columnsOf(line) <= MOST_COLUMNS, `${what}: ${line}`);
      assert.ok(html.startsWith("<!doctype html>\n<html"), what);
      assert.match(
        html,
        locale === "ar" ? /<html lang="ar" dir="rtl"/ : /<html lang="\w\w(-\w\w)?" dir="ltr"/,
      );
      assert.doesNotMatch(
        html,
        /<(img|link|script|iframe|svg|object)\b|@import|url\(|undefined|\bnull\b|\[object/i,
        what,
      );
      assert.ok(Buffer.byteLength(html) < MOST_HTML_BYTES, what);
      assert.doesNotMatch(text, /undefined|\[object|[{}]|<bdi>/, what);
    }
  }
});

test("names and titles can't become markup, in any kind of mail and any language", () => {
  const cases = locales.flatMap((locale) =>
    (locale === "en" ? [...attacks, attacks.join("")] : [attacks.join("")]).map((attack) => ({
      locale,
      attack,
    })),
  );
  for (const { locale, attack } of cases) {
    const plain = sampleMails(locale, typing("Ordinary")).map(({ content }) => renderMail(content));
    for (const [index, { name, content }] of sampleMails(locale, typing(attack)).entries()) {
      const { html, text, subject } = renderMail(content);
      const what = `${locale} ${name}: ${attack}`;
      // All tags, with all that stands in them, are those of a harmless mail.
      assert.deepEqual(tagsOf(html), tagsOf(plain[index]?.html ?? ""), what);
      assert.ok(unescape(html).includes(attack), what);
      assert.ok(unwrapped(text).includes(unwrapped(attack)), `${what}: ${text}`);
      assert.ok(subject.length <= MOST_SUBJECT_CHARACTERS, subject);
    }
  }
});

test("names and titles can't begin a line or turn the words around them", () => {
  for (const locale of locales) {
    for (const [disguise, clean] of disguises) {
      assert.doesNotMatch(clean, /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      const mails = sampleMails(locale, typing(clean)).map(({ content }) => renderMail(content));
      assert.deepEqual(
        sampleMails(locale, typing(disguise)).map(({ content }) => renderMail(content)),
        mails,
      );
      for (const { subject, text } of mails)
        for (const line of [subject, ...text.split("\n")]) assertBalanced(line);
    }
  }
});

test("a subject stays short whatever people type, and cuts what they typed, not what it says", () => {
  for (const [index, locale] of locales.entries()) {
    const short = sampleMails(locale, typing("\u2021")).map(({ content }) => content.subject);
    for (const title of long) {
      for (const [which, { name, content }] of sampleMails(locale, typing(title)).entries()) {
        const subject = fitSubject(content.subject, locale === "ar" ? "rtl" : "ltr");
        const what = `${locale} ${name}: ${subject}`;
        assert.ok(subject.length <= MOST_SUBJECT_CHARACTERS, what);
        assert.ok(subject.isWellFormed(), what);
        assert.doesNotMatch(subject, /\u200d(…|\u2069|$)/u, what);
        assertBalanced(subject);
        for (const words of (short[which] ?? "").split(/[\u2068\u2021\u2069]+/))
          assert.ok(subject.includes(words), `${what} lost ${words}`);
      }
    }
    const title = long[index % long.length] ?? "";
    for (const { name, content } of sampleMails(locale, typing(title))) {
      const { subject, text, html } = renderMail(content);
      assert.ok(subject.length <= MOST_SUBJECT_CHARACTERS, subject);
      // In the mail itself all of it stands.
      assert.ok(unescape(html).includes(title.trim()), `${locale} ${name}`);
      assert.ok(unwrapped(text).includes(unwrapped(title)), `${locale} ${name}`);
    }
  }
  const words = "Long words, and no fact to cut. ".repeat(5);
  assert.equal(
    fitSubject(words, "ltr"),
    "Long words, and no fact to cut. Long words, and no fact to cut. Long…",
  );
});

test("of a long list a mail shows the beginning and says how much more there is", () => {
  const items = Array.from({ length: 30 }, (_, index) => ({ text: `Thing ${index + 1}`, url: null }));
  const { text, html } = renderMail({
    ...invitation,
    sections: Array.from({ length: 10 }, (_, index) => ({ heading: `Part ${index + 1}`, items })),
  });
  assert.equal(text.match(/^- Thing \d+$/gm)?.length, 60);
  assert.equal(text.match(/^- and 10 more$/gm)?.length, 3);
  assert.equal(text.match(/^and 210 more$/gm)?.length, 1);
  assert.equal(html.match(/and 10 more/g)?.length, 3);
  assert.equal(html.match(/Thing 20/g)?.length, 3);
  assert.doesNotMatch(text, /Part 4|Thing 21/);
});

test("a link that is no web address is a mistake", () => {
  for (const url of ["javascript:alert(1)", "//x.example", 'https://x.example/"', "https://x.example/ y", ""])
    assert.throws(() => renderMail({ ...invitation, unsubscribe_url: url }), /web addresses only/, url);
});

function linksOf(html: string): string[] {
  return Array.from(html.matchAll(/<a\s[^>]*?href="([^"]*)"/g), ([, url = ""]) => unescape(url));
}

function tagsOf(html: string): string[] {
  return html.match(/<[^>]*>/g) ?? [];
}

function unescape(html: string): string {
  return html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&#96;", "`")
    .replaceAll("&amp;", "&");
}

/** Without what breaking lines changes, and without marks of direction. */
function unwrapped(text: string): string {
  return text.replaceAll(/[\s\u2068\u2069]+/g, "");
}

/** Signs of Chinese and Japanese are as wide as two letters. */
function columnsOf(line: string): number {
  return line.replaceAll(/[\p{M}\p{Cf}]/gu, "").replaceAll(/[\u3000-\u9fff\uff01-\uff60]/g, "xx").length;
}

/** Marks of direction come in pairs on each line: one that lost its partner would reach to the end. */
function assertBalanced(line: string): void {
  assert.doesNotMatch(line.replaceAll(/\u2068[^\u2068\u2069]*\u2069/g, ""), /[\u2068\u2069]/, line);
}
