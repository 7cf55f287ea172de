import type { NodemailerError } from "nodemailer/lib/errors.js";
import type { Letter } from "./letter.ts";
import { type Subject, subjectOfRefusal } from "./refusal.ts";

/**
 * Whose fault it is that a mail was put off. The server's is met before it was told of this letter's recipient, so any
 * other letter would meet it too; what it says of the recipient for now is this letter's alone; of the rest nobody knows.
 */
export type Fault = "server" | "letter" | "either";

/** How sending one mail ended. Reasons are sentences for an administrator. */
export type SendOutcome =
  | { readonly kind: "sent"; readonly answer: string }
  /** Surely not accepted, and the cause may pass. */
  | { readonly kind: "try_again"; readonly fault: Fault; readonly reason: string }
  /** This address takes no mail, as the server says or as none was asked: it is not tried until somebody changes it. */
  | { readonly kind: "address_refused"; readonly by: "server" | "us"; readonly reason: string }
  /** Surely not accepted, and trying the same soon is of no use. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The connection ended after the last byte was handed over and before the answer: perhaps accepted. */
  | { readonly kind: "unsure"; readonly reason: string };

/** A way on which mails leave. One mail at a time: further ones wait for their turn. */
export interface MailTransport extends AsyncDisposable {
  /**
   * Sends one mail. `onCommit` is awaited at most once, when everything but the last dot is on its way: only after it
   * can the server accept the mail. It is settled before the outcome is given.
   * @throws what `onCommit` throws (the mail is then surely not accepted), and on a letter that no server would take
   */
  send(letter: Letter, onCommit: () => Promise<void>): Promise<SendOutcome>;
}

/** What went wrong, as nodemailer tells it. */
export type Failure = Pick<NodemailerError, "message" | "code" | "command" | "response" | "responseCode"> & {
  readonly originalCode?: unknown;
};

/** What a server says is cut to so many characters: it stands in logs and lists. */
const ANSWER_MAX_CHARACTERS = 500;
/** The answers that ask for (other) credentials, whatever was asked: the configuration is wrong, not the mail. */
const CREDENTIAL_CODES = new Set([530, 534, 535, 538]);

/**
 * The outcome of a mail that was not acknowledged. `begun` tells whether the server had agreed to take its text,
 * `handedOver` whether the last dot may have left.
 */
export function failedOutcome(
  failure: Failure,
  { begun, handedOver }: { readonly begun: boolean; readonly handedOver: boolean },
): SendOutcome {
  const { responseCode } = failure;
  if (responseCode !== undefined && responseCode >= 400 && responseCode <= 599)
    return answeredOutcome(failure, responseCode);
  if (handedOver)
    return { kind: "unsure", reason: `${lostReason(failure)} It may or may not have been accepted.` };
  if (failure.code === "EMESSAGE" || failure.code === "EENVELOPE")
    return {
      kind: "refused",
      reason: sentence(`The mail can't be sent to this mail server: ${failure.message}`),
    };
  return { kind: "try_again", fault: begun ? "either" : "server", reason: unreachedReason(failure) };
}

/** What a server answered, in one line and short. */
export function answerLine(answer: string): string {
  return answer
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, ANSWER_MAX_CHARACTERS);
}

function answeredOutcome(failure: Failure, code: number): SendOutcome {
  const answer = `"${answerLine(failure.response ?? failure.message)}"`;
  const step = failure.command ?? "";
  if ((failure.code === "EAUTH" && code >= 500) || CREDENTIAL_CODES.has(code))
    return putOff(
      `The mail server did not accept the user name and password of SMTP_URL: ${answer}. Correct SMTP_URL.`,
    );
  if (failure.code === "ETLS")
    return putOff(
      `The mail server did not agree to encrypt: ${answer}. Add ?requireTLS=false to SMTP_URL if it can't.`,
    );
  // 503 says that the conversation was in disorder, which is not the mail's fault.
  if (code < 500 || code === 503)
    return putOff(`The mail server asked to try later: ${answer}.`, faultAt(step, code));
  const about = subjectOfRefusal(
    failure.response ?? failure.message,
    step === "RCPT TO" ? "recipient" : "other",
  );
  // Before it heard of recipient and text, a server can only mind the sender: the mail goes when that is mended.
  if (step === "MAIL FROM" && !(code === 552 && about === "mail"))
    return putOff(`The mail server refused the sender: ${answer}. Check MAIL_FROM and SMTP_URL.`);
  if (step !== "RCPT TO" && step !== "DATA" && step !== "MAIL FROM")
    return putOff(`The mail server takes no mail from here: ${answer}. Check SMTP_URL.`);
  return refusalOutcome(about, answer);
}

/** What a refusal of the recipient or of the whole mail means. One of the sender passes when that is set right, so the mail is kept. */
function refusalOutcome(about: Subject, answer: string): SendOutcome {
  switch (about) {
    case "address":
      return {
        kind: "address_refused",
        by: "server",
        reason: `The mail server does not take mail for this address: ${answer}.`,
      };
    case "sender":
      return putOff(
        `The mail server refused to pass this mail on: ${answer}. Check SMTP_URL and MAIL_FROM.`,
        "either",
      );
    case "mail":
      return { kind: "refused", reason: `The mail server refused this mail: ${answer}.` };
  }
}

function putOff(reason: string, fault: Fault = "server"): SendOutcome {
  return { kind: "try_again", fault, reason };
}

/** Whose fault it is that a server asks to try later: greylisting is of one recipient, 421 ends the whole connection. */
function faultAt(step: string, code: number): Fault {
  if (step === "DATA") return "either";
  if (step !== "RCPT TO" || code === 421) return "server";
  return code === 503 ? "either" : "letter";
}

function lostReason(failure: Failure): string {
  return failure.code === "ETIMEDOUT"
    ? "The mail was handed over, and the mail server did not answer in time."
    : "The connection ended after the mail was handed over and before the mail server answered.";
}

function unreachedReason(failure: Failure): string {
  const cause = typeof failure.originalCode === "string" ? failure.originalCode : "";
  if (/CERT|SELF_SIGNED|ALTNAME|VERIFY/.test(cause))
    return sentence(`The mail server's certificate is not trusted: ${failure.message}`);
  switch (failure.code) {
    case "EAUTH":
      return sentence(`Signing in to the mail server failed. Correct SMTP_URL: ${failure.message}`);
    case "ETIMEDOUT":
      return /greeting/i.test(failure.message)
        ? "The mail server did not greet in time."
        : "The mail server did not answer in time.";
    case "EDNS":
      return sentence(`The mail server's name can't be resolved. Check SMTP_URL: ${failure.message}`);
    case "ETLS":
      return sentence(`No encrypted connection to the mail server could be made: ${failure.message}`);
    default:
      return sentence(`The mail server can't be reached, or ended the connection: ${failure.message}`);
  }
}

function sentence(text: string): string {
  const line = answerLine(text);
  return line.endsWith(".") ? line : `${line}.`;
}
