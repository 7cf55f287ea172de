import { groupSection } from "../groups/mail-weekly.ts";
import { digestSectionOf, digestSections, digestTexts } from "../mail/digest-texts.ts";
import { markFacts } from "../mail/rendering/facts.ts";
import { formatDate, formatDay, formatPercent } from "../mail/rendering/format.ts";
import { mailKinds, type MailFacts } from "../mail/kinds.ts";
import type { MailContent, MailKind } from "../mail/text.ts";
import type { Locale } from "../users/schema.ts";

/** What people typed, in a sample. */
export interface Typed {
  readonly company_name: string;
  readonly reader_name: string;
  /** One or more; a digest goes through them. */
  readonly titles: readonly [string, ...string[]];
}

export interface Sample {
  readonly name: string;
  readonly content: MailContent;
}

const TIME_ZONE = "Europe/Berlin";
/** The mail in which most things stand that is still a common one. */
const DIGEST_ITEMS = 12;
const base = "https://learn.example.com";

/** Every kind of mail and a digest in one language, with what people typed in them. */
export function sampleMails(locale: Locale, typed: Typed): Sample[] {
  const facts = markFacts(factsOf(locale, typed));
  const disabled = { reason: "The receiver answered 410: it wants no more of this.", is_disabled: true };
  const group = facts.weekly.groups.map((one) => groupSection(locale, one));
  const single = { locale, typed };
  return [
    sample(mailKinds.account_created, facts.account_created, single),
    sample(mailKinds.assigned, facts.assigned, single),
    sample(mailKinds.new_version, facts.new_version, single),
    sample(mailKinds.due_soon, facts.due_soon, single),
    sample(mailKinds.overdue, facts.overdue, single),
    sample(mailKinds.graded, facts.graded, single),
    sample(mailKinds.retake, facts.retake, single),
    sample(mailKinds.issued, facts.issued, single),
    sample(mailKinds.expiring, facts.expiring, single),
    sample(mailKinds.invitation, facts.invitation, single),
    sample(mailKinds.password_reset, facts.password_reset, single),
    sample(mailKinds.new_device, facts.new_device, single),
    sample(mailKinds.endpoint_failing, facts.endpoint_failing, single),
    {
      ...sample(mailKinds.endpoint_failing, { ...facts.endpoint_failing, ...disabled }, single),
      name: "endpoint_disabled",
    },
    sample(mailKinds.job_done, facts.job_done, single),
    sample(mailKinds.weekly, facts.weekly, { ...single, sections: group }),
    digestSample(locale, typed),
    administrationSample(locale, typed),
  ];
}

function factsOf(locale: Locale, { company_name, titles: [title] }: Typed): MailFacts {
  const due = formatDay(locale, TIME_ZONE, "2026-12-01");
  const valid_until = formatDay(locale, TIME_ZONE, "2027-11-30");
  const at = formatDate(locale, TIME_ZONE, "2026-11-21T14:33:00Z");
  return {
    account_created: { company_name, valid_until: at },
    assigned: { title, due },
    new_version: { title },
    due_soon: { title, due, days: 7 },
    overdue: { title, due, days: 1 },
    graded: { title, score: formatPercent(locale, 85) },
    retake: { title, score: formatPercent(locale, 60), pass_mark: formatPercent(locale, 80) },
    issued: { title, valid_until },
    expiring: { title, valid_until, days: 30, can_renew: true },
    invitation: { company_name, valid_until: at },
    password_reset: { valid_until: at },
    new_device: { device: "Firefox 145, Linux", at, address: "203.0.113.7", has_password: true },
    endpoint_failing: {
      address: "https://hooks.example.com/lectern/v1",
      name: "Orders (https://hooks.example.com/lectern/v1)",
      since: at,
      reason: "The receiver answered 503 (Service Unavailable).",
      is_disabled: false,
    },
    job_done: { rows: 12_345, done: 12_000, failed: 45, left: 300 },
    weekly: {
      groups: [
        { name: title, members: 21, completed: 5, overdue: 2 },
        { name: "Team B", members: 1, completed: 0, overdue: 1 },
      ],
    },
  };
}

function sample<Facts>(
  { kind, category, texts }: MailKind<Facts>,
  facts: Facts,
  { locale, typed, sections = [] }: { locale: Locale; typed: Typed; sections?: MailContent["sections"] },
): Sample {
  const { subject, heading, paragraphs, action } = texts[locale];
  return {
    name: kind,
    content: {
      ...addressed(locale, typed),
      subject: subject(facts),
      heading: heading(facts),
      paragraphs: paragraphs(facts),
      sections,
      action: action === null ? null : { label: action(facts), url: `${base}/assignments/48151623` },
      ...(category === "required" ? { unsubscribe_url: null, preferences_url: null } : {}),
    },
  };
}

/** Who it is for and from, and how it is turned off. */
function addressed(locale: Locale, { company_name, reader_name }: Typed) {
  return {
    locale,
    company_name,
    reader_name,
    unsubscribe_url: `${base}/api/v2/companies/demo/unsubscribe?token=${"q7Zr".repeat(16)}&kind=mail`,
    preferences_url: `${base}/preferences/mails`,
  };
}

function digestSample(locale: Locale, typed: Typed): Sample {
  const { title, intro, action, sections } = digestTexts[locale];
  const lines = Array.from({ length: DIGEST_ITEMS }, (_, index) => digestLine(locale, typed, index));
  return {
    name: "digest",
    content: {
      ...addressed(locale, typed),
      subject: title({ count: DIGEST_ITEMS }),
      heading: title({ count: DIGEST_ITEMS }),
      paragraphs: [intro],
      sections: digestSections
        .map((section) => ({
          heading: sections[section],
          items: lines.filter((line) => line.section === section),
        }))
        .filter(({ items }) => items.length > 0),
      action: { label: action, url: `${base}/home` },
    },
  };
}

/** A digest that tells of webhooks and jobs alone. */
function administrationSample(locale: Locale, typed: Typed): Sample {
  const { title, administration_intro, sections } = digestTexts[locale];
  const facts = markFacts(factsOf(locale, typed));
  const { endpoint_failing, job_done } = mailKinds;
  const items = [
    endpoint_failing.texts[locale].item?.(facts.endpoint_failing),
    endpoint_failing.texts[locale].item?.({ ...facts.endpoint_failing, is_disabled: true }),
    job_done.texts[locale].item?.(facts.job_done),
  ].map((text = "", index) => ({ text, url: `${base}/settings/webhooks/${index}` }));
  return {
    name: "digest_administration",
    content: {
      ...addressed(locale, typed),
      subject: title({ count: items.length }),
      heading: title({ count: items.length }),
      paragraphs: [administration_intro],
      sections: [{ heading: sections.administration, items }],
      action: null,
    },
  };
}

function digestLine(locale: Locale, typed: Typed, index: number) {
  const title = typed.titles[index % typed.titles.length] ?? typed.titles[0];
  const facts = markFacts(factsOf(locale, { ...typed, titles: [title] }));
  const lines = [
    { kind: "assigned", text: mailKinds.assigned.texts[locale].item?.(facts.assigned) },
    { kind: "due_soon", text: mailKinds.due_soon.texts[locale].item?.(facts.due_soon) },
    { kind: "overdue", text: mailKinds.overdue.texts[locale].item?.(facts.overdue) },
    { kind: "graded", text: mailKinds.graded.texts[locale].item?.(facts.graded) },
    { kind: "issued", text: mailKinds.issued.texts[locale].item?.(facts.issued) },
  ] as const;
  const { kind, text } = lines[index % lines.length] ?? lines[0];
  return { section: digestSectionOf[kind], text: text ?? "", url: `${base}/assignments/${1000 + index}` };
}
