import { card } from "./card.ts";
import { stretchesOf } from "./facts.ts";
import { foot } from "./foot.ts";
import { languageTag } from "./format.ts";
import type { Frame } from "./frame.ts";
import { CARD_WIDTH_PX, light, styles } from "./look.ts";
import { html, type Markup, toDocument } from "./markup.ts";
import type { MailContent } from "../text.ts";

/** Keeps a list of mails, which shows a mail's beginning beside its subject, from going on into the mail itself. */
const FILLERS = 80;

/**
 * Lays a mail out as an HTML document of tables, the only thing that every mail program draws alike. Nothing in it is
 * loaded from anywhere.
 * @throws when a link is no web address
 */
export function htmlDocument(content: MailContent, frame: Frame, subject: string): string {
  const { direction } = frame;
  return toDocument(
    html`<!doctype html>
      <html lang="${languageTag(content.locale)}" dir="${direction}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="supported-color-schemes" content="light dark" />
          <meta name="format-detection" content="telephone=no, date=no, address=no, email=no" />
          <meta name="x-apple-disable-message-reformatting" />
          <title>${subject}</title>
          ${styles()}
        </head>
        <body
          class="page"
          dir="${direction}"
          style="margin: 0; padding: 0; background-color: ${light.page}; -webkit-text-size-adjust: 100%;"
        >
          ${preheader(content)}
          <table
            class="page"
            role="presentation"
            width="100%"
            cellpadding="0"
            cellspacing="0"
            border="0"
            bgcolor="${light.page}"
            style="background-color: ${light.page};"
          >
            <tr>
              <td class="page-cell" align="center" style="padding: 24px 12px;">
                <!--[if mso]><table role="presentation" width="${CARD_WIDTH_PX}" cellpadding="0" cellspacing="0" border="0" dir="${direction}"><tr><td><![endif]-->
                <table
                  role="presentation"
                  width="100%"
                  cellpadding="0"
                  cellspacing="0"
                  border="0"
                  dir="${direction}"
                  style="max-width: ${CARD_WIDTH_PX}px; margin: 0 auto;"
                >
                  ${card(content, frame)} ${foot(content, frame)}
                </table>
                <!--[if mso]></td></tr></table><![endif]-->
              </td>
            </tr>
          </table>
        </body>
      </html> `,
  );
}

/** What a list of mails shows beside the subject: the first sentence, which says more than the greeting. */
function preheader({ paragraphs, heading }: MailContent): Markup {
  const words = stretchesOf(paragraphs[0] ?? heading).map(({ text }) => text);
  const fillers = Array.from({ length: FILLERS }, () => html`&#847;&zwnj;&nbsp;`);
  return html`<div
    aria-hidden="true"
    style="display: none; max-height: 0; max-width: 0; overflow: hidden; opacity: 0; font-size: 1px; line-height: 1px; color: ${light.page}; mso-hide: all;"
  >
    ${words}${fillers}
  </div>`;
}
