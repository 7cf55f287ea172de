import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { lockCounters } from "../db/counters.ts";
import { assertCountsHold } from "../test/counts.ts";
import { addManyUsers } from "../test/people.ts";
import { startServer } from "../test/server.ts";
import { assign, type School, setProgress, setState, type State } from "../test/learning.ts";
import { assignmentCounters, giveAssignments } from "./give.ts";

/** A seed, so that a failure comes again. */
const SEED = 20_261_121;

test("all that is counted is what the rows say, whatever happens to them", async () => {
  await using lectern = await startServer();
  const { acme, make } = lectern;
  const school = { lectern, client: acme };
  const users = await addManyUsers(make, acme, 30);
  const lessons = [await make.lesson(acme), await make.lesson(acme)];
  const contents = lessons.map((lesson_id) => ({ resource_type: "lesson" as const, lesson_id }));
  await make.path(acme, { contents });
  await make.path(acme, { contents });
  await make.course(acme, { lessons });
  const model = new Model(school, users);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 40, size: "max" }), async (steps) => {
      for (const each of steps) await model.run(each);
      await assertCountsHold(lectern);
    }),
    { seed: SEED, numRuns: 10, endOnFailure: true },
  );
});

const user = fc.nat(29);
const thing = fc.constantFrom("lessons/1", "lessons/2", "paths/1", "paths/2", "courses/1");
const status = fc.constantFrom("Incomplete" as const, "Grade Pending" as const, "Completed" as const);
const due_by = fc.constantFrom(null, "2020-01-01", "2099-01-01", "2099-01-01T23:59:59.999Z", "2100-05-05");
const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ assign: thing, users: fc.array(user, { maxLength: 6 }), due_by }) },
  { weight: 3, arbitrary: fc.record({ give: fc.nat(4), users: fc.array(user, { maxLength: 6 }) }) },
  { weight: 18, arbitrary: fc.record({ finish: fc.nat(), status, score: fc.option(fc.nat(100)) }) },
  { weight: 12, arbitrary: fc.record({ learn: fc.nat(), lesson: fc.integer({ min: 1, max: 2 }), status }) },
  { weight: 1, arbitrary: fc.record({ erase: user }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Known {
  readonly id: number;
  readonly thing: string;
  readonly user: number;
  status: string;
  score: number | null;
  due_by: string | null;
  isReassigned: boolean;
}

/** What the contract says of assignments, in a few lines, beside the service that is to do it. */
class Model {
  readonly #school: School;
  readonly #users: number[];
  readonly #known = new Map<string, Known>();

  constructor(school: School, users: readonly number[]) {
    this.#school = school;
    this.#users = [...users];
  }

  async run(given: Step): Promise<void> {
    if ("assign" in given) await this.#assign(given);
    else if ("give" in given) await this.#give(given);
    else if ("erase" in given) await this.#erase(this.#users[given.erase] ?? 0);
    else if ("finish" in given) {
      const known = this.#pick(given.finish, () => true);
      if (known === undefined) return;
      Object.assign(known, { status: given.status, score: given.score });
      await setState(this.#school, known.id, toState(given));
    } else {
      const known = this.#pick(given.learn, ({ thing: on }) => on.startsWith("paths/"));
      if (known === undefined) return;
      await setProgress(this.#school, { assignment_id: known.id, lesson_id: given.lesson }, toState(given));
    }
  }

  #pick(index: number, isMeant: (known: Known) => boolean): Known | undefined {
    const all = [...this.#known.values()].filter(isMeant);
    return all[index % Math.max(all.length, 1)];
  }

  async #assign(given: { assign: string; users: number[]; due_by: string | null }): Promise<void> {
    const ids = given.users.map((index) => this.#users[index] ?? 0);
    const wishes = ids.map((assignee_id) => ({ assignee_id, due_by: given.due_by }));
    const answered = await assign(this.#school.client, given.assign, wishes);
    assert.deepEqual(
      answered.map(({ assignee_id }) => assignee_id),
      [...new Set(ids)],
    );
    for (const row of answered) {
      const key = `${given.assign} ${row.assignee_id}`;
      const known = this.#known.get(key) ?? this.#learnOf(key, row.id, given.due_by);
      if (known.status === "Completed") {
        Object.assign(known, { status: "Incomplete", due_by: given.due_by, isReassigned: true });
      }
      const isOverdue = known.status === "Incomplete" && known.due_by === "2020-01-01";
      assert.deepEqual(
        [row.id, row.status, row.score, row.due_by?.slice(0, 10), row.reassigned_at !== null],
        [
          known.id,
          isOverdue ? "Overdue" : known.status,
          known.score,
          known.due_by?.slice(0, 10),
          known.isReassigned,
        ],
      );
    }
  }

  #learnOf(key: string, id: number, due: string | null): Known {
    const [on = "", assignee] = key.split(" ");
    const known = { id, thing: on, user: Number(assignee), status: "Incomplete", score: null };
    const whole = { ...known, due_by: due, isReassigned: false };
    this.#known.set(key, whole);
    return whole;
  }

  /** What nobody has yet comes without a due date; the rest stays. */
  async #give(given: { give: number; users: number[] }): Promise<void> {
    const { lectern, client } = this.#school;
    const [on, assignable_type, assignable_id] = things[given.give] ?? things[0];
    const ids = given.users.map((index) => this.#users[index] ?? 0);
    await lectern.make.write(client, async (tx) => {
      const at = await lockCounters(tx, ...assignmentCounters);
      const wanted = ids.map((assignee_id) => ({
        assignee_id,
        assignable_type,
        assignable_id,
        due_by: null,
        group_id: 7,
      }));
      await giveAssignments(tx, wanted, at);
    });
    const { body } = await client.get(`/api/v1/${on}/assignments`);
    for (const { id, assignee_id } of body.assignments) {
      const key = `${on} ${assignee_id}`;
      if (!this.#known.has(key)) this.#learnOf(key, id, null);
    }
    for (const id of ids) assert.ok(this.#known.has(`${on} ${id}`));
  }

  /** Erases somebody; a new person takes the place. */
  async #erase(id: number): Promise<void> {
    const { lectern, client } = this.#school;
    assert.equal((await client.delete(`/api/v1/users/${id}`)).status, 200);
    for (const [key, known] of this.#known) if (known.user === id) this.#known.delete(key);
    const [next = 0] = await addManyUsers(lectern.make, client, 1);
    this.#users[this.#users.indexOf(id)] = next;
  }
}

const things = [
  ["lessons/1", "Lesson", 1],
  ["lessons/2", "Lesson", 2],
  ["paths/1", "LearningPaths::Path", 1],
  ["paths/2", "LearningPaths::Path", 2],
  ["courses/1", "Course", 1],
] as const;

function toState({ status: reached, score }: { status: State["status"]; score?: number | null }): State {
  const completed_at = reached === "Incomplete" ? null : "2026-01-01 00:00:00+00";
  return { status: reached, score: score ?? null, completed_at };
}
