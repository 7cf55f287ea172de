import type { Locale } from "../../users/schema.ts";
import { languageTag } from "./format.ts";

/** How the locale says a number of days from today: "in 7 days", "tomorrow", "3 days ago"; it stands as an adverb. */
export function relativeDay(locale: Locale, days: number): string {
  const said = new Intl.RelativeTimeFormat(languageTag(locale), { numeric: "auto" }).format(days, "day");
  // Japanese has no space between a number and its counter within a sentence.
  return locale === "ja" ? said.replaceAll(" ", "") : said;
}
