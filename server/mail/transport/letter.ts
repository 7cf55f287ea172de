import { domainToASCII } from "node:url";
import MailComposer from "nodemailer/lib/mail-composer";

/** A mail as it is to arrive: everything that a server or a reader needs, nothing about when and how it is sent. */
export interface Letter {
  /** `<left@right>` or `left@right`; the same mail has the same one, however often it is tried. */
  readonly message_id: string;
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Such as List-Unsubscribe; none of those that this module writes. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly date: Date;
  /** The language that it is written in, as a header says it (`pt-BR`). */
  readonly locale: string;
}

export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** A mail as bytes, with the two addresses of its envelope. */
export interface ComposedLetter {
  readonly bytes: Buffer;
  readonly sender: string;
  readonly recipient: string;
}

/** A name longer than this, in characters, says no more about who it is. */
const NAME_MAX_CHARACTERS = 100;
/** Mail programs show some 70 characters of a subject; the rest is for who opens it. */
const SUBJECT_MAX_CHARACTERS = 200;
/** RFC 5322 2.1.1 allows 998 characters in a line; a URL can't be folded, and the header's name needs some. */
const HEADER_VALUE_MAX_CHARACTERS = 900;
/** RFC 5321 4.5.3.1.3: a path of 256 characters, less its angle brackets. */
const ADDRESS_MAX_CHARACTERS = 254;
/** RFC 5321 4.5.3.1.1. */
const LOCAL_PART_MAX_BYTES = 64;

/** Marks that turn the direction of what follows; a pair that isolates what is between them (group 1) turns nothing. */
const DIRECTION_MARKS = /\u2068([^\u2066-\u2069\u202a-\u202e]*)\u2069|[\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** What this module writes itself. A second one of any of these would leave it to the reader which counts. */
const RESERVED_HEADERS =
  /^(from|sender|to|cc|bcc|reply-to|subject|date|message-id|return-path|mime-version|content-.*|resent-.*)$/i;

/**
 * Makes a mail's bytes: plain text and HTML as alternatives, every header on its own line whatever names and titles hold.
 * @throws on what only a mistake in the code can bring: a bad Message-ID, a header that is not the caller's to set
 */
export async function composeLetter(letter: Letter): Promise<ComposedLetter> {
  const node = new MailComposer({
    from: mailbox(letter.from),
    to: mailbox(letter.to),
    subject: oneLine(letter.subject, SUBJECT_MAX_CHARACTERS),
    messageId: messageId(letter.message_id),
    date: letter.date,
    text: bodyText(letter.text),
    html: bodyText(letter.html),
    headers: extraHeaders(letter),
    newline: "windows",
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  return {
    bytes: await node.build(),
    sender: asciiDomain(letter.from.address),
    recipient: asciiDomain(letter.to.address),
  };
}

/**
 * Says why nothing can be sent to an address, or gives null. Stricter than the RFCs: no quotes, comments, lists or
 * address literals, as nobody's mailbox needs them and each is a way to reach a second one.
 */
export function addressProblem(address: string): string | null {
  if (address.length > ADDRESS_MAX_CHARACTERS)
    return `The address is longer than ${ADDRESS_MAX_CHARACTERS} characters.`;
  const parts = /^([^\p{C}\p{Z}<>()[\]\\,;:"@]+)@([^\p{C}\p{Z}<>()[\]\\,;:"@/?#%]+)$/u.exec(address);
  const [, local = "", domain = ""] = parts ?? [];
  if (parts === null || domainToASCII(domain) === "")
    return "This is not one address: it needs one @, a domain after it, and no spaces, commas, quotes or brackets.";
  return Buffer.byteLength(local) > LOCAL_PART_MAX_BYTES
    ? `The part before the @ is longer than ${LOCAL_PART_MAX_BYTES} bytes.`
    : null;
}

/** The Message-ID with its angle brackets. */
export function messageId(id: string): string {
  const bare = id.replace(/^<(.*)>$/, "$1");
  if (!/^[\w.!#$%&'*+/=?^`{|}~-]+@[\w.:[\]-]+$/.test(bare) || bare.length > HEADER_VALUE_MAX_CHARACTERS)
    throw new Error(`a Message-ID must look like left@right, without spaces: ${JSON.stringify(id)}`);
  return `<${bare}>`;
}

function mailbox(box: Mailbox): Mailbox {
  return { name: oneLine(box.name, NAME_MAX_CHARACTERS), address: asciiDomain(box.address) };
}

/** An international domain in the form that every server knows. */
function asciiDomain(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1);
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`;
}

function extraHeaders(letter: Letter): { key: string; value: string }[] {
  const headers = new Map([
    ["auto-submitted", { key: "Auto-Submitted", value: "auto-generated" }],
    // Exchange and Outlook obey this one and not the standard's.
    ["x-auto-response-suppress", { key: "X-Auto-Response-Suppress", value: "All" }],
  ]);
  for (const [key, value] of Object.entries(letter.headers ?? {})) {
    if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(key) || RESERVED_HEADERS.test(key))
      throw new Error(`the header ${JSON.stringify(key)} can't be set: a letter's own fields do it`);
    if (value.length > HEADER_VALUE_MAX_CHARACTERS)
      throw new Error(`the header ${key} is longer than ${HEADER_VALUE_MAX_CHARACTERS} characters`);
    headers.set(key.toLowerCase(), { key, value: oneLine(value, HEADER_VALUE_MAX_CHARACTERS) });
  }
  return [
    ...headers.values(),
    { key: "Content-Language", value: oneLine(letter.locale, NAME_MAX_CHARACTERS) },
  ];
}

/**
 * One line of at most so many characters. What would end a header becomes a space; what turns the direction of
 * everything after it (in a list of mails too) goes. Marks that only Arabic and Hebrew need inside a word stay.
 */
function oneLine(text: string, maxCharacters: number): string {
  const characters = Array.from(
    text
      .toWellFormed()
      .replace(DIRECTION_MARKS, (marks, isolated?: string) => (isolated === undefined ? "" : marks))
      .replace(/[\p{Cc}\s]+/gu, " ")
      // The beginning of an encoded word: a reader would show, and perhaps obey, what is encoded in it.
      .replaceAll("=?", "= ?")
      .trim(),
  );
  return characters.length <= maxCharacters
    ? characters.join("")
    : `${characters.slice(0, maxCharacters - 1).join("")}…`;
}

/** A body without control characters (but tabs and ends of lines): some servers refuse them, and none shows them. */
function bodyText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replaceAll("\n", "\r\n");
}
