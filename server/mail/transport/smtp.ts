import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { ConnectionUrlOptions } from "nodemailer/lib/shared";
import { deliver, type Delivery } from "./delivery.ts";
import { addressProblem, composeLetter, type ComposedLetter, type Letter } from "./letter.ts";
import { answerLine, failedOutcome, type Failure, type MailTransport, type SendOutcome } from "./outcome.ts";
import { readSmtpUrl } from "./smtp-url.ts";

/** How long is waited for a mail server; tests pass less. */
export interface SmtpLimits {
  /** From the connection's start to a finished greeting, encryption included. */
  readonly greetingMs: number;
  /** Without a byte in either direction. Also what a server may take to accept a mail that it was handed. */
  readonly silenceMs: number;
  /** For one mail in all: a server that sends a byte every minute would hold the queue for ever. */
  readonly mailMs: number;
  /** A connection that nobody uses is given back. */
  readonly idleMs: number;
  /** How long a shutdown waits for a mail on its way before it cuts the connection. */
  readonly closeMs: number;
}

export const SMTP_LIMITS: SmtpLimits = {
  greetingMs: 30_000,
  silenceMs: 60_000,
  mailMs: 300_000,
  idleMs: 10_000,
  closeMs: 10_000,
};

/** Top-level domains that never lead anywhere (RFC 2606), such as that of the demo company's people. */
const RESERVED = /\.(example|invalid)$/i;

/** Many servers close a connection after 100 mails: ending it ourselves costs less than finding it closed. */
const MAILS_PER_CONNECTION = 100;
/** A server that does not answer QUIT is left. */
const QUIT_MS = 1000;

/** Sends mails one after the other over a connection that is kept as long as it is good. */
export class SmtpTransport implements MailTransport {
  readonly #server: ConnectionUrlOptions;
  readonly #limits: SmtpLimits;
  #connection: SMTPConnection | null = null;
  #mailsSent = 0;
  #idle: NodeJS.Timeout | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** @throws OperatorError when the URL names no mail server */
  constructor(smtpUrl: string, limits: SmtpLimits) {
    this.#server = readSmtpUrl(smtpUrl);
    this.#limits = limits;
  }

  send(letter: Letter, onCommit: () => Promise<void>): Promise<SendOutcome> {
    const sending = this.#turn.then(() => this.#send(letter, onCommit));
    this.#turn = sending.catch(() => undefined);
    return sending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const cut = setTimeout(() => this.#drop(), this.#limits.closeMs);
    await this.#turn;
    clearTimeout(cut);
    await this.#quit();
  }

  async #send(letter: Letter, onCommit: () => Promise<void>): Promise<SendOutcome> {
    const problem = addressProblem(letter.to.address) ?? reservedDomain(letter.to.address);
    if (problem !== null) return { kind: "address_refused", by: "us", reason: problem };
    const mail = await composeLetter(letter);
    if (this.#closed) return { kind: "try_again", fault: "server", reason: "The server was shutting down." };
    const reused = this.#connection !== null && !this.#connection.destroyed;
    const first = await this.#attempt(mail, onCommit);
    // A kept connection may have come to the server's limits. That is not this mail's fault, and nothing of it was sent.
    if (reused && !first.begun && isAboutConnection(first.failure)) {
      this.#drop();
      return this.#outcome(await this.#attempt(mail, onCommit));
    }
    return this.#outcome(first);
  }

  async #attempt(mail: ComposedLetter, onCommit: () => Promise<void>): Promise<Delivery> {
    clearTimeout(this.#idle);
    const connection = await this.#open();
    if (!(connection instanceof SMTPConnection))
      return { answer: null, failure: connection, begun: false, handedOver: false };
    try {
      return await deliver(connection, mail, { onCommit, limitMs: this.#limits.mailMs });
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  async #outcome(delivery: Delivery): Promise<SendOutcome> {
    if (delivery.answer !== null) {
      this.#mailsSent += 1;
      if (this.#mailsSent >= MAILS_PER_CONNECTION) await this.#quit();
      else this.#rest();
      return { kind: "sent", answer: answerLine(delivery.answer) };
    }
    // Only after a clear refusal is it known that the next mail can begin; all else begins a new connection.
    if (delivery.failure?.responseCode !== undefined && (await this.#reset())) this.#rest();
    else this.#drop();
    return failedOutcome(delivery.failure ?? { message: "no answer" }, delivery);
  }

  /** The connection to use, or why there is none. */
  async #open(): Promise<SMTPConnection | Failure> {
    if (this.#connection !== null && !this.#connection.destroyed) return this.#connection;
    const connection = new SMTPConnection({
      connectionTimeout: this.#limits.greetingMs,
      greetingTimeout: this.#limits.greetingMs,
      socketTimeout: this.#limits.silenceMs,
      ...this.#server,
    });
    this.#connection = connection;
    this.#mailsSent = 0;
    // An error on a connection that nobody is using must not end the process; the next mail finds it closed.
    connection.on("error", () => undefined);
    const failure =
      (await ask(connection, (done) => connection.connect(done))) ??
      (await signIn(connection, this.#server.auth));
    if (failure === null) return connection;
    this.#drop();
    return failure;
  }

  async #reset(): Promise<boolean> {
    const connection = this.#connection;
    if (connection === null || connection.destroyed) return false;
    return (await ask(connection, (done) => connection.reset(done))) === null;
  }

  /** Keeps the connection for the next mail, for a while. */
  #rest(): void {
    this.#idle = setTimeout(() => void this.#quit(), this.#limits.idleMs);
  }

  async #quit(): Promise<void> {
    clearTimeout(this.#idle);
    const connection = this.#connection;
    this.#connection = null;
    if (connection === null || connection.destroyed) return;
    await new Promise<void>((resolve) => {
      const giveUp = setTimeout(() => connection.close(), QUIT_MS);
      connection.once("end", () => {
        clearTimeout(giveUp);
        resolve();
      });
      connection.quit();
    });
  }

  #drop(): void {
    clearTimeout(this.#idle);
    this.#connection?.close();
    this.#connection = null;
  }
}

/** Whether a mail that never began failed for the connection's sake: lost, 421, or the server wants no further mail on it. */
function isAboutConnection(failure: Failure | null): boolean {
  return (
    failure?.responseCode === undefined || failure.responseCode === 421 || failure.command === "MAIL FROM"
  );
}

async function signIn(
  connection: SMTPConnection,
  auth: ConnectionUrlOptions["auth"],
): Promise<Failure | null> {
  if (auth === undefined) return null;
  if (!connection.allowsAuth)
    return { message: "the mail server takes no user name and password", code: "EAUTH" };
  return ask(connection, (done) => connection.login({ ...auth }, done));
}

/** Waits for a step's end. Nodemailer calls back only while the connection lives, so its end is listened for as well. */
function ask(
  connection: SMTPConnection,
  step: (done: (failure?: Failure | null) => void) => void,
): Promise<Failure | null> {
  return new Promise((resolve) => {
    const settle = (failure?: Failure | null) => {
      connection.off("error", settle).off("end", ended);
      resolve(failure ?? null);
    };
    const ended = () => settle({ message: "the connection was closed", code: "ECONNECTION" });
    connection.once("error", settle).once("end", ended);
    step(settle);
  });
}

/** Why nothing is sent to an address that can be nobody's: a server would only bounce it. */
function reservedDomain(address: string): string | null {
  return RESERVED.test(address) ? "No mail server is behind this domain: it is reserved for examples." : null;
}
