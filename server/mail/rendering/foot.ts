import { isolate } from "./card.ts";
import type { Frame } from "./frame.ts";
import { fontsOf, light } from "./look.ts";
import { html, type Markup, webAddress } from "./markup.ts";
import type { MailContent } from "../text.ts";

/** Who sent it and why, and the way not to get it again. */
export function foot(content: MailContent, frame: Frame): Markup {
  const { unsubscribe_url, preferences_url, locale } = content;
  const links = [
    ...(unsubscribe_url === null ? [] : [footLink(frame.texts.stop, unsubscribe_url)]),
    ...(preferences_url === null ? [] : [footLink(frame.texts.choose, preferences_url)]),
  ];
  return html`<tr>
    <td
      class="foot-cell quiet"
      align="${frame.start}"
      dir="${frame.direction}"
      style="padding: 20px 40px; color: ${light.quiet}; font-family: ${fontsOf(locale)}; font-size: 13px; line-height: 20px; text-align: start; overflow-wrap: anywhere; word-break: break-word;"
    >
      <p style="margin: 0 0 8px;">${isolate(frame.why)}</p>
      ${links.length === 0 ? null : html`<p style="margin: 0;">${links.map((link, index) => (index === 0 ? link : html`<span class="dot"> &nbsp;·&nbsp; </span>${link}`))}</p>`}
    </td>
  </tr>`;
}

function footLink(label: string, url: string): Markup {
  return html`<a
    class="quiet foot-link"
    href="${webAddress(url)}"
    style="color: ${light.quiet}; text-decoration: underline;"
    >${label}</a
  >`;
}
