import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { commandActor } from "../companies/create.ts";
import type { Company } from "../companies/companies.ts";
import type { Database } from "../db/db.ts";
import type { Secrets } from "../secrets.ts";
import { claimDeliveries, type Claimed, LEASE_MS, releaseDeliveries } from "./claim.ts";
import type { Posted } from "./exchange.ts";
import { composeEvent, openHeaders, openTarget, type SentEvent } from "./message.ts";
import type { Outgoing } from "./outgoing.ts";
import { recordVerdicts } from "./record-verdicts.ts";
import type { Slots } from "./slots.ts";
import type { StoredEndpoint } from "./stored.ts";
import { forgotten, judge, type Verdict } from "./verdict.ts";

/** Requests to one endpoint at a time from one process: a receiver with a few threads bears it. */
const WIDTH = 8;
/** After so many tries in a row that failed an endpoint counts as dead: it gets one at a time, until one arrives. */
const DEAD_AFTER = 4;
/** Deliveries taken up at once: few while they take long, as what is taken up waits for this process alone. */
const LEAST_CLAIM = 8;
const MOST_CLAIM = 128;
/** What was worked off within this many milliseconds may be more the next time. */
const QUICK_MS = 1_000;
/** What was taken up longer ago is left to who takes it up next: a try must end before its lease does. */
const START_WITHIN_MS = LEASE_MS - 20_000;
/** Results that wait to be written before no more is taken up. */
const MOST_UNWRITTEN = 256;

/** What lanes work with. */
export interface LaneGround {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly outgoing: Outgoing;
  readonly clock: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly slots: Slots;
  /** For endpoints that count as dead, so that those that hang take no slot from those that hear. */
  readonly slotsOfDead: Slots;
  /** The lanes whose endpoints count as dead, by key. */
  readonly dead: Set<string>;
  /** How long after a try the next one is made to an endpoint that counts as dead. */
  readonly pauseOfDeadMs: number;
  /** Aborted when no more is to be sent. */
  readonly stopping: AbortSignal;
}

/** Sends what is due for one endpoint. Each endpoint has its own lane, so that a slow one holds up no other. */
export class Lane {
  readonly #ground: LaneGround;
  readonly #company: Company;
  readonly #id: number;
  readonly #key: string;
  #endpoint: StoredEndpoint | undefined;
  #queue: Claimed[] = [];
  #claiming: Promise<void> | undefined;
  #claimedAt = 0;
  #claimSize = LEAST_CLAIM;
  #isDry = false;
  #isOver = false;
  #failure: unknown;
  #misses: number;
  /** When the first of the misses in a row was; undefined while there is none. */
  #unheardSince: Date | undefined;
  readonly #workers = new Set<Promise<void>>();
  #unwritten: Verdict[] = [];
  #writing: Promise<void> | undefined;

  constructor(ground: LaneGround, company: Company, endpoint_id: number) {
    this.#ground = ground;
    this.#company = company;
    this.#id = endpoint_id;
    this.#key = `${company.id}/${endpoint_id}`;
    this.#misses = ground.dead.has(this.#key) ? DEAD_AFTER : 0;
  }

  /** Works until nothing is due. @throws when the database fails; what was under way comes back after its lease. */
  async run(): Promise<void> {
    this.#hire();
    while (this.#workers.size > 0) await Promise.race(this.#workers);
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
    await this.#release();
  }

  get #isDead(): boolean {
    return this.#misses >= DEAD_AFTER;
  }

  get #width(): number {
    return this.#isDead ? 1 : WIDTH;
  }

  #hire(): void {
    const worker = this.#work()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  /** Ends the lane. What it has taken up and not written comes back after its lease. */
  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#isOver = true;
  }

  async #work(): Promise<void> {
    for (let one = await this.#take(); one !== undefined; one = await this.#take()) {
      // Each one that finds more to do gets help.
      if (this.#workers.size < this.#width && this.#queue.length > 0) this.#hire();
      const slots = this.#isDead ? this.#ground.slotsOfDead : this.#ground.slots;
      await slots.use(this.#company.id, () => this.#deliver(one));
      if (this.#workers.size > this.#width) return;
      if (this.#isDead) await this.#pause();
    }
  }

  /** One that refuses at once would else cost as much as it can take, ten times over, for nothing. */
  async #pause(): Promise<void> {
    const { pauseOfDeadMs, stopping: signal } = this.#ground;
    if (pauseOfDeadMs > 0) await sleep(pauseOfDeadMs, undefined, { signal }).catch(() => undefined);
  }

  async #take(): Promise<Claimed | undefined> {
    for (;;) {
      if (this.#isOver || this.#ground.stopping.aborted) return undefined;
      const next = this.#queue.shift();
      if (next !== undefined) return next;
      if (this.#isDry) return undefined;
      this.#claiming ??= this.#claim().finally(() => {
        this.#claiming = undefined;
      });
      await this.#claiming;
    }
  }

  async #claim(): Promise<void> {
    if (this.#unwritten.length > MOST_UNWRITTEN) await this.#writing;
    const isQuick = performance.now() - this.#claimedAt < QUICK_MS;
    this.#claimSize = isQuick ? Math.min(this.#claimSize * 2, MOST_CLAIM) : LEAST_CLAIM;
    const limit = this.#isDead ? 1 : this.#claimSize;
    const { endpoint, deliveries } = await this.#ground.database.write(this.#company, commandActor, (tx) =>
      claimDeliveries(tx, this.#id, limit),
    );
    this.#claimedAt = performance.now();
    this.#isDry = deliveries.length < limit;
    // The last claim finds nothing: what was taken up before it is still to be written.
    if (endpoint !== undefined && endpoint.url !== this.#endpoint?.url) this.#unheardSince = undefined;
    this.#endpoint = endpoint ?? this.#endpoint;
    this.#queue.push(...deliveries);
  }

  async #deliver(delivery: Claimed): Promise<void> {
    const { clock, random } = this.#ground;
    const { event } = delivery;
    if (clock().getTime() > delivery.leasedUntilMs - LEASE_MS + START_WITHIN_MS) return;
    if (event === undefined) return this.#note(forgotten(delivery, clock()));
    // It may have been given up with the address that was there; if it was not, it comes back after its lease.
    const endpoint = this.#endpoint;
    const { url } = delivery;
    if (endpoint?.url !== url) return;
    const posted = await this.#post(endpoint, event);
    const verdict = judge(delivery, posted, { at: clock(), chance: random(), url });
    this.#count(verdict);
    if (verdict.isGone) this.#isOver = true;
    this.#note(verdict);
    // What it can't get to soon is not kept from others.
    if (this.#isDead) await this.#release();
  }

  #count({ reason, at }: Verdict): void {
    const { dead } = this.#ground;
    this.#misses = reason === null ? 0 : this.#misses + 1;
    this.#unheardSince = reason === null ? undefined : (this.#unheardSince ?? at);
    if (this.#isDead) dead.add(this.#key);
    else dead.delete(this.#key);
  }

  async #post(endpoint: StoredEndpoint, event: SentEvent): Promise<Posted> {
    const { clock, outgoing, secrets } = this.#ground;
    const now = clock();
    const target = openTarget(endpoint, secrets, now);
    if ("reason" in target) {
      return { kind: "failed", reason: target.reason, duration_ms: 0, is_refused_address: false };
    }
    return outgoing.post(composeEvent(this.#company.id, target, event, now));
  }

  /** Results are written together: those that come in while others are written go with the next statement. */
  #note(verdict: Verdict): void {
    this.#unwritten.push(verdict);
    this.#writing ??= this.#write().catch((error: unknown) => this.#fail(error));
  }

  async #write(): Promise<void> {
    await setImmediate();
    while (this.#unwritten.length > 0) {
      const verdicts = this.#unwritten;
      this.#unwritten = [];
      const endpoint = this.#endpoint;
      if (endpoint === undefined) break;
      const headerNames = Object.keys(openHeaders(endpoint, this.#ground.secrets) ?? {});
      const unheardSince = this.#isDead ? (this.#unheardSince ?? null) : null;
      const { failing_since, unheard_since, unheard_since_ms } = await this.#ground.database.write(
        this.#company,
        commandActor,
        (tx) => recordVerdicts(tx, { endpoint, headerNames }, { verdicts, unheardSince }),
      );
      // The rest of it may have been read anew meanwhile.
      this.#endpoint = { ...(this.#endpoint ?? endpoint), failing_since, unheard_since, unheard_since_ms };
    }
    // At once after the last look, so that what is noted next is written by another round.
    this.#writing = undefined;
  }

  async #release(): Promise<void> {
    const left = this.#queue.splice(0);
    if (left.length === 0) return;
    await this.#ground.database.write(this.#company, commandActor, (tx) =>
      releaseDeliveries(tx, this.#id, left),
    );
  }
}
