import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import {
  SMTPServer,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from "smtp-server";
import type { SMTPConnection } from "smtp-server/lib/smtp-connection.js";

/** When a mail server can misbehave: before its greeting, at a command, at the text's first bytes, at the last dot. */
export type MailMoment = "connect" | "mail" | "rcpt" | "text" | "dot";
/** Go on; cut the connection; at the dot, take the mail and cut the connection; or say this. */
export type MailManner = "go_on" | "cut" | "keep_and_cut" | `${number} ${string}`;

export type Behaviour = (moment: MailMoment, recipient: string) => MailManner | Promise<MailManner>;

/** A mail that the server took. */
export interface ArrivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly encrypted: boolean;
  /** Which of the server's connections it came on, from 1. */
  readonly connection: number;
}

export interface MailServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly mails: ArrivedMail[];
  /** How many texts came with their last dot, taken or not. */
  readonly dots: number;
  readonly connections: number;
  /** How it behaves from now on. */
  behave: Behaviour;
  /** Cuts every connection, also those on which nothing happens. */
  hangUp(): void;
}

interface Connection {
  readonly socket: Socket | undefined;
  readonly number: number;
}

/** A real SMTP server on a port of its own that behaves as it is told. Its certificate is signed by itself. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const numbers = new Map<string, number>();
  const connectionOf = (session: SMTPServerSession): Connection => {
    const connection = [...server.connections].find(({ id }) => id === session.id);
    return { socket: connection && socketOf(connection), number: numbers.get(session.id) ?? 0 };
  };
  const state = { mails: new Array<ArrivedMail>(), dots: 0, connections: 0, behave: politely };
  const step = async (question: Question) => {
    const manner = await state.behave(question.moment, question.recipient ?? "");
    if (manner === "cut") connectionOf(question.session).socket?.destroy();
    else question.done(manner === "go_on" ? undefined : refusal(manner));
  };
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: true,
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    logger: false,
    onConnect(session, done) {
      state.connections += 1;
      numbers.set(session.id, state.connections);
      void step({ moment: "connect", session, done });
    },
    onMailFrom: (_address, session, done) => void step({ moment: "mail", session, done }),
    onRcptTo: ({ address }, session, done) =>
      void step({ moment: "rcpt", session, done, recipient: address }),
    onData: (stream, session, done) => void takeMail(state, connectionOf(session), { stream, session, done }),
    ...options,
  });
  // A connection that a client cuts is what these tests are about.
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const port = portOf(server.server.address());
  const hangUp = () => server.connections.forEach((connection) => socketOf(connection).destroy());
  return Object.assign(state, {
    hangUp,
    url: `${options.secure === true ? "smtps" : "smtp"}://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      hangUp();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  });
}

/** The uppermost one: to end the socket below a TLS socket in the middle of its handshake ends Node. */
function socketOf({ _socket: socket }: Pick<SMTPConnection, "_socket">): Socket {
  return socket;
}

interface Question {
  readonly moment: MailMoment;
  readonly session: SMTPServerSession;
  readonly done: (refusal?: Error) => void;
  readonly recipient?: string;
}

interface Text {
  readonly stream: SMTPServerDataStream;
  readonly session: SMTPServerSession;
  readonly done: (refusal?: Error | null, answer?: string) => void;
}

async function takeMail(
  state: { readonly mails: ArrivedMail[]; dots: number; readonly behave: Behaviour },
  connection: Connection,
  { stream, session, done }: Text,
): Promise<void> {
  const to = session.envelope.rcptTo.map(({ address }) => address);
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A client that leaves in the middle ends the stream with an error.
  const whole = once(stream, "end").then(
    () => true,
    () => false,
  );
  await Promise.race([new Promise((resolve) => stream.once("data", resolve)), whole]);
  const early = await state.behave("text", to[0] ?? "");
  if (early === "cut") connection.socket?.destroy();
  else if (early !== "go_on") connection.socket?.write(`${early}\r\n`);
  if (!(await whole)) return;
  state.dots += 1;
  if (early !== "go_on") return;
  const late = await state.behave("dot", to[0] ?? "");
  if (late === "go_on" || late === "keep_and_cut")
    state.mails.push({
      from: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
      to,
      raw: Buffer.concat(chunks).toString("utf8"),
      encrypted: session.secure,
      connection: connection.number,
    });
  if (late === "cut" || late === "keep_and_cut") connection.socket?.destroy();
  else done(late === "go_on" ? null : refusal(late), "Taken");
}

function politely(_moment: MailMoment, _recipient: string): MailManner | Promise<MailManner> {
  return "go_on";
}

function refusal(answer: string): Error {
  return Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) });
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the mail server has no port");
  return address.port;
}
