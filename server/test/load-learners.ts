import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { startLectern, type RunningLectern } from "./lectern.ts";
import type { Pupil, School } from "./load-school.ts";
import type { Answer } from "./server.ts";

/** What the load found. It throws when an answer that was acknowledged is lost, or a completion stands twice. */
export interface Found {
  /** Answers that were acknowledged. */
  readonly saved: number;
  /** Those that were acknowledged before the kill and were looked for after it. */
  readonly lookedFor: number;
  /** Those of the seconds after the kill left out. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly slowestMs: number;
  /** Saves a second, while all of them answered. */
  readonly perSecond: number;
  readonly completions: number;
}

/** Between two answers of a learner, on average: far quicker than anybody reads. */
const THINKING_MS = 1_000;
/** Every so many answers a learner's window says where it is. */
const ANSWERS_PER_PLACE = 5;
/** After the kill saving is not measured for so long; what is lost or twice is looked for all the same. */
const WARMING_MS = 3_000;
/** A request that is not answered is sent again after this long. */
const PAUSE_MS = 50;

/** Learners who take a lesson at once, on a server that is killed in the middle of it and started again. */
export class LearnerLoad {
  readonly #school: School;
  readonly #kept = new Map<number, Map<string, boolean>>();
  readonly #attempts = new Map<number, number>();
  readonly #durations: number[] = [];
  /** Until when the server warms up after the kill: all learners come back at once. */
  #warmAt = 0;
  #server: RunningLectern | undefined;
  #saved = 0;
  #lookedFor = 0;

  constructor(school: School) {
    this.#school = school;
  }

  /** Lets everybody take the lesson, with a `kill -9` of the server when half of the answers are saved. */
  async run(): Promise<Found> {
    const { pupils, questions, settings } = this.#school;
    this.#server = await startLectern(settings);
    try {
      await Promise.all(pupils.map((pupil) => this.#begin(pupil)));
      const began = performance.now();
      const all = Promise.all(pupils.map((pupil) => this.#answerAll(pupil)));
      const half = (pupils.length * questions.length) / 2;
      while (this.#saved < half) await sleep(PAUSE_MS);
      const halfMs = performance.now() - began;
      const perSecond = Math.round(this.#saved / (halfMs / 1000));
      await this.#killAndLook();
      await all;
      // Twice at once, as impatient people do.
      await Promise.all(pupils.flatMap((pupil) => [this.#finish(pupil), this.#finish(pupil)]));
      const completions = await this.#assertCompletions();
      await this.#server.stop();
      await this.#school.assertCounts();
      return { ...this.#figures(), lookedFor: this.#lookedFor, perSecond, completions };
    } finally {
      await this.#server[Symbol.asyncDispose]();
    }
  }

  async #begin(pupil: Pupil): Promise<void> {
    const { body } = await this.#ask(pupil, "POST", "/api/v2/attempts", {
      lesson_id: this.#school.lesson_id,
    });
    this.#attempts.set(pupil.user_id, body.id);
    this.#kept.set(pupil.user_id, new Map());
  }

  async #answerAll(pupil: Pupil): Promise<void> {
    const url = `/api/v2/attempts/${this.#attempts.get(pupil.user_id)}`;
    for (const [index, question] of this.#school.questions.entries()) {
      await sleep(Math.random() * 2 * THINKING_MS);
      const value = Math.random() < 0.5;
      await this.#ask(pupil, "PUT", `${url}/answers/${question}`, { answer: { value } });
      this.#saved += 1;
      this.#kept.get(pupil.user_id)?.set(question, value);
      if (index % ANSWERS_PER_PLACE > 0) continue;
      await this.#ask(pupil, "PUT", `${url}/place`, { page_id: `p${index + 1}`, active_seconds: 1 });
    }
  }

  async #finish(pupil: Pupil): Promise<void> {
    const { body } = await this.#ask(
      pupil,
      "POST",
      `/api/v2/attempts/${this.#attempts.get(pupil.user_id)}/finish`,
    );
    assert.equal(body.status, "completed");
  }

  /** Kills the server, starts it again, and looks for every answer that was acknowledged until then. */
  async #killAndLook(): Promise<void> {
    this.#warmAt = Infinity;
    await this.#server?.stop("SIGKILL");
    const acknowledged = new Map([...this.#kept].map(([id, answers]) => [id, new Map(answers)]));
    const restarted = await startLectern(this.#school.settings);
    this.#server = restarted;
    this.#warmAt = performance.now() + WARMING_MS;
    for (const pupil of this.#school.pupils) {
      const stored = await this.#answersOf(pupil);
      for (const [question, value] of acknowledged.get(pupil.user_id) ?? []) {
        assert.equal(stored.get(question), value, `${pupil.user_id} ${question}`);
        this.#lookedFor += 1;
      }
    }
  }

  async #answersOf(pupil: Pupil): Promise<Map<string, boolean>> {
    const { body } = await this.#ask(pupil, "GET", `/api/v2/attempts/${this.#attempts.get(pupil.user_id)}`);
    return new Map(
      body.answers.map(({ question_id, answer }: Answer["body"]) => [question_id, answer.value] as const),
    );
  }

  async #assertCompletions(): Promise<number> {
    const { pupils, lesson_id, authorization } = this.#school;
    for (const pupil of pupils) {
      const kept = this.#kept.get(pupil.user_id) ?? new Map<string, boolean>();
      assert.deepEqual(
        await this.#answersOf(pupil),
        new Map([...kept].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      );
      const { body } = await this.#ask(pupil, "GET", `/api/v2/my/attempts?filter[lesson_id]=${lesson_id}`);
      const right = [...kept.values()].filter(Boolean).length;
      assert.deepEqual(
        body.data.map(({ status, score }: Answer["body"]) => [status, score]),
        [["completed", Math.floor((200 * right + kept.size) / (2 * kept.size))]],
      );
    }
    const counted = await this.#server?.request(`/api/v1/lessons/${lesson_id}/completion_breakdown`, {
      authorization,
    });
    assert.equal(counted?.body.total, pupils.length);
    assert.equal(counted.body.via_assignment, pupils.length);
    return counted.body.total;
  }

  /** Sends a request until it is answered, as a window does whose connection was lost. */
  async #ask({ cookie }: Pupil, method: string, path: string, body?: object): Promise<Answer> {
    for (;;) {
      const began = performance.now();
      const answer = await fetch(`${this.#server?.address}${path}`, {
        method,
        headers: { cookie, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
      }).catch(() => undefined);
      const read = await answer?.json().catch(() => undefined);
      if (answer !== undefined && read !== undefined && answer.status < 500) {
        assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${JSON.stringify(read)}`);
        const isMeasured = path.includes("/answers/") && began > this.#warmAt;
        if (isMeasured) this.#durations.push(performance.now() - began);
        return { status: answer.status, body: read, headers: {} };
      }
      await sleep(PAUSE_MS);
    }
  }

  #figures(): Pick<Found, "saved" | "p50Ms" | "p99Ms" | "slowestMs"> {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
    return { saved: this.#saved, p50Ms: at(0.5), p99Ms: at(0.99), slowestMs: Math.round(sorted.at(-1) ?? 0) };
  }
}
