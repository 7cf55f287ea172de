import { frameOf } from "./frame.ts";
import { htmlDocument } from "./layout.ts";
import { plainText } from "./plain.ts";
import { fitSubject } from "./subject.ts";
import type { MailContent } from "../text.ts";

/** A mail as it is read: the same in both forms. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Gives a mail's looks. Names and titles in its words are to be marked (`markFacts`) before the words are made of them:
 * then the subject cuts them alone, and none can turn the direction of what stands around it.
 * @throws when a link is no web address
 */
export function renderMail(content: MailContent): RenderedMail {
  const frame = frameOf(content);
  const subject = fitSubject(content.subject, frame.direction);
  return { subject, text: plainText(content, frame), html: htmlDocument(content, frame, subject) };
}
