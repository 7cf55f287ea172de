import assert from "node:assert/strict";
import fc from "fast-check";
import { assertCountsHold } from "./counts.ts";
import {
  type LessonName,
  lessons,
  Model,
  type ModelAttempt,
  type ModelLearner,
  type ThingName,
} from "./model.ts";
import { compare, type Ids, makeThings, typeOf } from "./model-compare.ts";
import { aStep, type Step, type StepOf } from "./model-steps.ts";
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

/** What the model has learners do, in any order, over HTTP: after each step version 1 shows what the model says. */
export async function assignmentsFollowTheirModel(
  lectern: TestServer,
  clock: StillClock,
  tries: Tries & { readonly mostSteps: number },
): Promise<{ sequences: number; steps: number; done: number }> {
  const ids = await makeThings(lectern.acme);
  const told = { sequences: 0, steps: 0, done: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(aStep, { minLength: 1, maxLength: tries.mostSteps, size: "max" }),
      async (steps) => {
        const walk = await Walk.begin({ lectern, clock, ids });
        try {
          for (const step of steps) told.done += Number(await walk.take(step));
          await assertCountsHold(lectern);
          told.sequences += 1;
          told.steps += steps.length;
        } finally {
          await walk.end();
        }
      },
    ),
    { numRuns: tries.numRuns, seed: tries.seed },
  );
  return told;
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
  readonly #model = new Model();
  readonly #ground: Ground;
  readonly #pairs: Pair[] = [];
  /** The attempts of the model as the API knows them. */
  readonly #attempts = new Map<ModelAttempt, number>();

  private constructor(ground: Ground) {
    this.#ground = ground;
  }

  static async begin(ground: Ground): Promise<Walk> {
    const walk = new Walk(ground);
    for (const learner of walk.#model.learners) {
      walk.#pairs.push({ learner, person: await signIn(ground.lectern, ground.lectern.acme) });
    }
    return walk;
  }

  /** Leaves nothing but what lessons were published. */
  async end(): Promise<void> {
    for (const { person } of this.#pairs) await this.#acme.delete(`/api/v1/users/${person.user_id}`);
    for (const name of lessons) await this.#acme.put(`/api/v1/lessons/${this.#ground.ids[name]}/restore`);
    assert.equal((await this.#acme.get("/api/v1/assignments")).body.total_assignments, 0);
  }

  /** Takes a step in both worlds. @returns whether it was done, and not refused. */
  async take(step: Step): Promise<boolean> {
    const isDone = await this.#play(step);
    await this.#compare();
    return isDone;
  }

  get #acme(): Client {
    return this.#ground.lectern.acme;
  }

  async #play(step: Step): Promise<boolean> {
    switch (step.name) {
      case "assign":
        return this.#assign(step);
      case "start":
        return this.#start(step);
      case "answer":
        return this.#answer(step);
      case "finish":
        return this.#finish(step);
      case "grade":
        return this.#grade(step);
      case "take": {
        const { who } = step;
        const isBegun = await this.#start({ ...step, name: "start" });
        await this.#answer({ ...step, name: "answer", back: 0, isRight: true });
        await this.#finish({ ...step, name: "finish", back: 0 });
        if (step.lesson === "essay") await this.#grade({ name: "grade", who, back: 0, percent: 70 });
        return isBegun;
      }
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
        this.#ground.clock.pass(step.days);
        for (const pair of this.#pairs) {
          const { user_id } = pair.person;
          pair.person = await signIn(this.#ground.lectern, this.#acme, { user_id });
        }
        return true;
    }
  }

  #assign(step: StepOf<"assign">): Promise<boolean> {
    const { learner, person } = this.#pair(step.who);
    const assignable_id = this.#ground.ids[step.thing];
    const assignable_type = typeOf(step.thing);
    const due_by = step.due;
    const folder = assignable_type === "Lesson" ? "lessons" : "paths";
    const answer =
      step.way === "v2"
        ? this.#acme.post("/api/v2/assignments", {
            user_ids: [person.user_id],
            assignable_type,
            assignable_id,
            due_by,
          })
        : step.way === "v1"
          ? this.#acme.put(`/api/v1/${folder}/${assignable_id}/assignments`, {
              assignments: [{ assignee_id: person.user_id, due_by }],
            })
          : this.#acme.post(`/api/v1/users/${person.user_id}/assignments`, {
              assignments: [{ assignable_type, assignable_id, due_by }],
            });
    return agree(answer, this.#model.assign(learner, step.thing, step.due), step);
  }

  async #start(step: StepOf<"start">): Promise<boolean> {
    const { learner, person } = this.#pair(step.who);
    const assignment_id = step.named === undefined ? undefined : await this.#idOf(step.who, step.named);
    const lesson_id = this.#ground.ids[step.lesson];
    const { status, body } = await person.post("/api/v2/attempts", {
      lesson_id,
      ...(step.named !== undefined && { assignment_id: assignment_id ?? NOWHERE }),
    });
    const isDone = this.#model.start(learner, step.lesson, step.named);
    assert.equal(status < 300, isDone, `${JSON.stringify(step)} ${status} ${JSON.stringify(body)}`);
    const attempt = learner.underWay(step.lesson);
    if (!isDone || attempt === undefined) return isDone;
    const known = this.#attempts.get(attempt);
    assert.equal(body.resumed, known !== undefined, JSON.stringify(step));
    assert.equal(body.id, known ?? body.id, JSON.stringify(step));
    this.#attempts.set(attempt, body.id);
    return isDone;
  }

  async #answer(step: StepOf<"answer">): Promise<boolean> {
    const { attempt, url } = this.#attempt(step);
    if (attempt === undefined) return false;
    const answer = step.lesson === "quiz" ? { value: step.isRight } : { text: "Because." };
    const { person } = this.#pair(step.who);
    return agree(
      person.put(`${url}/answers/${step.lesson}`, { answer }),
      this.#model.answer(attempt, step.isRight),
      step,
    );
  }

  async #finish(step: StepOf<"finish">): Promise<boolean> {
    const { attempt, url } = this.#attempt(step);
    const { learner, person } = this.#pair(step.who);
    if (attempt === undefined) return false;
    return agree(person.post(`${url}/finish`), this.#model.finish(learner, attempt), step);
  }

  async #grade({ who, back, percent }: StepOf<"grade">): Promise<boolean> {
    const { attempt, id } = this.#attempt({ who, back, lesson: "essay" });
    if (attempt === undefined) return false;
    const graded = this.#acme.put(`/api/v2/grading/${id}/essay`, { percent });
    return agree(graded, this.#model.grade(this.#pair(who).learner, attempt, percent), {
      name: "grade",
      percent,
    });
  }

  async #change(step: StepOf<"reassign" | "due" | "remove">): Promise<boolean> {
    const { learner } = this.#pair(step.who);
    const url = `/api/v2/assignments/${(await this.#idOf(step.who, step.thing)) ?? NOWHERE}`;
    if (step.name === "remove")
      return agree(this.#acme.delete(url), this.#model.remove(learner, step.thing), step);
    const payload = { due_by: step.due };
    return step.name === "due"
      ? agree(
          this.#acme.request({ method: "PATCH", url, payload }),
          this.#model.changeDue(learner, step.thing, step.due),
          step,
        )
      : agree(
          this.#acme.post(`${url}/reassign`, payload),
          this.#model.reassign(learner, step.thing, step.due),
          step,
        );
  }

  async #publish(step: StepOf<"publish">): Promise<boolean> {
    const url = `/api/v2/lessons/${this.#ground.ids[step.lesson]}`;
    const title = `${step.lesson} ${process.hrtime.bigint()}`;
    await this.#acme.request({ method: "PATCH", url: `${url}/draft`, payload: { title } });
    const learners = step.isAskedAgain ? "ask_again" : "nothing";
    return agree(
      this.#acme.post(`${url}/publish`, { learners }),
      this.#model.publish(step.lesson, step.isAskedAgain),
      step,
    );
  }

  #pair(index: number): Pair {
    const pair = this.#pairs[index];
    assert.ok(pair);
    return pair;
  }

  #attempt({ who, lesson, back }: { who: number; lesson: LessonName; back: number }) {
    const { learner } = this.#pair(who);
    const attempt = learner.attempts.filter((each) => each.lesson === lesson).at(-1 - back);
    const id = attempt && this.#attempts.get(attempt);
    return { attempt, id, url: `/api/v2/attempts/${id}` };
  }

  async #idOf(who: number, thing: ThingName): Promise<number | undefined> {
    const { body } = await this.#acme.get(`/api/v1/users/${this.#pair(who).person.user_id}/assignments`);
    const found = body.assignments.find(
      (row: Body) => row.assignable_type === typeOf(thing) && row.assignable_id === this.#ground.ids[thing],
    );
    return found?.id;
  }

  #compare(): Promise<void> {
    const { clock, ids } = this.#ground;
    const players = this.#pairs.map(({ learner, person }) => ({ learner, user_id: person.user_id }));
    const today = clock.now().toISOString().slice(0, "2026-11-21".length);
    return compare({ client: this.#acme, ids, players, today });
  }
}

/** An id of no assignment. */
const NOWHERE = 900_001;

/** Fails unless the API did what the model did, or both refused. */
async function agree(asked: Promise<Answer>, isDone: boolean, step: object): Promise<boolean> {
  const { status, body } = await asked;
  assert.equal(status < 300, isDone, `${JSON.stringify(step)}: ${status} ${JSON.stringify(body)}`);
  assert.ok(status < 500, JSON.stringify(body));
  return isDone;
}
