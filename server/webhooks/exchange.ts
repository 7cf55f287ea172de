import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { readFailure } from "./failure.ts";

/** What became of a request; `reason` is a sentence that a person understands, without a full stop. */
export type Posted =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly duration_ms: number;
      /** The beginning of the answer as text, or its size where it is compressed. */
      readonly body: string;
      readonly retry_after: string | null;
    }
  | {
      readonly kind: "failed";
      readonly reason: string;
      readonly duration_ms: number;
      /** Whether we refused, as the address is none that requests may go to. */
      readonly is_refused_address: boolean;
    };

/** How much time and answer a request may take. */
export interface ExchangeLimits {
  readonly limitMs: number;
  readonly mostBodyBytes: number;
  readonly keptBytes: number;
}

/** The longest Retry-After that is handed on, in characters: a date has 29. */
const MOST_RETRY_AFTER_CHARACTERS = 100;

/**
 * One request and what comes back, as undici tells it. `posted` is fulfilled once, and always within the time limit,
 * also while undici still waits for a connection: what waits then isn't sent any more.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly posted: Promise<Posted>;
  readonly #settle: (posted: Posted) => void;
  readonly #limits: ExchangeLimits;
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  #kept: Buffer[] = [];
  #keptLength = 0;
  #length = 0;

  constructor(limits: ExchangeLimits) {
    const { promise, resolve } = Promise.withResolvers<Posted>();
    this.posted = promise;
    this.#settle = resolve;
    this.#limits = limits;
    this.#timer = setTimeout(() => this.#timeOut(), limits.limitMs);
  }

  /** Ends it before its time; what has come of an answer counts. */
  stop(reason: string): void {
    this.#end({ reason, is_refused_address: false });
    this.#controller?.abort(new Error(reason));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) return controller.abort(new Error("The time was up before there was a connection"));
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // 103 and the like come before the answer (RFC 9110 15.2).
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#length += chunk.length;
    const missing = this.#limits.keptBytes - this.#keptLength;
    if (missing > 0) {
      // A copy, as the chunk is a view of the whole buffer that was read from the socket.
      const kept = Buffer.from(chunk.subarray(0, missing));
      this.#kept.push(kept);
      this.#keptLength += kept.length;
    }
    if (this.#length > this.#limits.mostBodyBytes) this.stop("The answer is too long");
  }

  onResponseEnd(): void {
    this.#end({ reason: "The answer had no status", is_refused_address: false });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(readFailure(error));
  }

  #timeOut(): void {
    const missing = this.#controller === undefined ? "connection" : "answer";
    this.stop(`No ${missing} within ${this.#limits.limitMs / 1000} seconds`);
  }

  #end(failure: { reason: string; is_refused_address: boolean }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    const duration_ms = Math.round(performance.now() - this.#started);
    this.#settle(
      this.#status === undefined
        ? { kind: "failed", ...failure, duration_ms }
        : {
            kind: "answered",
            status: this.#status,
            duration_ms,
            body: this.#text(),
            retry_after: this.#retryAfter(),
          },
    );
    this.#kept = [];
  }

  #text(): string {
    const encoding = this.#header("content-encoding")?.toLowerCase() ?? "identity";
    const size =
      this.#length > this.#limits.mostBodyBytes ? `over ${this.#limits.mostBodyBytes}` : this.#length;
    if (encoding !== "identity")
      return `(${size} bytes, ${encoding.slice(0, 20).replaceAll(/[^\w, -]/g, "?")})`;
    // Streaming leaves out a character whose end has been cut off. PostgreSQL takes no NUL.
    const stream = this.#length > this.#keptLength;
    return new TextDecoder().decode(Buffer.concat(this.#kept), { stream }).replaceAll("\0", "\uFFFD");
  }

  #retryAfter(): string | null {
    return this.#header("retry-after")?.slice(0, MOST_RETRY_AFTER_CHARACTERS) ?? null;
  }

  /** A header that comes more than once is a list, whatever its type says. */
  #header(name: "content-encoding" | "retry-after"): string | undefined {
    return [this.#headers[name]].flat()[0];
  }
}
