import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { RunningLectern } from "./lectern.ts";
import { until } from "./patience.ts";

const WRITERS = 8;
/** Long enough for PostgreSQL to end a statement, and for what was answered to be read. */
const STANDSTILL_MS = 30;
const MOST_TRIES = 100;
/** No name of a group is unique: a write that is done twice leaves two. */
const URL = "/api/v2/groups";

/** A write under a key of its own, and its answer where there was one. */
interface Repeatable {
  readonly key: string;
  answer: Answer | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** What came of writes that were sent again after a kill. It throws when one was done twice or answered otherwise. */
export interface Repeats {
  /** Writes that were answered before the kill: each was given the same answer again. */
  readonly answered: number;
  /** Writes that were not. */
  readonly unanswered: number;
  /** Those of them that were done all the same: killed between the commit and the answer. */
  readonly committed: number;
}

/** Writes from many connections, each under an Idempotency-Key of its own, until the server is gone. */
export class RepeatedLoad {
  readonly #authorization: string;
  readonly #writes: Repeatable[] = [];
  readonly #ended: Promise<unknown>;

  constructor(lectern: RunningLectern, authorization: string) {
    this.#authorization = authorization;
    this.#ended = Promise.all(Array.from({ length: WRITERS }, () => this.#write(lectern)));
  }

  /** Resolves when so many writes have been answered. */
  async reaches(writes: number): Promise<void> {
    const answered = () => this.#writes.filter(({ answer }) => answer !== undefined).length;
    await until(`${writes} answers`, () => answered() >= writes);
  }

  /**
   * Halts the server where a write is committed and not answered: PostgreSQL goes on with what it was sent while the
   * server stands still. Where that took too many tries it stands still anywhere.
   */
  async haltBetween(lectern: RunningLectern, client: pg.Client, company_id: number): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      process.kill(lectern.pid, "SIGSTOP");
      await sleep(STANDSTILL_MS);
      const committed = await this.#count(client, company_id);
      const isBetween = this.#writes.some(({ key, answer }) => answer === undefined && committed.has(key));
      if (isBetween || tries === MOST_TRIES) return;
      process.kill(lectern.pid, "SIGCONT");
      await sleep(Math.random() * STANDSTILL_MS);
    }
  }

  /** Resolves when every writer has met the end of the server. */
  async ends(): Promise<void> {
    await this.#ended;
  }

  /** Sends every write again, twice at once, to the server that has been started after the kill. */
  async repeat(lectern: RunningLectern, client: pg.Client, company_id: number): Promise<Repeats> {
    const committed = await this.#count(client, company_id);
    for (const write of this.#writes) {
      const send = () => this.#send(lectern, write.key);
      const [one, other] = await Promise.all([send(), send()]);
      const again = one.status === 409 ? other : one;
      assert.equal(again.status, 201, again.body);
      if (write.answer !== undefined) assert.deepEqual(again, write.answer);
      assert.deepEqual(await send(), again);
    }
    const counted = await this.#count(client, company_id);
    for (const { key } of this.#writes) assert.equal(counted.get(key), 1, `${key} is done once`);
    const unanswered = this.#writes.filter(({ answer }) => answer === undefined);
    return {
      answered: this.#writes.length - unanswered.length,
      unanswered: unanswered.length,
      committed: unanswered.filter(({ key }) => committed.has(key)).length,
    };
  }

  async #write(lectern: RunningLectern): Promise<void> {
    for (;;) {
      const write: Repeatable = { key: randomUUID(), answer: undefined };
      this.#writes.push(write);
      try {
        write.answer = await this.#send(lectern, write.key);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return;
      }
      assert.equal(write.answer.status, 201, write.answer.body);
    }
  }

  async #send(lectern: RunningLectern, key: string): Promise<Answer> {
    const headers = {
      authorization: this.#authorization,
      "content-type": "application/json",
      "idempotency-key": key,
    };
    const answer = await fetch(lectern.address + URL, {
      ...{ method: "POST", headers },
      body: JSON.stringify({ name: key }),
    });
    return { status: answer.status, body: await answer.text() };
  }

  /** How many groups there are of each key. */
  async #count(client: pg.Client, company_id: number): Promise<Map<string, number>> {
    await client.query("select set_config('app.company_id', $1, false)", [String(company_id)]);
    const { rows } = await client.query<{ name: string; count: string }>(
      "select name, count(*) from groups where company_id = $1 and name = any($2) group by name",
      [company_id, this.#writes.map(({ key }) => key)],
    );
    return new Map(rows.map(({ name, count }) => [name, Number(count)]));
  }
}
