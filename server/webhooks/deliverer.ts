import type { Company } from "../companies/companies.ts";
import type { Database } from "../db/db.ts";
import type { Secrets } from "../secrets.ts";
import { fanOut, listWaiting } from "./fan-out.ts";
import { Lane, type LaneGround } from "./lane.ts";
import type { Outgoing } from "./outgoing.ts";
import { Slots } from "./slots.ts";

/** Requests of one process at a time, half of them at most for one company. */
const SLOTS = 192;
/** The same for endpoints that fail, which may hang. */
const SLOTS_OF_DEAD = 64;
/** What is due later than this is found by a sweep, which comes each minute. */
const LOOK_AHEAD_MS = 60_000;
/** What is due and can't be had is being taken up by another process: it is looked at again after this. */
const LOOK_AGAIN_MS = 100;
/** An endpoint that counts as dead gets four tries a second: soon enough to see that it is back. */
const PAUSE_OF_DEAD_MS = 250;

export interface DelivererOptions {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly outgoing: Outgoing;
  readonly log: (line: string) => void;
  readonly clock?: () => Date;
  /** From 0 to 1. */
  readonly random?: () => number;
  readonly pauseOfDeadMs?: number;
}

interface Running {
  /** Whether it is to look once more before it ends. */
  again: boolean;
  ended: Promise<void>;
}

/**
 * Sends deliveries from this process. All it knows is in the database: what a killed process had taken up comes back by
 * itself, and several processes share the work. Dispose it to end what is under way and leave the rest to others.
 */
export class Deliverer implements AsyncDisposable {
  readonly #ground: LaneGround;
  readonly #log: (line: string) => void;
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Running>();
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor({
    log,
    clock = () => new Date(),
    random = Math.random,
    pauseOfDeadMs = PAUSE_OF_DEAD_MS,
    ...options
  }: DelivererOptions) {
    this.#log = log;
    this.#ground = {
      ...options,
      clock,
      random,
      slots: new Slots(SLOTS),
      slotsOfDead: new Slots(SLOTS_OF_DEAD),
      dead: new Set(),
      pauseOfDeadMs,
      stopping: this.#stopping.signal,
    };
  }

  /** Makes deliveries of a company's new events, and begins to send what is due; it does not wait until that is sent. */
  async follow(company: Company): Promise<void> {
    await fanOut(this.#ground, company, () => this.#startDue(company));
  }

  async #startDue(company: Company): Promise<void> {
    for (const { id, due_in_ms } of await this.#ground.database.readSnapshot(company, listWaiting)) {
      if (due_in_ms <= 0) this.#start(company, id);
      else this.#startLater(company, id, due_in_ms);
    }
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.idle();
  }

  #start(company: Company, endpoint_id: number): void {
    const key = keyOf(company, endpoint_id);
    const known = this.#running.get(key);
    if (known !== undefined) known.again = true;
    if (known !== undefined || this.#stopping.signal.aborted) return;
    const running: Running = { again: true, ended: Promise.resolve() };
    this.#running.set(key, running);
    running.ended = this.#run(running, company, endpoint_id);
  }

  async #run(running: Running, company: Company, endpoint_id: number): Promise<void> {
    while (running.again && !this.#stopping.signal.aborted) {
      running.again = false;
      try {
        await new Lane(this.#ground, company, endpoint_id).run();
        await this.#lookAhead(company, endpoint_id);
      } catch (error) {
        // Nothing is lost: a sweep comes back to it.
        this.#log(`Webhook ${endpoint_id} of company ${company.id} waits: ${String(error)}`);
      }
    }
    // At once after the last look at `again`, so that nobody's wish for another round is missed.
    this.#running.delete(keyOf(company, endpoint_id));
  }

  async #lookAhead(company: Company, endpoint_id: number): Promise<void> {
    const waiting = await this.#ground.database.readSnapshot(company, listWaiting);
    const next = waiting.find(({ id }) => id === endpoint_id);
    if (next !== undefined) this.#startLater(company, endpoint_id, Math.max(next.due_in_ms, LOOK_AGAIN_MS));
  }

  #startLater(company: Company, endpoint_id: number, delayMs: number): void {
    if (delayMs > LOOK_AHEAD_MS || this.#stopping.signal.aborted) return;
    const key = keyOf(company, endpoint_id);
    clearTimeout(this.#timers.get(key));
    const start = (): void => {
      this.#timers.delete(key);
      this.#start(company, endpoint_id);
    };
    this.#timers.set(key, setTimeout(start, delayMs).unref());
  }
}

function keyOf({ id }: Company, endpoint_id: number): string {
  return `${id}/${endpoint_id}`;
}
