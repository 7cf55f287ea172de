import { isRightToLeft } from "../../certificates/words.ts";
import { markFact } from "./facts.ts";
import { frameTexts, type FrameTexts } from "./frame-texts.ts";
import type { MailContent, MailSection } from "../text.ts";

/** What stands around a mail's own words, in both of its forms. */
export interface Frame {
  readonly direction: "ltr" | "rtl";
  /** Where lines begin, for those mail programs that don't know `start`. */
  readonly start: "left" | "right";
  readonly texts: FrameTexts;
  readonly company: string;
  readonly greeting: string;
  readonly why: string;
  readonly sections: readonly ShownSection[];
  /** How many things stand in sections that are not shown; null for none. */
  readonly more: string | null;
}

export interface ShownSection extends MailSection {
  /** How many items of the section are not shown; null for none. */
  readonly more: string | null;
}

/** More than this nobody reads in a mail: the button leads to all of it. */
const SECTION_MAX_ITEMS = 20;
/** Gmail cuts a mail off at 102 KB, and with it the way to unsubscribe; an item takes up to 1 KB. */
const MAIL_MAX_ITEMS = 60;

/** Chooses the words around a mail, and what of its sections is shown. */
export function frameOf(content: MailContent): Frame {
  const texts = frameTexts[content.locale];
  const company = markFact(content.company_name);
  const name = content.reader_name.trim() === "" ? null : markFact(content.reader_name);
  const sections = shownSections(content.sections, texts);
  const left = countItems(content.sections.slice(sections.length));
  const isRtl = isRightToLeft(content.locale);
  return {
    direction: isRtl ? "rtl" : "ltr",
    start: isRtl ? "right" : "left",
    texts,
    company,
    greeting: texts.greeting(name),
    why: content.unsubscribe_url === null ? texts.why_always(company) : texts.why(company),
    sections,
    more: left === 0 ? null : texts.more(left),
  };
}

function shownSections(sections: readonly MailSection[], texts: FrameTexts): ShownSection[] {
  const shown: ShownSection[] = [];
  let room = MAIL_MAX_ITEMS;
  for (const section of sections) {
    if (room === 0) break;
    const items = section.items.slice(0, Math.min(SECTION_MAX_ITEMS, room));
    const left = section.items.length - items.length;
    shown.push({ ...section, items, more: left === 0 ? null : texts.more(left) });
    room -= items.length;
  }
  return shown;
}

function countItems(sections: readonly MailSection[]): number {
  return sections.reduce((sum, { items }) => sum + items.length, 0);
}
