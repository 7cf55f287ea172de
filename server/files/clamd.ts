import { createConnection, type Socket } from "node:net";
import { once } from "node:events";

/** How long the daemon may take for the next bytes, and to give its verdict. */
const SILENCE_MS = 60_000;
/** The daemon's answers are one line. */
const MOST_ANSWER_CHARACTERS = 4_096;

/** What the daemon says of a file. */
export type Verdict = { readonly isClean: true } | { readonly isClean: false; readonly found: string };

/** The daemon is away, or did not do what it was asked. */
export class ScannerFailed extends Error {
  override name = "ScannerFailed";
}

/**
 * Shows bytes to a ClamAV daemon (its INSTREAM command: chunks behind their lengths, and an empty one at the end).
 * @param address host:port, or the path of a socket.
 * @throws ScannerFailed; and whatever reading the bytes throws.
 */
export async function scan(address: string, bytes: AsyncIterable<Buffer>): Promise<Verdict> {
  const socket = connect(address);
  try {
    const answered = readAnswer(socket);
    // It is looked at below; until then it must not end the process.
    answered.catch(() => undefined);
    let isSent = false;
    const sent = send(socket, bytes).then(() => (isSent = true));
    // The daemon may answer before it has everything, as when a file is too large for it, and then reads no more.
    await Promise.race([sent, answered]);
    const verdict = toVerdict(await answered);
    if (verdict.isClean && !isSent)
      throw new ScannerFailed("the virus scanner did not wait for the whole file");
    return verdict;
  } finally {
    socket.destroy();
  }
}

function connect(address: string): Socket {
  const [host = "", port] = address.split(":");
  const socket = address.startsWith("/")
    ? createConnection({ path: address })
    : createConnection({ host, port: Number(port) });
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new ScannerFailed("the virus scanner is silent")));
  return socket;
}

async function send(socket: Socket, bytes: AsyncIterable<Buffer>): Promise<void> {
  socket.write("zINSTREAM\0");
  for await (const chunk of bytes) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(chunk.length);
    socket.write(length);
    if (socket.destroyed) return;
    if (!socket.write(chunk))
      await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined);
  }
  socket.write(Buffer.alloc(4));
}

function readAnswer(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (piece: string) => {
      text += piece;
      if (/[\0\n]/.test(text) || text.length > MOST_ANSWER_CHARACTERS) resolve(text);
    });
    socket.on("error", (error) => reject(new ScannerFailed(String(error), { cause: error })));
    socket.on("close", () => reject(new ScannerFailed("the virus scanner hung up")));
  });
}

function toVerdict(answer: string): Verdict {
  const line = answer.replace(/[\0\n].*$/s, "");
  if (line === "stream: OK") return { isClean: true };
  const found = /^stream: (.+) FOUND$/.exec(line)?.[1];
  if (found !== undefined) return { isClean: false, found };
  throw new ScannerFailed(`the virus scanner said: ${line}`);
}
