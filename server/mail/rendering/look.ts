import type { Locale } from "../../users/schema.ts";
import { html, type Markup } from "./markup.ts";

/** What is coloured, and by which property. Each is also the class by which the dark colours find it. */
export const light = {
  page: "#f3f4f6",
  card: "#ffffff",
  line: "#dfe2e7",
  ink: "#1c2128",
  quiet: "#57606a",
  link: "#1a56b8",
  button: "#1a56b8",
  label: "#ffffff",
} as const;
type Place = keyof typeof light;

/** Not black on white turned round: white on black glares. Each pair keeps a contrast of 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const dark: Readonly<Record<Place, string>> = {
  page: "#12151a",
  card: "#1d2128",
  line: "#363c46",
  ink: "#e9ecf0",
  quiet: "#a6afba",
  link: "#8db8ff",
  button: "#8db8ff",
  label: "#0d1420",
};

const backgrounds = ["page", "card", "button"] as const satisfies readonly Place[];
const colors = ["ink", "quiet", "link", "label"] as const satisfies readonly Place[];

/** The width of the card where there is room: some 70 characters in a line. */
export const CARD_WIDTH_PX = 560;

const latin =
  "-apple-system, BlinkMacSystemFont, Segoe UI, Roboto, Helvetica Neue, Noto Sans, Liberation Sans, Arial";
const scripts: Partial<Record<Locale, string>> = {
  ar: "Geeza Pro, Noto Sans Arabic, Tahoma",
  ja: "Hiragino Sans, Hiragino Kaku Gothic ProN, Yu Gothic, Meiryo, Noto Sans JP, Noto Sans CJK JP",
  "zh-CN": "PingFang SC, Microsoft YaHei, Noto Sans SC, Noto Sans CJK SC",
};

/** Fonts that the reader's system has: none is loaded, as that would tell somebody who reads when. */
export function fontsOf(locale: Locale): string {
  const own = scripts[locale];
  return own === undefined ? `${latin}, sans-serif` : `${latin}, ${own}, sans-serif`;
}

/**
 * The rules that can't stand in `style` attributes: narrow screens, dark colours, and the habits of Outlook. Each in an
 * element of its own, as Gmail drops a whole one for a rule that it does not know.
 */
export function styles(): Markup {
  return html`<style>
      :root {
        color-scheme: light dark;
        supported-color-schemes: light dark;
      }
      @media (max-width: 600px) {
        .page-cell {
          padding: 0 !important;
        }
        .card {
          border-radius: 0 !important;
          border-left: 0 !important;
          border-right: 0 !important;
        }
        .card-cell {
          padding: 28px 20px !important;
        }
        .foot-cell {
          padding: 20px !important;
        }
        .heading {
          font-size: 22px !important;
          line-height: 29px !important;
          hyphens: auto;
        }
        .foot-link {
          display: block !important;
          padding: 6px 0 !important;
        }
        .dot {
          display: none !important;
        }
        .wide-table {
          width: 100% !important;
        }
        .wide-table a {
          display: block !important;
          padding-left: 8px !important;
          padding-right: 8px !important;
        }
      }
    </style>
    <style>
      @media (prefers-color-scheme: dark) {
      ${darkRules("", "")}}
      ${darkRules("[data-ogsb] ", "[data-ogsc] ")}
    </style>
    <!--[if mso]>
      <style>
        td,
        p,
        a,
        h1,
        h2 {
          font-family: "Segoe UI", Tahoma, Arial, sans-serif !important;
        }
      </style>
    <![endif]-->`;
}

/** Outlook in the browser replaces colours and tells so by attributes: one for backgrounds, one for text. */
function darkRules(beforeBackground: string, beforeColor: string): Markup[] {
  return [
    ...backgrounds.map((place) => rule(`${beforeBackground}.${place}`, "background-color", dark[place])),
    ...colors.map((place) => rule(`${beforeColor}.${place}`, "color", dark[place])),
    rule(`${beforeBackground}.line`, "border-color", dark.line),
  ];
}

function rule(selector: string, property: string, value: string): Markup {
  return html`${selector} { ${property}: ${value} !important; } `;
}
