import { stretchesOf } from "./facts.ts";
import type { Frame, ShownSection } from "./frame.ts";
import { fontsOf, light } from "./look.ts";
import { html, type Markup, webAddress } from "./markup.ts";
import type { MailContent } from "../text.ts";

/** How far a line of text is set, in all that is not a heading. */
const TEXT = "font-size: 16px; line-height: 26px;";

/** The mail's own part: whose it is, what it says, and the one thing to do. */
export function card(content: MailContent, frame: Frame): Markup {
  const fonts = fontsOf(content.locale);
  return html`<tr>
    <td
      class="card line card-cell"
      align="${frame.start}"
      dir="${frame.direction}"
      bgcolor="${light.card}"
      style="background-color: ${light.card}; border: 1px solid ${light.line}; border-radius: 12px; padding: 36px 40px; font-family: ${fonts}; text-align: start; overflow-wrap: anywhere; word-break: break-word;"
    >
      <p
        class="quiet"
        style="margin: 0 0 28px; color: ${light.quiet}; font-size: 14px; line-height: 20px; font-weight: 600;"
      >
        ${isolate(frame.company)}
      </p>
      <p class="ink" style="margin: 0 0 8px; color: ${light.ink}; ${TEXT}">${isolate(frame.greeting)}</p>
      <h1
        class="ink heading"
        style="margin: 0 0 16px; color: ${light.ink}; font-size: 24px; line-height: 32px; font-weight: 700;"
      >
        ${isolate(content.heading)}
      </h1>
      ${content.paragraphs.map(paragraph)} ${frame.sections.map(section)}
      ${frame.more === null ? null : paragraph(frame.more)}
      ${content.action === null ? null : button(content.action, { frame, fonts })}
    </td>
  </tr>`;
}

/** Gives a text whose facts can't turn the direction of the words around them. */
export function isolate(text: string): Markup[] {
  return stretchesOf(text).map(({ text: part, isFact }) =>
    isFact ? html`<bdi>${part}</bdi>` : html`${part}`,
  );
}

function paragraph(text: string): Markup {
  return html`<p class="ink" style="margin: 0 0 16px; color: ${light.ink}; ${TEXT}">${isolate(text)}</p> `;
}

/** Lines between rows, in place of bullets: those stand on the wrong side in some programs when read from the right. */
function section({ heading, items, more }: ShownSection): Markup {
  const rows = items.map(({ text, url }) =>
    row(
      url === null
        ? html`${isolate(text)}`
        : html`<a
            class="link"
            href="${webAddress(url)}"
            style="color: ${light.link}; text-decoration: underline;"
            >${isolate(text)}</a
          >`,
      { place: "ink" },
    ),
  );
  const title =
    heading === null
      ? null
      : html`<h2
          class="ink"
          style="margin: 24px 0 8px; color: ${light.ink}; font-size: 17px; line-height: 24px; font-weight: 700;"
        >
          ${isolate(heading)}
        </h2>`;
  return html`${title}
    <table
      role="presentation"
      width="100%"
      cellpadding="0"
      cellspacing="0"
      border="0"
      style="margin: 0 0 16px;"
    >
      ${rows}${more === null ? null : row(html`${isolate(more)}`, { place: "quiet" })}
    </table> `;
}

function row(line: Markup, { place }: { readonly place: "ink" | "quiet" }): Markup {
  return html`<tr>
    <td
      class="${place} line"
      style="padding: 10px 0; border-top: 1px solid ${light.line}; color: ${light[place]}; ${TEXT} text-align: start;"
    >
      ${line}
    </td>
  </tr> `;
}

/**
 * A link that looks like a button without an image. Outlook knows no padding of links, so it takes the cell's instead.
 * Below it the address is written out, for who reads without HTML's links.
 */
function button(
  { label, url }: { readonly label: string; readonly url: string },
  { frame, fonts }: { readonly frame: Frame; readonly fonts: string },
): Markup {
  const address = webAddress(url);
  return html`<table
      class="wide-table"
      role="presentation"
      cellpadding="0"
      cellspacing="0"
      border="0"
      style="margin: 28px 0 24px;"
    >
      <tr>
        <td
          class="button"
          align="center"
          bgcolor="${light.button}"
          style="background-color: ${light.button}; border-radius: 8px; mso-padding-alt: 14px 28px;"
        >
          <a
            class="label"
            href="${address}"
            style="display: inline-block; padding: 14px 28px; color: ${light.label}; font-family: ${fonts}; font-size: 16px; line-height: 20px; font-weight: 600; text-decoration: none; border-radius: 8px;"
            >${isolate(label)}</a
          >
        </td>
      </tr>
    </table>
    <p class="quiet" style="margin: 0; color: ${light.quiet}; font-size: 13px; line-height: 20px;">
      ${frame.texts.open_address}<br /><a
        class="link"
        href="${address}"
        dir="ltr"
        style="color: ${light.link}; word-break: break-all;"
        >${address}</a
      >
    </p>`;
}
