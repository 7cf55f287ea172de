import type { Company } from "../companies/companies.ts";
import type { Secrets } from "../secrets.ts";
import { mailCategories, type MailCategory } from "./text.ts";

type Unwanted = (typeof mailCategories)[number];

/** Whose mails of which categories a link ends. */
export interface Unsubscription {
  readonly user_id: number;
  readonly categories: readonly Unwanted[];
}

/** The address that ends mails of these categories for a person with one click, signed in or not (RFC 8058). */
export function unsubscribeUrl(
  company: Company,
  { user_id, categories }: Unsubscription,
  secrets: Secrets,
): string {
  const said = `${user_id}.${categories.join("-")}`;
  const token = `${said}.${secrets.sign("mail", signedText(company, said))}`;
  const query = new URLSearchParams({ token });
  return `${company.base_url}/api/v2/companies/${company.subdomain}/unsubscribe?${query.toString()}`;
}

/**
 * Reads the token of such an address. It works for ever: old mails must be as easy to end.
 * @returns undefined for any other text.
 */
export function readUnsubscribeToken(
  company: Company,
  token: string,
  secrets: Secrets,
): Unsubscription | undefined {
  const [, said = "", id = "", names = "", signature = ""] =
    /^((\d{1,16})\.([a-z-]+))\.([\w-]+)$/.exec(token) ?? [];
  if (said === "" || !secrets.isSignedBy("mail", signedText(company, said), signature)) return undefined;
  const wanted = new Set(names.split("-"));
  return { user_id: Number(id), categories: mailCategories.filter((category) => wanted.has(category)) };
}

/** The categories that can be turned off, of those given. */
export function offered(categories: readonly MailCategory[]): Unwanted[] {
  const given = new Set<string>(categories);
  return mailCategories.filter((category) => given.has(category));
}

function signedText({ id }: Company, said: string): string {
  return `unsubscribe ${id} ${said}`;
}
