import type { WriteTx } from "../../db/db.ts";
import type { Locale } from "../../users/schema.ts";
import { markFacts } from "../rendering/facts.ts";
import type { Notice } from "../notices.ts";
import type { MailCategory, MailContent, MailKind } from "../text.ts";

/** Whom a letter goes to, as far as its words depend on it. */
export interface Reader {
  readonly user_id: number;
  readonly locale: Locale;
  readonly time_zone: string;
  /** The calendar date where they are. */
  readonly today: string;
}

/** What a notice says: as a letter of its own, and as a line of a digest. */
export interface Told {
  readonly kind: string;
  readonly category: MailCategory;
  readonly content: Pick<MailContent, "subject" | "heading" | "paragraphs" | "sections" | "action">;
  /** Null for what is never in a digest. */
  readonly item: string | null;
  readonly url: string | null;
  /** Two notices that say the same of the same thing are told once. */
  readonly about: string;
}

/** Makes words of the notices of a kind, of what is so now. Those that no longer hold have none. */
export interface Teller {
  readonly kind: string;
  readonly category: MailCategory;
  readonly tell: (
    tx: WriteTx,
    notices: readonly Notice[],
    reader: Reader,
  ) => Promise<ReadonlyMap<string, Told>>;
}

/** The facts of one notice, as its texts take them. */
export interface Known<Facts> {
  readonly key: string;
  readonly facts: Facts;
  /** What the button opens; null where there is nothing. */
  readonly url: string | null;
  readonly about: string;
  readonly sections?: MailContent["sections"];
}

/** Makes a teller of a kind's texts, and of how its facts are read: with a few statements for any number of notices. */
export function teller<Facts>(
  { kind, category, texts }: MailKind<Facts>,
  read: (tx: WriteTx, notices: readonly Notice[], reader: Reader) => Promise<readonly Known<Facts>[]>,
): Teller {
  return {
    kind,
    category,
    tell: async (tx, notices, reader) => {
      const known = await read(tx, notices, reader);
      const text = texts[reader.locale];
      return new Map(
        known.map(({ key, facts: plain, url, about, sections = [] }) => {
          // What people typed is told apart from the words around it before the two meet.
          const facts = markFacts(plain);
          const label = text.action?.(facts);
          const content = {
            subject: text.subject(facts),
            heading: text.heading(facts),
            paragraphs: text.paragraphs(facts),
            sections,
            action: label === undefined || url === null ? null : { label, url },
          };
          const item = text.item?.(facts) ?? null;
          return [key, { kind, category, content, item, url, about: `${kind}/${about}` }];
        }),
      );
    },
  };
}

/** A number that a notice holds. @throws Error for one that lacks it: only a mistake in the code can bring it. */
export function factNumber({ key, facts }: Notice, name: string): number {
  const value = facts[name];
  if (typeof value !== "number") throw new Error(`the notice ${key} lacks the number ${name}`);
  return value;
}

/** A text that a notice holds. @throws Error for one that lacks it. */
export function factText({ key, facts }: Notice, name: string): string {
  const value = facts[name];
  if (typeof value !== "string") throw new Error(`the notice ${key} lacks the text ${name}`);
  return value;
}
