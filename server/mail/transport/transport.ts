import { FolderTransport } from "./folder.ts";
import type { MailTransport } from "./outcome.ts";
import { SMTP_LIMITS, SmtpTransport, type SmtpLimits } from "./smtp.ts";

/**
 * The way on which mails leave: the mail server of `smtpUrl`, or `.eml` files in `folder` where none is configured.
 * @throws OperatorError when the URL names no mail server
 */
export function makeTransport(options: {
  readonly smtpUrl?: string | undefined;
  readonly folder: string;
  readonly limitMs?: Partial<SmtpLimits> | undefined;
}): MailTransport {
  if (options.smtpUrl === undefined || options.smtpUrl === "") return new FolderTransport(options.folder);
  return new SmtpTransport(options.smtpUrl, { ...SMTP_LIMITS, ...options.limitMs });
}
