import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** What a virus scanner takes for a virus, so that one can be tried without any (https://www.eicar.org). */
export const EICAR = "X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*";

/** A server that speaks as clamd does, and knows one virus. */
export interface RunningClamd extends AsyncDisposable {
  readonly address: string;
  /** What it does with who connects. */
  behave(as: "scan" | "hang up" | "refuse large files"): void;
}

/** Starts one on a free port. Dispose it to stop it. */
export async function startClamd(): Promise<RunningClamd> {
  let behaviour: Parameters<RunningClamd["behave"]>[0] = "scan";
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    if (behaviour === "hang up") socket.destroy();
    else if (behaviour === "refuse large files") socket.resume().end("INSTREAM size limit exceeded. ERROR\0");
    else answer(socket).catch(() => socket.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    address: `127.0.0.1:${port}`,
    behave: (as) => {
      behaviour = as;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

const COMMAND = "zINSTREAM\0";

async function answer(socket: Socket): Promise<void> {
  let came = Buffer.alloc(0);
  for await (const chunk of socket) {
    came = Buffer.concat([came, chunk]);
    if (!came.subarray(0, COMMAND.length).equals(Buffer.from(COMMAND).subarray(0, came.length))) {
      return void socket.end("UNKNOWN COMMAND\0");
    }
    const bytes = readChunks(came.subarray(COMMAND.length));
    if (bytes === undefined) continue;
    return void socket.end(bytes.includes(EICAR) ? "stream: Eicar-Test-Signature FOUND\0" : "stream: OK\0");
  }
}

/** The bytes of chunks behind their lengths; undefined until the empty one has come that ends them. */
function readChunks(stream: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  while (stream.length - at >= 4) {
    const length = stream.readUInt32BE(at);
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(stream.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return undefined;
}
