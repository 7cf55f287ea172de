import { hash } from "node:crypto";
import { isRightToLeft } from "../certificates/words.ts";
import type { Locale } from "../users/schema.ts";
import { isolate } from "./rendering/card.ts";
import { markFact } from "./rendering/facts.ts";
import { languageTag } from "./rendering/format.ts";
import { frameTexts } from "./rendering/frame-texts.ts";
import { html, toDocument } from "./rendering/markup.ts";
import type { Unsubscription } from "./unsubscribe.ts";
import { unsubscribeTexts } from "./unsubscribe-texts.ts";

/** What the page says of, in whose words. */
export interface UnsubscribePage {
  readonly locale: Locale;
  readonly company_name: string;
  readonly categories: Unsubscription["categories"];
  /** Whether the mails were ended; otherwise the page asks. */
  readonly isDone: boolean;
}

const styles = html`<style>
  :root {
    color-scheme: light dark;
  }
  body {
    margin: 3rem auto;
    max-width: 34rem;
    padding: 0 1.25rem;
    font:
      1rem/1.6 system-ui,
      sans-serif;
    overflow-wrap: anywhere;
  }
  button {
    font: inherit;
    padding: 0.7rem 1.4rem;
  }
</style>`;

/** Draws the page that a mail's unsubscribe link opens. Opening it changes nothing: its one button does. */
export function unsubscribePage({ locale, company_name, categories, isDone }: UnsubscribePage): string {
  const texts = unsubscribeTexts[locale];
  const title = frameTexts[locale].stop;
  const company = markFact(company_name);
  // Without an address the form goes to where the page came from, with its token.
  const form = html`<form method="post">
    <input type="hidden" name="List-Unsubscribe" value="One-Click" />
    <button type="submit">${title}</button>
  </form>`;
  return toDocument(
    html`<!doctype html>
      <html lang="${languageTag(locale)}" dir="${isRightToLeft(locale) ? "rtl" : "ltr"}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          <title>${title}</title>
          ${styles}
        </head>
        <body>
          <main>
            <h1>${title}</h1>
            <p>${isolate(isDone ? texts.done(company) : texts.question(company))}</p>
            <ul>
              ${categories.map((category) => html`<li>${texts.categories[category]}</li> `)}
            </ul>
            ${isDone ? null : form}
            <p>${texts.others}</p>
          </main>
        </body>
      </html> `,
  );
}

/** What a browser may do with a page: apply its own style and send its form to where it came from, nothing else. */
export function headersOfPage(page: string): Record<string, string> {
  const [, style = ""] = /<style>([^<]*)<\/style>/.exec(page) ?? [];
  const styleHash = hash("sha256", style, "base64");
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
  };
}
