import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import type { Company } from "../companies/companies.ts";
import type { Database } from "../db/db.ts";
import { findNewest } from "./feed.ts";

/** How often it is looked whether something has happened: one row is read for each company that somebody waits for. */
const LOOK_EVERY_MS = 250;
/** Requests that wait for one company, and for all: each holds a connection and looks. One more is answered at once. */
const MOST_OF_A_COMPANY = 100;
const MOST_OF_ALL = 2_000;

interface Look {
  readonly at: number;
  /** Undefined where the company has been deleted. */
  readonly newest: Promise<number | undefined>;
}

interface Wait {
  readonly after: number;
  /** Milliseconds since 1970. */
  readonly deadline: number;
  /** Where the answer goes: who goes away waits no longer. */
  readonly closed: ServerResponse;
}

/** Requests of this process that wait for the next event. They hold no connection to the database meanwhile. */
export class Waiting {
  readonly #database: Database;
  readonly #looks = new Map<number, Look>();
  readonly #waiting = new Map<number, number>();
  #all = 0;
  readonly #ended = new AbortController();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * @returns whether something has happened, also to the company itself; not when the time is up, the client has gone,
   * the server ends, or too many wait already.
   */
  async until(company: Company, wait: Wait): Promise<boolean> {
    const waiting = this.#waiting.get(company.id) ?? 0;
    if (Date.now() >= wait.deadline || waiting >= MOST_OF_A_COMPANY || this.#all >= MOST_OF_ALL) return false;
    this.#waiting.set(company.id, waiting + 1);
    this.#all += 1;
    try {
      return await this.#watch(company, wait);
    } finally {
      this.#all -= 1;
      const left = (this.#waiting.get(company.id) ?? 1) - 1;
      if (left > 0) this.#waiting.set(company.id, left);
      else this.#waiting.delete(company.id);
    }
  }

  /** Answers all who wait. */
  end(): void {
    this.#ended.abort();
  }

  async #watch(company: Company, { after, deadline, closed }: Wait): Promise<boolean> {
    const gone = new AbortController();
    const signal = AbortSignal.any([this.#ended.signal, gone.signal]);
    const left = once(closed, "close", { signal }).then(
      () => gone.abort(),
      () => undefined,
    );
    try {
      while (Date.now() < deadline && !signal.aborted) {
        await sleep(Math.min(LOOK_EVERY_MS, deadline - Date.now()), undefined, { signal }).catch(
          () => undefined,
        );
        if (!signal.aborted && ((await this.#look(company)) ?? Infinity) > after) return true;
      }
      return false;
    } finally {
      gone.abort();
      await left;
    }
  }

  /** Several who wait for one company look together. */
  #look(company: Company): Promise<number | undefined> {
    const known = this.#looks.get(company.id);
    const now = Date.now();
    if (known !== undefined && now - known.at < LOOK_EVERY_MS) return known.newest;
    const newest = this.#database.read(company, findNewest);
    this.#looks.set(company.id, { at: now, newest });
    // Only a company that is waited for stays.
    void sleep(2 * LOOK_EVERY_MS, undefined, { ref: false }).then(() => {
      if (this.#looks.get(company.id)?.newest === newest) this.#looks.delete(company.id);
    });
    return newest;
  }
}
