import type { Locale } from "../users/schema.ts";

/**
 * What a person can turn off. `required` mails always go out: without them nobody could sign in, or would learn of what
 * concerns their account's safety.
 */
export const mailCategories = [
  "assignments",
  "reminders",
  "results",
  "certificates",
  "team",
  "administration",
] as const;
export type MailCategory = (typeof mailCategories)[number] | "required";

/** One kind of mail in one language. Facts are texts formatted for the reader; numbers only where a plural needs them. */
export interface MailText<Facts> {
  /** At most 30 characters without the facts: a title is cut so that all of it stays below 70. */
  readonly subject: (facts: Facts) => string;
  readonly heading: (facts: Facts) => string;
  readonly paragraphs: (facts: Facts) => readonly string[];
  /** The words of the one button; null where there is nothing to open. */
  readonly action: ((facts: Facts) => string) | null;
  /** How it reads as one line of a digest; null for what is never in one. */
  readonly item: ((facts: Facts) => string) | null;
}

/** A kind of mail: its name, which preference it obeys, and its texts in every language. */
export interface MailKind<Facts> {
  readonly kind: string;
  readonly category: MailCategory;
  readonly texts: Readonly<Record<Locale, MailText<Facts>>>;
}

/** A mail whose words are chosen: what is left is how it looks. */
export interface MailContent {
  readonly locale: Locale;
  readonly company_name: string;
  /** How the reader is greeted by name; the name is as they wrote it. */
  readonly reader_name: string;
  readonly subject: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** Groups of lines, as of a digest or of a manager's week. */
  readonly sections: readonly MailSection[];
  readonly action: { readonly label: string; readonly url: string } | null;
  /** Where one click ends mails of this kind, and where all of them are chosen; null for required mails. */
  readonly unsubscribe_url: string | null;
  readonly preferences_url: string | null;
}

export interface MailSection {
  readonly heading: string | null;
  readonly items: readonly { readonly text: string; readonly url: string | null }[];
}
