import { sql } from "kysely";
import type { Database } from "../db/db.ts";

/** A window begins with the first request and lasts this long. */
export const WINDOW_MS = 60_000;

export interface Verdict {
  readonly admitted: boolean;
  readonly limit: number;
  /** How many more the window admits, as far as this process knows. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

/** What is counted for a company, over all its keys. */
export function companyBucket({ id }: { readonly id: number }): string {
  return `company:${id}`;
}

/** The windows that all processes and nodes share. Dispose it to close its connections. */
export interface WindowStore extends AsyncDisposable {
  /** Takes up to `tokens` from the bucket's window of `limit`, and begins a window where none is open. */
  grant(ask: Ask): Promise<Grant>;
}

interface Ask {
  readonly bucket: string;
  readonly tokens: number;
  readonly limit: number;
}

interface Grant {
  readonly granted: number;
  /** All that was granted in this window so far, to whichever process. */
  readonly used: number;
  /** Milliseconds until the window ended, at a moment that was not before the call. */
  readonly remainingMs: number;
}

/** A process leases one token in so many, and at least what it needs: a hundred processes strand at most 1 %. */
const LEASES_PER_WINDOW = 10_000;
/** Of older buckets at most as many again are known. One that is forgotten costs a statement and its lease. */
const MOST_RECENT_BUCKETS = 20_000;

/** What this process knows of a bucket's window, and who waits for it to know more. */
interface Window {
  /** In the time of performance.now(), and never later than the true end. */
  endsAtMs: number;
  used: number;
  leased: number;
  waiting: Waiter[];
  isAsking: boolean;
}

interface Waiter {
  readonly limit: number;
  readonly leases: number;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Admits at most `limit` requests of a bucket in a window, over all processes together, and refuses none before 99 %
 * of them are used. Requests that come while the store is asked are asked for together next, so a busy process sends
 * one statement at a time for each bucket, and none while it knows that the window is full.
 */
export class RateLimiter {
  readonly #store: WindowStore;
  #recent = new Map<string, Window>();
  #older = new Map<string, Window>();

  constructor(store: WindowStore) {
    this.#store = store;
  }

  /**
   * Counts a request. The verdict comes at once where the process can tell. Rejects when the store can't be asked.
   * @param leases in how many parts the window is leased to processes: the fewer, the seldomer the store is asked, and
   * the more of the window the processes may hold unused.
   */
  take(bucket: string, limit: number, leases: number = LEASES_PER_WINDOW): Verdict | Promise<Verdict> {
    const window = this.#window(bucket);
    const known = decide(window, limit);
    if (known !== undefined) return known;
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
    window.waiting.push({ limit, leases, resolve, reject });
    if (!window.isAsking) void this.#serve(bucket, window);
    return promise;
  }

  #window(bucket: string): Window {
    const recent = this.#recent.get(bucket);
    if (recent !== undefined) return recent;
    const window = this.#older.get(bucket) ?? newWindow();
    if (this.#recent.size >= MOST_RECENT_BUCKETS) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(bucket, window);
    return window;
  }

  async #serve(bucket: string, window: Window): Promise<void> {
    window.isAsking = true;
    while (window.waiting.length > 0) {
      const waiters = window.waiting;
      window.waiting = [];
      await this.#ask(bucket, window, waiters);
      window.waiting = window.waiting.filter((waiter) => {
        const known = decide(window, waiter.limit);
        if (known !== undefined) waiter.resolve(known);
        return known === undefined;
      });
    }
    window.isAsking = false;
  }

  async #ask(bucket: string, window: Window, waiters: readonly Waiter[]): Promise<void> {
    // The newest request knows best what the operator has set.
    const { limit, leases } = waiters.at(-1) ?? { limit: 0, leases: LEASES_PER_WINDOW };
    const tokens = Math.max(waiters.length, Math.floor(limit / leases));
    try {
      const askedAtMs = performance.now();
      const { granted, used, remainingMs } = await this.#store.grant({ bucket, tokens, limit });
      // Less 1, as the stores count whole milliseconds.
      window.endsAtMs = askedAtMs + remainingMs - 1;
      window.used = used;
      window.leased = granted;
      for (const waiter of waiters) waiter.resolve(spend(window, waiter.limit));
    } catch (error) {
      for (const waiter of waiters) waiter.reject(error);
    }
  }
}

function newWindow(): Window {
  return { endsAtMs: -Infinity, used: 0, leased: 0, waiting: [], isAsking: false };
}

/** The verdict, where what the process knows is enough for one. */
function decide(window: Window, limit: number): Verdict | undefined {
  if (performance.now() >= window.endsAtMs) return undefined;
  return window.leased > 0 || window.used >= limit ? spend(window, limit) : undefined;
}

/** Admits with a leased token and refuses where there is none. */
function spend(window: Window, limit: number): Verdict {
  const admitted = window.leased > 0;
  if (admitted) window.leased -= 1;
  const remaining = Math.max(0, limit - window.used) + window.leased;
  const resetSeconds = Math.max(1, Math.ceil((window.endsAtMs - performance.now()) / 1000));
  return { admitted, limit, remaining, resetSeconds };
}

/** Windows in the table rate_windows. The store owns the database that it is given, and closes it. */
export function postgresWindows(database: Database, windowMs: number = WINDOW_MS): WindowStore {
  return {
    grant: async (ask) => {
      const statement = grantStatement(ask, windowMs);
      const { rows } = await database.global((tables) => statement.execute(tables));
      const [row] = rows;
      if (row === undefined) throw new Error("rate_windows gave no row back");
      return { granted: row.granted, used: row.used, remainingMs: row.started_ms + windowMs - row.seen_ms };
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/**
 * One statement, so that the row's lock orders all processes. On a cluster ON CONFLICT and RETURNING may call no clock:
 * the time comes in through `excluded`. A statement that waited for the lock may bring a time before the window began,
 * which is still within; one from further back than a window means that the clock was set back.
 */
function grantStatement({ bucket, tokens, limit }: Ask, windowMs: number) {
  const nowMs = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  const isOpen = sql`excluded.started_ms - w.started_ms between -${windowMs}::bigint and ${windowMs}::bigint - 1`;
  const granted = sql`greatest(0, least(excluded.granted, ${limit}::bigint - w.used))`;
  return sql<{ granted: number; used: number; started_ms: number; seen_ms: number }>`
    insert into rate_windows as w (bucket, started_ms, seen_ms, used, granted)
    values (${bucket}, ${nowMs}, ${nowMs}, least(${tokens}::bigint, ${limit}), least(${tokens}::bigint, ${limit}))
    on conflict (bucket) do update set
      started_ms = case when ${isOpen} then w.started_ms else excluded.started_ms end,
      seen_ms = case when ${isOpen} then greatest(w.started_ms, excluded.seen_ms) else excluded.seen_ms end,
      used = case when ${isOpen} then w.used + ${granted} else excluded.used end,
      granted = case when ${isOpen} then ${granted} else excluded.granted end
    returning granted, used, started_ms, seen_ms`;
}
