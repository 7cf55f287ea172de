import { Readable } from "node:stream";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { ComposedLetter } from "./letter.ts";
import type { Failure } from "./outcome.ts";

/** How one mail's conversation on an open connection ended. */
export interface Delivery {
  /** The server's acceptance; null when it did not accept. */
  readonly answer: string | null;
  readonly failure: Failure | null;
  /** Whether the server had agreed to take the message's text, so that `onCommit` may have run. */
  readonly begun: boolean;
  /** Whether the last dot may have left. */
  readonly handedOver: boolean;
}

/** What is known of a mail on its way; the stream and the conversation both move it. */
interface Progress {
  begun: boolean;
  handedOver: boolean;
  over: boolean;
  commit: Promise<void>;
}

/** A piece is what a socket takes at once, so that a connection lost in the middle is noticed before the commit. */
const PIECE_BYTES = 16 * 1024;
/** How often a full socket is looked at. */
const FLUSH_POLL_MS = 5;

/**
 * Sends one mail on an open connection. `onCommit` is awaited when all of the text has left this process, and the dot
 * that ends it follows only then. The connection is closed if it can't be known in what state it is.
 * @throws what `onCommit` throws
 */
export async function deliver(
  connection: SMTPConnection,
  mail: ComposedLetter,
  options: { readonly onCommit: () => Promise<void>; readonly limitMs: number },
): Promise<Delivery> {
  const progress: Progress = { begun: false, handedOver: false, over: false, commit: Promise.resolve() };
  const text = Readable.from(textOf(connection, mail.bytes, { progress, onCommit: options.onCommit }));
  const ended = await converse(connection, mail, { text, progress, limitMs: options.limitMs });
  // An answer before the dot leaves a message half sent: the dot must never follow it.
  const clean = !progress.begun || progress.handedOver;
  if (!clean || ended.answer === null) text.destroy();
  if (!clean) connection.close();
  const { begun, handedOver } = progress;
  await progress.commit;
  return { ...ended, begun, handedOver };
}

type Ending = Pick<Delivery, "answer" | "failure">;

function converse(
  connection: SMTPConnection,
  mail: ComposedLetter,
  run: { readonly text: Readable; readonly progress: Progress; readonly limitMs: number },
): Promise<Ending> {
  return new Promise((resolve) => {
    const end = (ending: Ending) => {
      clearTimeout(timer);
      connection.off("end", closed);
      run.progress.over = true;
      resolve(ending);
    };
    // Nodemailer tells nothing to who waits for a connection that we close ourselves. Where it does tell, it does so
    // right after this, and knows more.
    const closed = () => {
      run.progress.over = true;
      const failure = { message: "the connection was closed", code: "ECONNECTION" };
      setImmediate(() => end({ answer: null, failure }));
    };
    connection.once("end", closed);
    const timer = setTimeout(() => {
      end({ answer: null, failure: { message: "the whole mail took too long", code: "ETIMEDOUT" } });
      connection.close();
    }, run.limitMs);
    const envelope = { from: mail.sender, to: [mail.recipient], size: mail.bytes.length };
    connection.send(envelope, run.text, (failure, info) => {
      if (failure) end({ answer: null, failure });
      else if (run.progress.handedOver) end({ answer: info?.response ?? "", failure: null });
      else
        end({ answer: null, failure: { message: "the mail server answered before it had the whole mail" } });
    });
  });
}

/** The message's text, then the commit; when this ends, nodemailer sends the dot. A throw sends none. */
async function* textOf(
  connection: SMTPConnection,
  bytes: Buffer,
  run: { readonly progress: Progress; readonly onCommit: () => Promise<void> },
): AsyncGenerator<Buffer, void, undefined> {
  run.progress.begun = true;
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
    await flushed(connection);
    if (run.progress.over) throw new Error("the connection ended in the middle of the mail");
  }
  const commit = (async () => run.onCommit())();
  run.progress.commit = commit;
  await commit;
  if (run.progress.over) throw new Error("the connection ended before the end of the mail");
  run.progress.handedOver = true;
}

/** Waits until the operating system has all that was written so far, or the connection is gone. */
async function flushed(connection: SMTPConnection): Promise<void> {
  await nextTurn();
  while (!connection.destroyed && unsentBytes(connection) > 0) await delay(FLUSH_POLL_MS);
}

function unsentBytes({ _socket: socket }: SMTPConnection): number {
  return socket ? socket.writableLength : 0;
}
