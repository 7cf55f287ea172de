import type { Company } from "../companies/companies.ts";
import type { Locale } from "../users/schema.ts";
import { type DigestSection, digestSectionOf, digestSections, digestTexts } from "./digest-texts.ts";
import type { Told } from "./tellers/telling.ts";
import type { MailContent } from "./text.ts";

/** Makes one letter of several things, what can't wait first. */
export function toDigest(
  told: readonly Told[],
  { locale, company }: { readonly locale: Locale; readonly company: Company },
): Pick<MailContent, "subject" | "heading" | "paragraphs" | "sections" | "action"> {
  const text = digestTexts[locale];
  const title = text.title({ count: told.length });
  const bySection = Map.groupBy(told, ({ kind }) => sectionOf(kind));
  const isOfLearning = bySection.size > (bySection.has("administration") ? 1 : 0);
  return {
    subject: title,
    heading: title,
    paragraphs: [isOfLearning ? text.intro : text.administration_intro],
    sections: digestSections.flatMap((section) => {
      const items = (bySection.get(section) ?? []).flatMap(({ item, url }) =>
        item === null ? [] : [{ text: item, url }],
      );
      return items.length === 0 ? [] : [{ heading: text.sections[section], items }];
    }),
    // What administrators are told of stands on pages of its own, to which its lines lead.
    action: isOfLearning ? { label: text.action, url: `${company.base_url}/learning` } : null,
  };
}

/** @throws Error for a kind that is never in a digest: its notices go alone. */
function sectionOf(kind: string): DigestSection {
  const [, section] = Object.entries(digestSectionOf).find(([name]) => name === kind) ?? [];
  if (section === undefined)
    throw new Error(`a mail of the kind ${kind} is never in a digest: send it alone`);
  return section;
}
