import assert from "node:assert/strict";
import { test } from "node:test";
import { groupSection } from "../groups/mail-weekly.ts";
import { locales, type Locale } from "../users/schema.ts";
import { digestSectionOf, digestSections, digestTexts } from "./digest-texts.ts";
import { formatNumber } from "./rendering/format.ts";
import { mailKinds } from "./kinds.ts";
import { mailCategories, type MailKind } from "./text.ts";

/** What stands around a title in a subject, so that enough of the title is seen; see `MailText`. */
const MOST_FRAME_CHARACTERS = 30;
const MOST_SUBJECT_CHARACTERS = 69;
/** Shorter words are the same in related languages by nature: "Certificados". */
const MOST_SHARED_CHARACTERS = 12;
/** Longer words that related languages share. */
const COGNATES = new Set(["Dispositivo:", "Administration"]);
const FACT = /⟦\w+⟧/g;
/** Each of them has another plural in some language. */
const NUMBERS = [0, 1, 2, 3, 5, 11, 21, 100, 1234];
/** Arabic has words for these: a numeral beside them would be wrong. */
const ARABIC_WORDS = new Set([0, 1, 2]);
/** Languages with a script of their own; a Latin word in them was forgotten. */
const scripts = {
  ar: /\p{Script=Arabic}/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  ru: /\p{Script=Cyrillic}/u,
  "zh-CN": /\p{Script=Han}/u,
} as const;
const LATIN_WORDS = /\p{Script=Latin}{2,}/gu;
/** What is written in Latin letters everywhere. */
const TERMS = new Set(["Webhook", "IP"]);

interface Said {
  readonly subject: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  readonly action: string | undefined;
  readonly item: string | undefined;
}

interface Case {
  readonly kind: MailKind<never>;
  readonly say: (locale: Locale) => readonly Said[];
}

function ofKind<Facts>(kind: MailKind<Facts>, facts: readonly Facts[]): Case {
  return { kind, say: (locale) => facts.map((some) => say(kind, locale, some)) };
}

function say<Facts>(kind: MailKind<Facts>, locale: Locale, facts: Facts): Said {
  const { subject, heading, paragraphs, action, item } = kind.texts[locale];
  return {
    subject: subject(facts),
    heading: heading(facts),
    paragraphs: paragraphs(facts),
    action: action?.(facts),
    item: item?.(facts),
  };
}

const title = "⟦title⟧";
const due = "⟦due⟧";
const valid_until = "⟦valid_until⟧";
const company_name = "⟦company_name⟧";
const score = "⟦score⟧";
const days = 12;
const group = { name: "⟦name⟧", members: 12, completed: 5, overdue: 3 };

const cases: Readonly<Record<keyof typeof mailKinds, Case>> = {
  account_created: ofKind(mailKinds.account_created, [
    { company_name, valid_until },
    { company_name, valid_until: null },
  ]),
  assigned: ofKind(mailKinds.assigned, [
    { title, due },
    { title, due: null },
  ]),
  new_version: ofKind(mailKinds.new_version, [{ title }]),
  due_soon: ofKind(mailKinds.due_soon, [{ title, due, days }]),
  overdue: ofKind(mailKinds.overdue, [{ title, due, days }]),
  graded: ofKind(mailKinds.graded, [
    { title, score },
    { title, score: null },
  ]),
  retake: ofKind(mailKinds.retake, [{ title, score, pass_mark: "⟦pass_mark⟧" }]),
  issued: ofKind(mailKinds.issued, [
    { title, valid_until },
    { title, valid_until: null },
  ]),
  expiring: ofKind(mailKinds.expiring, [
    { title, valid_until, days, can_renew: true },
    { title, valid_until, days, can_renew: false },
  ]),
  invitation: ofKind(mailKinds.invitation, [{ company_name, valid_until }]),
  password_reset: ofKind(mailKinds.password_reset, [{ valid_until }]),
  new_device: ofKind(
    mailKinds.new_device,
    [true, false].map((has_password) => ({
      device: "⟦device⟧",
      at: "⟦at⟧",
      address: "⟦address⟧",
      has_password,
    })),
  ),
  endpoint_failing: ofKind(
    mailKinds.endpoint_failing,
    [true, false].map((is_disabled) => ({
      address: "⟦address⟧",
      name: "⟦endpoint⟧",
      since: "⟦since⟧",
      reason: "⟦reason⟧",
      is_disabled,
    })),
  ),
  job_done: ofKind(mailKinds.job_done, [
    { rows: 12_345, done: 12_000, failed: 45, left: 300 },
    { rows: 1, done: 1, failed: 0, left: 0 },
  ]),
  weekly: ofKind(mailKinds.weekly, [{ groups: [group] }]),
};

test("every kind of mail says all that it has to say, in every language", () => {
  for (const [name, { kind, say }] of Object.entries(cases)) {
    assert.equal(kind.kind, name);
    assert.deepEqual(Object.keys(kind.texts), [...locales]);
    assert.ok(kind.category === "required" || mailCategories.includes(kind.category), name);
    for (const locale of locales) {
      for (const said of say(locale)) {
        const { item, ...shown } = said;
        for (const text of textsOf(shown)) {
          assert.equal(text.trim(), text, `${name} ${locale}: ${text}`);
          assert.notEqual(text, "", `${name} ${locale}`);
        }
        assert.notEqual(shown.action, undefined, `${name} ${locale}`);
        assert.equal(item !== undefined, Object.hasOwn(digestSectionOf, name), `${name} ${locale}`);
        const isFramed = said.subject.match(FACT) !== null;
        const most = isFramed ? MOST_FRAME_CHARACTERS : MOST_SUBJECT_CHARACTERS;
        assert.ok(withoutFacts(said.subject).length <= most, `${name} ${locale}: ${said.subject}`);
      }
    }
  }
});

test("what a mail tells in English it tells in every language, in the same places", () => {
  for (const [name, { say }] of Object.entries(cases)) {
    const english = say("en").map(factsOf);
    for (const locale of locales) assert.deepEqual(say(locale).map(factsOf), english, `${name} ${locale}`);
  }
});

test("no text was left in another language", () => {
  for (const [name, { say }] of Object.entries(cases)) {
    assertOwnWords(name, (locale) => say(locale).flatMap(textsOf));
  }
  assertOwnWords("digest", (locale) => {
    const { title, intro, administration_intro, action, sections } = digestTexts[locale];
    return [title({ count: 12 }), intro, administration_intro, action, ...Object.values(sections)];
  });
  assertOwnWords("weekly lines", (locale) => groupSection(locale, group).items.map(({ text }) => text));
});

test("a number is told in the plural that its language wants", () => {
  for (const locale of locales) {
    for (const n of NUMBERS) {
      const facts = { rows: n, done: n, failed: n, left: n };
      const { subject, paragraphs, item } = say(mailKinds.job_done, locale, facts);
      const numbers = { name: "A", members: n, completed: n, overdue: n };
      const lines = groupSection(locale, numbers).items.map(({ text }) => text);
      const digest = digestTexts[locale].title({ count: n });
      // That nothing was refused is said without a number, and that nothing was left is not said.
      const told = [
        subject,
        ...(n === 0 ? paragraphs.slice(0, 2) : paragraphs),
        item ?? "",
        ...lines,
        digest,
      ];
      for (const text of told) {
        assert.doesNotMatch(text, /[{}]/, `${locale} ${n}: ${text}`);
        const isWord = locale === "ar" && ARABIC_WORDS.has(n);
        if (!isWord) assert.ok(text.includes(formatNumber(locale, n)), `${locale} ${n}: ${text}`);
      }
    }
  }
  assert.deepEqual(
    [0, 1, 2, 3, 11, 100].map((n) => membersIn("ar", n)),
    ["لا أعضاء", "عضو واحد", "عضوان", "3 أعضاء", "11 عضوًا", "100 عضو"],
  );
  assert.deepEqual(
    [1, 2, 5, 11, 21, 22].map((n) => membersIn("ru", n)),
    ["1 участник", "2 участника", "5 участников", "11 участников", "21 участник", "22 участника"],
  );
  assert.deepEqual(
    [0, 1, 2].map((n) => membersIn("fr", n)),
    ["0 membre", "1 membre", "2 membres"],
  );
});

test("rows of a bulk job that nothing became of are told, also in a digest, and where there are none they are not", () => {
  for (const locale of locales) {
    const [all, some] = [0, 7].map((left) =>
      say(mailKinds.job_done, locale, { rows: 9, done: 0, failed: 0, left }),
    );
    assert.deepEqual([all?.paragraphs.length, some?.paragraphs.length], [3, 4], locale);
    assert.match(some?.paragraphs[3] ?? "", /7/, locale);
    assert.doesNotMatch(all?.item ?? "", /7/, locale);
    assert.match(some?.item ?? "", /7/, locale);
  }
});

test("days are told as people say them", () => {
  assert.deepEqual(dueSubjects("en"), ["Due tomorrow: A", "Due in 2 days: A", "Due in 7 days: A"]);
  assert.deepEqual(dueSubjects("de"), ["Fällig morgen: A", "Fällig übermorgen: A", "Fällig in 7 Tagen: A"]);
  assert.deepEqual(dueSubjects("ru"), [
    "Срок истекает завтра: A",
    "Срок истекает послезавтра: A",
    "Срок истекает через 7 дней: A",
  ]);
  assert.equal(
    say(mailKinds.overdue, "en", { title: "A", due: "1 May 2026", days: 1 }).paragraphs[0],
    "“A” was due on 1 May 2026 (yesterday).",
  );
});

test("a digest has a part for each kind that can be in one", () => {
  assert.deepEqual([...new Set(Object.values(digestSectionOf))].toSorted(), digestSections.toSorted());
  for (const name of Object.keys(digestSectionOf)) assert.ok(Object.hasOwn(mailKinds, name), name);
  for (const locale of locales) {
    assert.deepEqual(Object.keys(digestTexts[locale].sections), [...digestSections]);
  }
});

function membersIn(locale: Locale, members: number): string | undefined {
  return groupSection(locale, { ...group, members }).items[0]?.text;
}

function dueSubjects(locale: Locale): string[] {
  return [1, 2, 7].map((days) => say(mailKinds.due_soon, locale, { title: "A", due: "B", days }).subject);
}

function textsOf({ subject, heading, paragraphs, action, item }: Partial<Said>): string[] {
  return [subject, heading, ...(paragraphs ?? []), action, item].filter((text) => text !== undefined);
}

/** Which facts stand in the subject, in the mail and in the item. */
function factsOf({ subject, heading, paragraphs, item }: Said): string[][] {
  return [subject, [heading, ...paragraphs].join(" "), item ?? ""].map((text) =>
    [...new Set(text.match(FACT))].toSorted(),
  );
}

function withoutFacts(text: string): string {
  return text.replaceAll(FACT, "");
}

/** Fails where two languages share a text, or one with its own script has Latin words. */
function assertOwnWords(name: string, textsIn: (locale: Locale) => readonly string[]): void {
  const owners = new Map<string, Locale>();
  for (const locale of locales) {
    for (const text of textsIn(locale).map(withoutFacts)) {
      if (text.length > MOST_SHARED_CHARACTERS && !COGNATES.has(text.trim())) {
        assert.equal(owners.get(text) ?? locale, locale, `${name}: ${text}`);
        owners.set(text, locale);
      }
      if (!Object.hasOwn(scripts, locale)) continue;
      const latin = text.match(LATIN_WORDS)?.filter((word) => !TERMS.has(word)) ?? [];
      assert.deepEqual(latin, [], `${name} ${locale}: ${text}`);
    }
  }
  for (const [locale, script] of Object.entries(scripts)) {
    const of = locales.find((one) => one === locale);
    assert.ok(
      of !== undefined && textsIn(of).every((text) => withoutFacts(text) === "" || hasScript(text, script)),
    );
  }
}

function hasScript(text: string, script: RegExp): boolean {
  const words = withoutFacts(text).replaceAll(/[^\p{L}]/gu, "");
  return words === "" || script.test(words) || TERMS.has(words);
}
