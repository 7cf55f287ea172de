import assert from "node:assert/strict";
import { test } from "node:test";
import { Slots } from "./slots.ts";

/** Asks for slots, and notes who got one. Each is held until it is let go. */
class Crowd {
  readonly inside: number[] = [];
  readonly #slots: Slots;
  readonly #ends: (() => void)[] = [];

  constructor(size: number) {
    this.#slots = new Slots(size);
  }

  ask(company_id: number, times: number): void {
    for (let left = times; left > 0; left -= 1) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const run = (): Promise<void> => {
        this.inside.push(company_id);
        this.#ends.push(resolve);
        return promise;
      };
      void this.#slots.use(company_id, run);
    }
  }

  /** Lets those go that came first, one after the other. */
  async letGo(count: number): Promise<void> {
    for (const end of this.#ends.splice(0, count)) {
      end();
      await new Promise(setImmediate);
    }
  }
}

test("a company alone has half of the slots, so that whoever comes next need not wait", async () => {
  const crowd = new Crowd(12);
  crowd.ask(1, 100);
  await crowd.letGo(0);
  await new Promise(setImmediate);
  assert.deepEqual(crowd.inside, Array(6).fill(1));
  crowd.ask(2, 100);
  crowd.ask(3, 1);
  await new Promise(setImmediate);
  assert.deepEqual(crowd.inside.slice(6), [2, 2, 2, 3]);
});

test("those that wait get in in turn by company, however many one of them has, until all have been", async () => {
  const crowd = new Crowd(3);
  crowd.ask(1, 5);
  crowd.ask(2, 2);
  crowd.ask(3, 2);
  await new Promise(setImmediate);
  for (let left = 9; left > 0; left -= 1) await crowd.letGo(1);
  assert.deepEqual(crowd.inside, [1, 1, 2, 3, 1, 2, 3, 1, 1]);
});

test("what fails gives its slot back", async () => {
  const slots = new Slots(1);
  await assert.rejects(
    slots.use(1, () => Promise.reject(new Error("lost"))),
    /lost/,
  );
  assert.equal(await slots.use(2, () => Promise.resolve("in")), "in");
});
