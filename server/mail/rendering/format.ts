import type { Locale } from "../../users/schema.ts";

/** A day without a time, as `2026-11-21`. */
const DAY_CHARACTERS = 10;

const dateStyles = {
  day: { dateStyle: "long" },
  instant: {
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** The language as headers and `lang` name it: our Portuguese is Brazil's. */
export function languageTag(locale: Locale): string {
  return locale === "pt" ? "pt-BR" : locale;
}

/** Writes a number with the language's separators. */
export function formatNumber(locale: Locale, n: number): string {
  return new Intl.NumberFormat(languageTag(locale)).format(n);
}

/** Writes a share of 100 (such as a score) in percent, as `85 %`. */
export function formatPercent(locale: Locale, percent: number): string {
  const style = { style: "percent", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(languageTag(locale), style).format(percent / 100);
}

/** Writes an instant with its time and the zone that it is told in: the reader's clock may show another. */
export function formatDate(locale: Locale, time_zone: string, iso: string): string {
  return ordinal(locale, dateFormat("instant", locale, time_zone).format(new Date(iso)));
}

/** Writes the day of an instant in the zone; a day without a time (`2026-11-21`) is that day in every zone. */
export function formatDay(locale: Locale, time_zone: string, iso: string): string {
  const zone = iso.length === DAY_CHARACTERS ? "UTC" : time_zone;
  return ordinal(locale, dateFormat("day", locale, zone).format(new Date(iso)));
}

/** Some languages count the first of a month, and it alone, where `Intl` writes a plain 1. */
function ordinal(locale: Locale, date: string): string {
  const first = firsts.get(locale);
  return first === undefined ? date : date.replace(/^1(?=\s)/, first);
}

const firsts: ReadonlyMap<Locale, string> = new Map([
  ["fr", "1er"],
  ["it", "1º"],
  ["pt", "1º"],
]);

/** The formats by zone, as making one takes a hundred times as long as using it. */
const kept = new Map<string, Intl.DateTimeFormat>();

function dateFormat(what: keyof typeof dateStyles, locale: Locale, timeZone: string): Intl.DateTimeFormat {
  const key = `${what} ${locale} ${timeZone}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(languageTag(locale), { ...dateStyles[what], timeZone });
  kept.set(key, made);
  return made;
}
