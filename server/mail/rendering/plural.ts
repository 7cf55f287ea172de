import type { Locale } from "../../users/schema.ts";
import { formatNumber } from "./format.ts";

/** The forms of one text by number; which a language needs besides `other` is its own, as `Intl.PluralRules` knows. */
export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string };

/** Gives the form that the language uses for `n`, with `{n}` replaced by the number as the language writes it. */
export function plural(locale: Locale, n: number, forms: PluralForms): string {
  const form = forms[new Intl.PluralRules(locale).select(n)] ?? forms.other;
  return form.replaceAll("{n}", () => formatNumber(locale, n));
}
