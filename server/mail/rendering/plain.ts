import type { Frame } from "./frame.ts";
import type { MailContent } from "../text.ts";
import { wrapText } from "./wrap.ts";

/** A line of this alone begins a signature: mail programs know it. */
const SIGNATURE = "-- ";

/** Lays a mail out as plain text: short lines, each address on a line of its own so that programs make it a link. */
export function plainText(content: MailContent, frame: Frame): string {
  const { locale } = content;
  const { direction, texts } = frame;
  const wrap = (text: string) => wrapText(text, { locale, direction }).join("\n");
  const item = ({ text, url }: { readonly text: string; readonly url: string | null }) => {
    const lines = wrapText(text, { locale, direction, indent: "- " });
    return [`- ${lines.join("\n  ")}`, ...(url === null ? [] : [`  ${url}`])].join("\n");
  };
  const { action, unsubscribe_url, preferences_url } = content;
  return [
    wrap(frame.greeting),
    wrap(content.heading),
    ...content.paragraphs.map(wrap),
    ...frame.sections.flatMap(({ heading, items, more }) => [
      ...(heading === null ? [] : [wrap(heading)]),
      [...items.map(item), ...(more === null ? [] : [`- ${more}`])].join("\n"),
    ]),
    ...(frame.more === null ? [] : [wrap(frame.more)]),
    ...(action === null ? [] : [`${action.label}\n${action.url}`]),
    `${SIGNATURE}\n${wrap(frame.why)}`,
    ...(unsubscribe_url === null ? [] : [`${texts.stop}\n${unsubscribe_url}`]),
    ...(preferences_url === null ? [] : [`${texts.choose}\n${preferences_url}`]),
  ]
    .join("\n\n")
    .concat("\n");
}
