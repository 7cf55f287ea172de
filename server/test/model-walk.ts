import assert from "node:assert/strict";
import fc from "fast-check";
import { assertCountsHold } from "./counts.ts";
import { lessons, Model, type ModelAssignment, type ModelAttempt, type ModelLearner } from "./model.ts";
import { compare, type Ids, makeThings, typeOf } from "./model-compare.ts";
import { someSteps, type Step, type StepOf } from "./model-steps.ts";
import { type Person, signIn } from "./person.ts";
import type { Tries } from "./properties.ts";
import type { Answer, Client, TestServer } from "./server.ts";

type Body = Answer["body"];
const DAY_MS = 24 * 60 * 60 * 1000;

/** Stands still, but for the days that are let pass: a walk is not to meet midnight by itself. */
export class StillClock {
  #at = Date.parse("2026-11-21T12:00:00Z");
  readonly now = (): Date => new Date(this.#at);
  pass(days: number): void {
    this.#at += days * DAY_MS;
  }
}

/** How often each step was done, and refused. */
type Told = Map<string, { done: number; refused: number }>;

/**
 * Has learners, graders and authors do what comes, over HTTP and in the model: after each step version 1 shows what the
 * model says, and counts what is there.
 */
export async function assignmentsFollowTheirModel(
  { lectern, clock }: Omit<Ground, "ids">,
  { numRuns, seed, mostSteps }: Tries & { readonly mostSteps: number },
): Promise<Told> {
  const ids = await makeThings(lectern.acme);
  const told: Told = new Map();
  await fc.assert(
    fc.asyncProperty(someSteps(mostSteps), async (steps) => {
      const walk = await Walk.begin({ lectern, clock, ids });
      try {
        for (const step of steps) tell(told, step, await walk.take(step));
        await assertCountsHold(lectern);
      } finally {
        await walk.end();
      }
    }),
    { numRuns, seed },
  );
  return told;
}

function tell(told: Told, { name }: Step, isDone: boolean): void {
  const { done, refused } = told.get(name) ?? { done: 0, refused: 0 };
  told.set(name, { done: done + Number(isDone), refused: refused + Number(!isDone) });
}

interface Ground {
  readonly lectern: TestServer;
  readonly clock: StillClock;
  readonly ids: Ids;
}

/** A learner of the model, and who plays them. */
interface Pair {
  readonly learner: ModelLearner;
  person: Person;
}

class Walk {
  readonly #ground: Ground;
  readonly #model = new Model();
  readonly #today: Date;
  readonly #pairs: Pair[] = [];
  /** All attempts, as the API knows them. */
  readonly #attempts = new Map<ModelAttempt, { readonly id: number; readonly pair: Pair }>();

  private constructor(ground: Ground) {
    this.#ground = ground;
    this.#today = ground.clock.now();
  }

  static async begin(ground: Ground): Promise<Walk> {
    const walk = new Walk(ground);
    for (const learner of walk.#model.learners) {
      walk.#pairs.push({ learner, person: await signIn(ground.lectern, ground.lectern.acme) });
    }
    return walk;
  }

  /** Leaves nothing but the versions of the lessons. */
  async end(): Promise<void> {
    for (const { person } of this.#pairs) await this.#acme.delete(`/api/v1/users/${person.user_id}`);
    for (const name of lessons) await this.#acme.put(`/api/v1/lessons/${this.#ground.ids[name]}/restore`);
  }

  /** Takes a step in both worlds. @returns whether it was done, and not refused. */
  async take(step: Step): Promise<boolean> {
    const isDone = await this.#play(step);
    const { clock, ids } = this.#ground;
    const players = this.#pairs.map(({ learner, person }) => ({ learner, user_id: person.user_id }));
    await compare({ client: this.#acme, ids, players, today: toDay(clock.now()) });
    return isDone;
  }

  get #acme(): Client {
    return this.#ground.lectern.acme;
  }

  #play(step: Step): Promise<boolean> | boolean {
    switch (step.name) {
      case "assign":
        return this.#assign(step);
      case "start":
        return this.#begin(step);
      case "answer":
      case "finish":
      case "grade":
        return this.#goOn(step, this.#pick(step));
      case "take":
        return this.#takeWhole(step);
      case "reassign":
      case "due":
      case "remove":
        return this.#change(step);
      case "publish":
        return this.#publish(step);
      case "archive":
      case "restore": {
        const url = `/api/v1/lessons/${this.#ground.ids[step.lesson]}/${step.name}`;
        return agree(this.#acme.put(url), this.#model[step.name](step.lesson), step);
      }
      case "wait":
        return this.#wait(step.days);
    }
  }

  #assign(step: StepOf<"assign">): Promise<boolean> {
    const { learner, person } = this.#pair(step.who);
    const assignable_id = this.#ground.ids[step.thing];
    const assignable_type = typeOf(step.thing);
    const due_by = this.#dayOf(step.due);
    const isDone = this.#model.assign(learner, step.thing, due_by);
    if (step.way === "v2") {
      const body = { user_ids: [person.user_id], assignable_type, assignable_id, due_by };
      return agree(this.#acme.post("/api/v2/assignments", body), isDone, step);
    }
    if (step.way === "v1 user") {
      const assignments = [{ assignable_type, assignable_id, due_by }];
      const url = `/api/v1/users/${person.user_id}/assignments`;
      return agree(this.#acme.post(url, { assignments }), isDone, step);
    }
    const assignments = [{ assignee_id: person.user_id, due_by }];
    const url = `/api/v1/${assignable_type === "Lesson" ? "lessons" : "paths"}/${assignable_id}/assignments`;
    return agree(this.#acme.put(url, { assignments }), isDone, step);
  }

  async #start(step: StepOf<"start"> | StepOf<"take">): Promise<boolean> {
    const { who, lesson } = step;
    const pair = this.#pair(who);
    const { learner, person } = pair;
    const named = step.named === undefined ? undefined : [...learner.assignments.values()].at(step.named);
    const assignment_id = named && (await this.#idOf(person, named));
    const body = { lesson_id: this.#ground.ids[lesson], ...(named && { assignment_id }) };
    const answer = await person.post("/api/v2/attempts", body);
    const isDone = this.#model.start(learner, lesson, named?.thing);
    requireAgreement(answer, isDone, step);
    const attempt = learner.underWay(lesson);
    if (!isDone || attempt === undefined) return isDone;
    const known = this.#attempts.get(attempt);
    const { id, resumed } = answer.body;
    assert.deepEqual([id, resumed], [known?.id ?? id, known !== undefined]);
    this.#attempts.set(attempt, { id, pair });
    return true;
  }

  /** Begins a lesson and may be answers its question. */
  async #begin(step: StepOf<"start">): Promise<boolean> {
    const isBegun = await this.#start(step);
    const attempt = this.#pair(step.who).learner.underWay(step.lesson);
    const { isRight } = step;
    if (isRight !== undefined) await this.#goOn({ name: "answer", back: 0, isRight }, attempt);
    return isBegun;
  }

  /** An attempt, those first that wait for the step; then the newest one. */
  #pick({ name, back }: { name: "answer" | "finish" | "grade"; back: number }): ModelAttempt | undefined {
    const awaited = name === "grade" ? "grade_pending" : "open";
    const waits = ({ status }: ModelAttempt) => Number(status === awaited);
    const newest = [...this.#attempts.keys()].toReversed();
    return newest.toSorted((one, other) => waits(other) - waits(one)).at(back);
  }

  #goOn(
    step: StepOf<"answer"> | StepOf<"finish"> | StepOf<"grade">,
    attempt: ModelAttempt | undefined,
  ): Promise<boolean> | boolean {
    const known = attempt && this.#attempts.get(attempt);
    if (attempt === undefined || known === undefined) return false;
    const { id, pair } = known;
    const { learner, person } = pair;
    const { lesson } = attempt;
    if (step.name === "finish") {
      return agree(person.post(`/api/v2/attempts/${id}/finish`), this.#model.finish(learner, attempt), step);
    }
    if (step.name === "grade") {
      const { percent } = step;
      const graded = this.#acme.put(`/api/v2/grading/${id}/${lesson}`, { percent });
      return agree(graded, this.#model.grade(learner, attempt, percent), step);
    }
    const answer = lesson === "quiz" ? { value: step.isRight } : { text: "Because." };
    const saved = person.put(`/api/v2/attempts/${id}/answers/${lesson}`, { answer });
    return agree(saved, this.#model.answer(attempt, step.isRight), step);
  }

  /** Takes a lesson to its end, at once. */
  async #takeWhole(step: StepOf<"take">): Promise<boolean> {
    const { isRight, percent } = step;
    const isBegun = await this.#start(step);
    const attempt = this.#pair(step.who).learner.underWay(step.lesson);
    await this.#goOn({ name: "answer", back: 0, isRight }, attempt);
    await this.#goOn({ name: "finish", back: 0 }, attempt);
    await this.#goOn({ name: "grade", back: 0, percent }, attempt);
    return isBegun;
  }

  async #change(step: StepOf<"reassign"> | StepOf<"due"> | StepOf<"remove">): Promise<boolean> {
    const all = this.#pairs.flatMap(({ learner, person }) =>
      [...learner.assignments.values()].map((held) => ({ learner, person, held })),
    );
    const picked = all
      .toSorted((one, other) => isCompleted(other.held) - isCompleted(one.held))
      .at(step.pick);
    if (picked === undefined) return false;
    const { learner, person, held } = picked;
    const url = `/api/v2/assignments/${await this.#idOf(person, held)}`;
    if (step.name === "remove") {
      return agree(this.#acme.delete(url), this.#model.remove(learner, held.thing), step);
    }
    const due_by = this.#dayOf(step.due);
    if (step.name === "reassign") {
      const isDone = this.#model.reassign(learner, held.thing, due_by);
      return agree(this.#acme.post(`${url}/reassign`, { due_by }), isDone, step);
    }
    const changed = this.#acme.request({ method: "PATCH", url, payload: { due_by } });
    return agree(changed, this.#model.changeDue(learner, held.thing, due_by), step);
  }

  async #publish(step: StepOf<"publish">): Promise<boolean> {
    const url = `/api/v2/lessons/${this.#ground.ids[step.lesson]}`;
    versions += 1;
    const payload = { title: `${step.lesson} ${versions}` };
    await this.#acme.request({ method: "PATCH", url: `${url}/draft`, payload });
    const learners = step.isAskedAgain ? "ask_again" : "nothing";
    const isDone = this.#model.publish(step.lesson, step.isAskedAgain);
    return agree(this.#acme.post(`${url}/publish`, { learners }), isDone, step);
  }

  /** Who was away for a day signs in again. */
  async #wait(days: number): Promise<boolean> {
    const { lectern, clock } = this.#ground;
    clock.pass(days);
    for (const pair of this.#pairs) {
      pair.person = await signIn(lectern, lectern.acme, { user_id: pair.person.user_id });
    }
    return true;
  }

  #pair(index: number): Pair {
    const pair = this.#pairs[index];
    assert.ok(pair);
    return pair;
  }

  #dayOf(due: number | null): string | null {
    return due === null ? null : toDay(new Date(this.#today.getTime() + due * DAY_MS));
  }

  async #idOf({ user_id }: Person, { thing }: ModelAssignment): Promise<number> {
    const { body } = await this.#acme.get(`/api/v1/users/${user_id}/assignments`);
    const id = this.#ground.ids[thing];
    const isIt = (row: Body) => row.assignable_type === typeOf(thing) && row.assignable_id === id;
    return body.assignments.find(isIt)?.id;
  }
}

function isCompleted({ status }: ModelAssignment): number {
  return Number(status === "Completed");
}

let versions = 1;

function toDay(time: Date): string {
  return time.toISOString().slice(0, "2026-11-21".length);
}

async function agree(asked: Promise<Answer>, isDone: boolean, step: object): Promise<boolean> {
  requireAgreement(await asked, isDone, step);
  return isDone;
}

/** Fails unless the API did what the model did, or both refused. */
function requireAgreement({ status, body }: Answer, isDone: boolean, step: object): void {
  assert.equal(status < 300, isDone, `${JSON.stringify(step)}: ${status} ${JSON.stringify(body)}`);
  assert.ok(status < 500, JSON.stringify(body));
}
