import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { Certificate } from "./certificates.ts";

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** What a receiver answers to a request; it may also not, or break off. */
export type Answer = (response: ServerResponse, received: Received) => void;

/** A real server on this machine that gets webhooks. */
export interface Receiver extends AsyncDisposable {
  /** Where it is, such as http://127.0.0.1:40213. */
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** How many connections were made to it, whatever came over them. */
  readonly connections: number;
  /** Has it answer otherwise from now on. */
  behave(answer: Answer): void;
}

/** How and where a receiver is started. */
export interface ReceiverOptions {
  readonly answer?: Answer;
  /** Which addresses of this machine it listens on. */
  readonly host?: string;
  /** With one, it speaks https. */
  readonly certificate?: Certificate;
}

/** Starts a receiver, which answers 200 unless told otherwise. Dispose it to stop it. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { certificate, host = "127.0.0.1" } = options;
  const received: Received[] = [];
  let answer = options.answer ?? ((response) => response.end("ok"));
  const listen = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const one = { path: request.url ?? "", headers: request.headers, body };
      received.push(one);
      answer(response, one);
    });
  };
  const server =
    certificate === undefined ? createHttpServer(listen) : createHttpsServer(certificate, listen);
  const running = await start(server, host);
  return {
    ...running,
    get connections() {
      return running.count();
    },
    url: `${certificate === undefined ? "http" : "https"}://${host}:${running.port}`,
    received,
    behave: (as) => {
      answer = as;
    },
  };
}

/** Starts a server that does with each connection what it is told, such as never saying a word. Dispose it to stop it. */
export async function startSilentReceiver(
  behave: (socket: Socket) => void,
): Promise<Omit<Receiver, "behave">> {
  const running = await start(createTcpServer(behave), "127.0.0.1");
  return {
    ...running,
    get connections() {
      return running.count();
    },
    url: `http://127.0.0.1:${running.port}`,
    received: [],
  };
}

/** Finds a port that nobody listens on, as a server that is down would leave it. */
export async function findClosedPort(): Promise<number> {
  await using running = await start(createTcpServer(), "127.0.0.1");
  return running.port;
}

async function start(
  server: Server,
  host: string,
): Promise<AsyncDisposable & { port: number; count: () => number }> {
  const sockets = new Set<Socket>();
  let count = 0;
  server.on("connection", (socket: Socket) => {
    count += 1;
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    count: () => count,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
