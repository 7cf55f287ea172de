import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** What is asked of one server. The requests are sent in turn, and from the beginning again after the last. */
export interface Target {
  readonly port: number;
  readonly requests: readonly Buffer[];
  /** How many requests are under way at a time, each on a connection of its own. */
  readonly connections: number;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const CONTENT_LENGTH = /\r\ncontent-length: ([0-9]+)\r\n/i;

/** One request as bytes, for a connection that is kept. */
export function toRequest(
  method: string,
  path: string,
  options: { authorization?: string; cookie?: string; body?: string } = {},
): Buffer {
  const { authorization, cookie, body } = options;
  const head = [`${method} ${path} HTTP/1.1`, "host: 127.0.0.1", "accept: application/json"];
  if (authorization !== undefined) head.push(`authorization: ${authorization}`);
  if (cookie !== undefined) head.push(`cookie: ${cookie}`);
  if (body !== undefined)
    head.push("content-type: application/json", `content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body ?? ""}`);
}

/**
 * Sends requests for some time, the next one on a connection as soon as the last is answered. Plain sockets, as a
 * client's own work takes from the two servers alike and so would hide what lies between them.
 */
export class Load {
  readonly #target: Target;
  #next = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  /** @returns answers a second. @throws Error when an answer is not of status 200. */
  async run(seconds: number): Promise<number> {
    const { port, connections } = this.#target;
    const started = performance.now();
    const until = started + seconds * 1000;
    const counts = await Promise.all(Array.from({ length: connections }, () => this.#drive(port, until)));
    const answers = counts.reduce((sum, count) => sum + count, 0);
    return answers / ((performance.now() - started) / 1000);
  }

  /** @returns the body of the answer to the next request. */
  async ask(): Promise<string> {
    const socket = connect({ port: this.#target.port, host: "127.0.0.1" });
    const reader = new AnswerReader();
    const chunks: Buffer[] = [];
    this.#send(socket);
    for await (const chunk of socket) {
      if (!Buffer.isBuffer(chunk)) continue;
      chunks.push(chunk);
      if (reader.take(chunk)) break;
    }
    const bytes = Buffer.concat(chunks);
    return bytes.toString("utf8", bytes.indexOf(HEAD_END) + HEAD_END.length);
  }

  async #drive(port: number, until: number): Promise<number> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const reader = new AnswerReader();
    let answers = 0;
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (chunk) => {
      try {
        if (!reader.take(chunk)) return;
        answers += 1;
        if (performance.now() < until) this.#send(socket);
        else resolve(answers);
      } catch (error) {
        reject(error);
      }
    });
    this.#send(socket);
    try {
      return await promise;
    } finally {
      socket.destroy();
    }
  }

  #send(socket: Socket): void {
    const request = this.#target.requests[this.#next % this.#target.requests.length];
    this.#next += 1;
    if (request !== undefined) socket.write(request);
  }
}

/** Finds where an answer ends, by its Content-Length: both servers send one. */
class AnswerReader {
  #missing = 0;
  #head: Buffer = Buffer.alloc(0);

  /** Takes a chunk; true when the answer is whole with it. */
  take(chunk: Buffer): boolean {
    if (this.#missing > 0) {
      this.#missing -= chunk.length;
      return this.#missing <= 0;
    }
    const bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const end = bytes.indexOf(HEAD_END);
    this.#head = end < 0 ? bytes : Buffer.alloc(0);
    if (end < 0) return false;
    const head = bytes.toString("latin1", 0, end + 2);
    const length = CONTENT_LENGTH.exec(head)?.[1];
    if (!head.startsWith("HTTP/1.1 200") || length === undefined) {
      throw new Error(`not a whole answer of status 200: ${bytes.toString("latin1", 0, 1000)}`);
    }
    this.#missing = Number(length) - (bytes.length - end - HEAD_END.length);
    return this.#missing <= 0;
  }
}
