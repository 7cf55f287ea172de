import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Company } from "../companies/companies.ts";
import type { Database, Tx } from "../db/db.ts";

/** The task that tells followers (webhooks, mails) of a company's new events. */
export const FOLLOW_TASK = "follow_events";
/** The least milliseconds from one nudge to the next: the first goes out at once, and a burst costs ten statements a second. */
const GATHER_MS = 100;

/**
 * Wakes the worker for companies of which events were committed. A nudge is nothing but that: it goes out after the
 * commit, and one that is lost costs no more than the wait for the next sweep. Dispose it to send those that wait.
 */
export class Nudges implements AsyncDisposable {
  readonly #database: Database;
  readonly #gatherMs: number;
  #companies = new Set<number>();
  #sending: Promise<void> | undefined;
  #sentAt = -Infinity;

  /** @param database one whose connections no request holds. */
  constructor(database: Database, gatherMs = GATHER_MS) {
    this.#database = database;
    this.#gatherMs = gatherMs;
  }

  /** For DatabaseOptions.onEvents. */
  readonly onEvents = ({ id }: Company): void => {
    this.#companies.add(id);
    this.#sending ??= this.#sendSoon();
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sending;
  }

  async #sendSoon(): Promise<void> {
    await sleep(Math.max(0, this.#sentAt + this.#gatherMs - performance.now()));
    this.#sentAt = performance.now();
    // In one order for all processes: two that add the same keyed jobs would else wait for one another.
    const ids = [...this.#companies].toSorted((a, b) => a - b);
    this.#companies = new Set();
    // What comes while these are sent is gathered for the next time.
    this.#sending = undefined;
    await this.#database.global((db) => wake(ids).execute(db)).catch(() => undefined);
  }
}

/** Wakes the worker for a company, once the transaction commits; for what leads to deliveries without an event. */
export async function nudge(tx: Tx): Promise<void> {
  await wake([tx.company.id]).execute(tx.sql);
}

function wake(ids: readonly number[]) {
  return sql`
    select wake_worker(${FOLLOW_TASK}, json_build_object('company_id', id), ${`${FOLLOW_TASK}/`} || id::text)
    from unnest(${ids}::bigint[]) as company (id)`;
}
