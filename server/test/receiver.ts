import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
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

/**
 * Finds a port that nobody listens on, as a server that is down would leave it. It is the near end of a connection that
 * stays as long as this process, so that no other test is given it meanwhile.
 */
export async function findClosedPort(): Promise<number> {
  const server = createTcpServer((socket) => void socket.unref().on("error", () => undefined)).unref();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("it listens on a port");
  const socket = connect(address.port, address.address);
  await once(socket, "connect");
  socket.unref().on("error", () => undefined);
  server.close();
  if (socket.localPort === undefined) throw new Error("a connection has a port");
  return socket.localPort;
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
