import { Pool } from "undici";
import type { OutgoingPolicy } from "./address.ts";
import { guardedConnector } from "./connect.ts";
import { Exchange, type ExchangeLimits, type Posted } from "./exchange.ts";
import type { AddressResolver } from "./resolve.ts";
import { checkUrl } from "./url.ts";

/** How long a request may take in milliseconds, from looking the name up to the last byte of the answer. */
const LIMIT_MS = 15_000;
/** How much of an answer is read in bytes, as it comes: nothing is unpacked. */
const MOST_BODY_BYTES = 64 * 1024;
/** How much of an answer is kept in bytes: enough for a stack or a page's title. */
const KEPT_BYTES = 4096;
/** How many connections there are to one receiver for one lane: whoever sends more at once waits. */
const MOST_SOCKETS = 16;
/** How large the headers of an answer may be, in bytes. */
const MOST_HEADER_BYTES = 16 * 1024;
/** How long a connection is kept for the next request in milliseconds, and how long where the receiver offers more. */
const IDLE_MS = 4000;
const MOST_IDLE_MS = 60_000;

/** Headers that belong to the connection or say whom the request is for, so nobody may choose them. */
const RESERVED_HEADER =
  /^(?:accept-encoding|connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

/** Whether a header can't be given along with a request, as it is for the connection to decide. Takes its name. */
export function isReservedHeader(name: string): boolean {
  return RESERVED_HEADER.test(name);
}

/** A request to be sent. */
export interface OutgoingMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /**
   * Whose request it is, such as a company and an endpoint. Each lane has its own connections, so that one that waits
   * for a slow address doesn't hold up another's requests to the same server.
   */
  readonly lane?: string;
}

/** Limits that tests make small, and who is asked for addresses. */
export interface OutgoingOptions extends Partial<ExchangeLimits> {
  readonly resolver?: AddressResolver;
}

/**
 * Sends requests to addresses that people have typed, so that they can't be led to the operator's own network, and
 * gets no more from there than a person needs to see what is wrong. Keeps connections open for the next request;
 * each new one is checked. Dispose it to close them all.
 */
export class Outgoing implements AsyncDisposable {
  readonly #policy: OutgoingPolicy;
  readonly #limits: ExchangeLimits;
  readonly #pools = new Map<string, Pool>();
  readonly #closing = new AbortController();
  readonly #connect: ReturnType<typeof guardedConnector>;

  constructor(policy: OutgoingPolicy, options: OutgoingOptions = {}) {
    this.#policy = policy;
    this.#limits = { limitMs: LIMIT_MS, mostBodyBytes: MOST_BODY_BYTES, keptBytes: KEPT_BYTES, ...options };
    this.#connect = guardedConnector({
      policy,
      limitMs: this.#limits.limitMs,
      resolver: options.resolver,
      closing: this.#closing.signal,
    });
  }

  /**
   * Sends a POST and waits for the answer, at most until the limit or the signal. Never throws.
   * What counts is the status: an answer that breaks off, hangs or is too long behind its headers is an answer all
   * the same, and what came of it is given. A redirect is an answer like others, and not followed.
   */
  async post(message: OutgoingMessage, signal?: AbortSignal): Promise<Posted> {
    const checked = checkUrl(message.url, this.#policy);
    if ("problem" in checked) return failed(`The address ${checked.problem}`, "refused address");
    const reserved = Object.keys(message.headers).find(isReservedHeader);
    if (reserved !== undefined) return failed(`The header ${reserved} can't be chosen`);
    if (signal?.aborted || this.#closing.signal.aborted) return failed(STOPPED);
    const { origin, pathname, search } = checked.url;
    const exchange = new Exchange(this.#limits);
    const stop = (): void => exchange.stop(STOPPED);
    signal?.addEventListener("abort", stop, { once: true });
    this.#closing.signal.addEventListener("abort", stop, { once: true });
    // In small letters, so that a name that is there twice is sent once, with the value that was given last.
    const given = Object.entries(message.headers).map(([name, value]) => [name.toLowerCase(), value]);
    const headers = { ...Object.fromEntries(given), "accept-encoding": "identity" };
    this.#pool(origin, message.lane ?? "").dispatch(
      { path: pathname + search, method: "POST", headers, body: message.body },
      exchange,
    );
    const posted = await exchange.posted;
    signal?.removeEventListener("abort", stop);
    this.#closing.signal.removeEventListener("abort", stop);
    return posted;
  }

  /** Breaks off what is being sent, and closes all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    this.#closing.abort();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #pool(origin: string, lane: string): Pool {
    const key = `${origin} ${lane}`;
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const pool = new Pool(origin, {
      connect: this.#connect,
      connections: MOST_SOCKETS,
      allowH2: false,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MOST_HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MOST_IDLE_MS,
    });
    const forgetIfUnused = (): void => this.#forgetIfUnused(key, pool);
    pool.on("disconnect", forgetIfUnused).on("connectionError", forgetIfUnused);
    this.#pools.set(key, pool);
    return pool;
  }

  #forgetIfUnused(key: string, pool: Pool): void {
    const { connected, size, queued } = pool.stats;
    if (connected + size + queued > 0 || this.#pools.get(key) !== pool) return;
    this.#pools.delete(key);
    void pool.close();
  }
}

const STOPPED = "Sending was stopped before an answer came";

function failed(reason: string, why?: "refused address"): Posted {
  return { kind: "failed", reason, duration_ms: 0, is_refused_address: why === "refused address" };
}
