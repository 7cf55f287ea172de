import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningLectern } from "./lectern.ts";
import type { Pupil, School } from "./load-school.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

/** Milliseconds from the answer to a completion until it arrives at the receiver. */
export interface Arrivals {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly slowestMs: number;
}

/** Milliseconds from one completion to the next. */
const PACE_MS = 50;
/** What has not arrived then is lost. */
const PATIENCE_MS = 20_000;

/** Completes the lessons of a school one after the other, and sees when the webhook of the settings tells of each. */
export class TimedCompletions implements AsyncDisposable {
  readonly #server: RunningLectern;
  readonly #receiver: Receiver;
  readonly #arrivals: Map<string, PromiseWithResolvers<number>>;
  readonly #left: { readonly pupil: Pupil; readonly lesson_id: number }[];

  private constructor(
    { pupils, lesson_ids }: School,
    ground: {
      readonly server: RunningLectern;
      readonly receiver: Receiver;
      readonly arrivals: Map<string, PromiseWithResolvers<number>>;
    },
  ) {
    this.#server = ground.server;
    this.#receiver = ground.receiver;
    this.#arrivals = ground.arrivals;
    this.#left = lesson_ids.flatMap((lesson_id) => pupils.map((pupil) => ({ pupil, lesson_id })));
  }

  /** Starts the receiver, and makes it the one of the school's settings. */
  static async begin(school: School, server: RunningLectern): Promise<TimedCompletions> {
    const arrivals = new Map<string, PromiseWithResolvers<number>>();
    const receiver = await startReceiver({
      answer: (response, { body }) => {
        const at = performance.now();
        const { user, lesson } = JSON.parse(body);
        arrivals.get(`${user.id}/${lesson.id}`)?.resolve(at);
        response.writeHead(204).end();
      },
    });
    const { status } = await server.request("/api/v1/company_settings", {
      method: "PUT",
      authorization: school.authorization,
      body: { lesson_completed_callback_url: `${receiver.url}/completed` },
    });
    assert.equal(status, 200);
    return new TimedCompletions(school, { server, receiver, arrivals });
  }

  /** Completes so many lessons at a steady pace. @returns how long each was under way. @throws when one does not arrive. */
  async run(count: number): Promise<number[]> {
    const delays: Promise<number>[] = [];
    for (let done = 0; done < count; done += 1) {
      const { answeredAt, arrival } = await this.#complete();
      delays.push(arrival.then((at) => Math.max(0, at - answeredAt)));
      await sleep(PACE_MS);
    }
    const late = AbortSignal.timeout(PATIENCE_MS);
    const lost = new Promise<never>((_resolve, reject) => {
      late.addEventListener("abort", () => reject(new Error("a completion did not arrive")));
    });
    return Promise.race([Promise.all(delays), lost]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#receiver[Symbol.asyncDispose]();
  }

  async #complete(): Promise<{ answeredAt: number; arrival: Promise<number> }> {
    const next = this.#left.pop();
    if (next === undefined) throw new Error("all lessons are completed: make a larger school");
    const { pupil, lesson_id } = next;
    const attempt = await this.#ask(pupil, "/api/v2/attempts", { lesson_id });
    const arrival = Promise.withResolvers<number>();
    this.#arrivals.set(`${pupil.user_id}/${lesson_id}`, arrival);
    const finished = await this.#ask(pupil, `/api/v2/attempts/${attempt.id}/finish`);
    assert.equal(finished.status, "completed");
    return { answeredAt: performance.now(), arrival: arrival.promise };
  }

  async #ask({ cookie }: Pupil, path: string, body?: object): Promise<{ id: number; status: string }> {
    const answer = await fetch(this.#server.address + path, {
      method: "POST",
      headers: { cookie, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const read = await answer.text();
    assert.ok(answer.ok, `${path}: ${answer.status} ${read}`);
    return JSON.parse(read);
  }
}

/** What was measured, in a few figures. */
export function summarize(delays: readonly number[]): Arrivals {
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? Infinity) * 10) / 10;
  return {
    count: sorted.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    slowestMs: Math.round(sorted.at(-1) ?? Infinity),
  };
}
