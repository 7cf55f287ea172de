import { type RawBuilder, sql } from "kysely";

/** The languages that content is written in, with PostgreSQL's configuration for each; `simple` knows no word forms. */
const configurations = {
  ar: "arabic",
  de: "german",
  en: "english",
  es: "spanish",
  fr: "french",
  it: "italian",
  ja: "simple",
  nl: "dutch",
  pt: "portuguese",
  ru: "russian",
  sv: "swedish",
  "zh-CN": "simple",
} as const;

export type Language = keyof typeof configurations;

export const languages = ["ar", "de", "en", "es", "fr", "it", "ja", "nl", "pt", "ru", "sv", "zh-CN"] as const;

/** The configuration of a language as a constant of the statement: to_tsvector is immutable with nothing else. */
export function configurationOf(language: Language): RawBuilder<unknown> {
  return sql`${sql.lit(configurations[language])}::regconfig`;
}

/** Every configuration that knows word forms, each once. */
export const stemmingConfigurations: readonly RawBuilder<unknown>[] = languages
  .filter((language) => configurations[language] !== "simple")
  .map(configurationOf);
