import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { addManyUsers } from "../test/people.ts";
import { type Answer, type Client, startServer, type TestServer } from "../test/server.ts";
import { assign, idsOf, nextOf, setState } from "../test/learning.ts";

test("changes come newest first, and the time asked for is compared with all its digits", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await assignLessons(lectern, acme, 4);
  await setTimes(lectern, acme, [
    "2026-03-01 10:00:00.000001+00",
    "2026-03-01 10:00:00.000002+00",
    "2026-03-01 10:00:00+00",
    "2026-03-02 00:00:00+00",
  ]);
  const idsAfter = async (moment: string): Promise<number[]> =>
    idsOf((await acme.get(`/api/v1/assignments?gt[updated_at]=${moment}`)).body);
  assert.deepEqual(await idsAfter("2026-03-01"), [4, 2, 1, 3]);
  assert.deepEqual(await idsAfter("2026-03-01T10:00:00Z"), [4, 2, 1]);
  assert.deepEqual(await idsAfter("2026-03-01T10:00:00.000001Z"), [4, 2]);
  assert.deepEqual(await idsAfter("2026-03-01T10:00:00.0000019Z"), [4, 2]);
  assert.deepEqual(await idsAfter("2026-03-01T12:00:00.000002%2B02:00"), [4]);
  assert.deepEqual(await idsAfter("2026-03-01T12:00:00.000002+02:00"), [4]);
  assert.deepEqual(await idsAfter("2026-03-02"), []);
});

test("the pages of changes follow each other, by number and by link, also within one microsecond", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  await assignLessons(lectern, acme, 7);
  const { body } = await acme.get("/api/v1/assignments?gt[updated_at]=2020-01-01");
  assert.deepEqual(idsOf(body), [7, 6, 5, 4, 3, 2, 1]);
  const byNumber = [];
  for (const page of [1, 2, 3]) {
    const answer = await acme.get(`/api/v1/assignments?gt[updated_at]=2020-01-01&per_page=3&page=${page}`);
    assert.deepEqual(
      [answer.body.total_assignments, answer.body.total_pages, answer.body.page],
      [7, 3, page],
    );
    byNumber.push(idsOf(answer.body));
  }
  assert.deepEqual(byNumber, [[7, 6, 5], [4, 3, 2], [1]]);
  assert.deepEqual(
    await walk(acme, "/api/v1/assignments?gt%5Bupdated_at%5D=2020-01-01&per_page=3"),
    byNumber,
  );
  assert.deepEqual(await walk(acme, "/api/v1.1/assignments?gt[updated_at]=2020-01-01&per_page=3"), byNumber);
});

test("who walks the pages while rows change, and goes on from the largest time seen, misses nothing", async () => {
  await using lectern = await startServer();
  const { acme } = lectern;
  const count = 60;
  await assignLessons(lectern, acme, count);
  const school = { lectern, client: acme };
  const truth = new Map<number, number>();
  const writing = { left: 3 };
  // Three writers at once; each change is a score that the assignment did not have.
  const writers = [0, 1, 2].map(async (writer) => {
    try {
      for (let step = 0; step < 25; step += 1) {
        const id = 1 + ((step * 37 + writer * 11) % count);
        const score = (step * 3 + writer) % 101;
        await setState(school, id, { status: "Grade Pending", score });
        truth.set(id, score);
      }
    } finally {
      writing.left -= 1;
    }
  });
  const pollers = [new Poller(acme, followLink), new Poller(acme, countPages)];
  while (writing.left > 0) await Promise.all(pollers.map((poller) => poller.poll()));
  await Promise.all(writers);
  for (const poller of pollers) {
    await poller.poll();
    for (const [id, score] of truth) assert.equal(poller.seen.get(id), score, `assignment ${id}`);
    assert.equal(poller.seen.size, count);
  }
});

/** A client that keeps a copy of all assignments' scores by asking for what changed. */
class Poller {
  readonly seen = new Map<number, number>();
  readonly #client: Client;
  readonly #next: (answer: Answer, url: string) => string | undefined;
  #since = "2020-01-01";

  constructor(client: Client, next: (answer: Answer, url: string) => string | undefined) {
    this.#client = client;
    this.#next = next;
  }

  /** Walks all pages of what changed since the largest time that was seen before. */
  async poll(): Promise<void> {
    let largest = this.#since;
    let url: string | undefined = `/api/v1/assignments?gt[updated_at]=${this.#since}&per_page=7&page=1`;
    while (url !== undefined) {
      const answer: Answer = await this.#client.get(url);
      for (const { id, score, updated_at } of answer.body.assignments) {
        this.seen.set(id, score);
        if (updated_at > largest) largest = updated_at;
      }
      url = this.#next(answer, url);
    }
    this.#since = largest;
  }
}

function followLink(answer: Answer): string | undefined {
  return nextOf(answer);
}

function countPages({ body: { page, total_pages } }: Answer, url: string): string | undefined {
  return page < total_pages ? url.replace(/&page=[0-9]+$/, `&page=${page + 1}`) : undefined;
}

/** The ids on each page, from this one on. */
async function walk(client: Client, first: string): Promise<number[][]> {
  const pages = [];
  for (let url: string | undefined = first; url !== undefined;) {
    const answer: Answer = await client.get(url);
    assert.equal(answer.status, 200);
    pages.push(idsOf(answer.body));
    url = nextOf(answer);
  }
  return pages;
}

/** Assigns a lesson to as many users: assignments 1, 2, … */
async function assignLessons(lectern: TestServer, client: Client, count: number): Promise<void> {
  const users = await addManyUsers(lectern.make, client, count);
  const lesson = await lectern.make.lesson(client);
  await assign(
    client,
    `lessons/${lesson}`,
    users.map((assignee_id) => ({ assignee_id })),
  );
}

/** Sets when the assignments changed last, in the order of their ids. */
async function setTimes(lectern: TestServer, client: Client, times: readonly string[]): Promise<void> {
  await lectern.make.write(client, (tx) =>
    sql`
      update assignments set updated_at = changed.at
      from unnest(${times}::timestamptz[]) with ordinality as changed (at, id)
      where company_id = ${tx.company.id} and assignments.id = changed.id`.execute(tx.sql),
  );
}
