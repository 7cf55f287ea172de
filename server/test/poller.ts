import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { listChanges } from "../assignments/changes.ts";
import { countAssignments } from "../assignments/counts.ts";
import { assignmentCounters } from "../assignments/give.ts";
import { selectAssignments } from "../assignments/select.ts";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { readPage } from "../http/page.ts";
import { nextOf } from "./properties.ts";
import type { Client, TestServer } from "./server.ts";

/** An assignment as a poller keeps it. */
interface Seen {
  readonly id: number;
  readonly score: number | null;
  readonly updated_at: string;
}

/** One page of what changed after a time; `next` asks for the one that follows. */
interface ChangesPage {
  readonly rows: readonly Seen[];
  readonly next: (() => Promise<ChangesPage>) | undefined;
}

export type ReadChanges = (since: string) => Promise<ChangesPage>;

const PER_PAGE = 20;

/** The ways to ask what changed: by the API, whose times are cut to the second, and by the times as they are stored. */
export function waysToPoll(lectern: TestServer, client: Client): Record<string, ReadChanges> {
  return {
    "the API's pages by number": (since) => readByNumber(client, since, 1),
    "the API's pages by Link": (since) =>
      readByLink(
        client,
        `/api/v1/assignments?per_page=${PER_PAGE}&gt[updated_at]=${encodeURIComponent(since)}`,
      ),
    "stored times, pages by number": (since) => readStored(lectern, client, { since, page: 1 }),
    "stored times, pages by position": (since) =>
      readStored(lectern, client, { since, page: 1, after: null }),
  };
}

async function readByNumber(client: Client, since: string, page: number): Promise<ChangesPage> {
  const query = `per_page=${PER_PAGE}&page=${page}&gt[updated_at]=${encodeURIComponent(since)}`;
  const { body } = await client.get(`/api/v1/assignments?${query}`);
  return {
    rows: body.assignments,
    next: page < body.total_pages ? () => readByNumber(client, since, page + 1) : undefined,
  };
}

async function readByLink(client: Client, url: string): Promise<ChangesPage> {
  const { body, headers } = await client.get(url);
  const next = nextOf(headers["link"]);
  return { rows: body.assignments, next: next === undefined ? undefined : () => readByLink(client, next) };
}

async function readStored(
  lectern: TestServer,
  client: Client,
  { since, page, after }: { readonly since: string; readonly page: number; readonly after?: string | null },
): Promise<ChangesPage> {
  const asked = readPage({ page, per_page: PER_PAGE, ...(after != null && { after }) });
  const found = await lectern.database.read(client.company, (tx) =>
    listChanges(tx, asked, { since, conditions: [] }),
  );
  const { next } = found;
  if (next === undefined) return { rows: found.rows, next };
  const position = after === undefined ? {} : { after: next };
  return {
    rows: found.rows,
    next: () => readStored(lectern, client, { since, page: page + 1, ...position }),
  };
}

/** Asks again and again for what changed after the largest time it has seen, and keeps the last state of each row. */
export class Poller {
  readonly seen = new Map<number, number | null>();
  polls = 0;
  readonly #read: ReadChanges;
  #largest = "2001-01-01T00:00:00Z";

  constructor(read: ReadChanges) {
    this.#read = read;
  }

  async poll(): Promise<void> {
    this.polls += 1;
    const states: Seen[] = [];
    let read: ChangesPage["next"] = () => this.#read(this.#largest);
    while (read !== undefined) {
      const page: ChangesPage = await read();
      states.push(...page.rows);
      read = page.next;
    }
    // A row that moved while the pages were read may come twice: its later state counts.
    for (const { id, score } of states.toSorted((a, b) => (a.updated_at < b.updated_at ? -1 : 1)))
      this.seen.set(id, score);
    for (const { updated_at } of states) if (updated_at > this.#largest) this.#largest = updated_at;
  }
}

export interface Writing {
  readonly changes: number;
  readonly writers: number;
  readonly random: () => number;
  /** false: writes take the clock's time without the counters' lock, which is what the guarantee rests on. */
  readonly isGuarded?: boolean;
}

/**
 * Changes assignments in parallel transactions of random length while every way to poll is polled.
 * @returns by way, how often it polled and how many rows it has another state of than is stored.
 */
export async function pollWhileWriting(
  lectern: TestServer,
  { changes, writers, random, isGuarded = true }: Writing,
): Promise<{ readonly way: string; readonly polls: number; readonly missed: number }[]> {
  const { acme, make } = lectern;
  const { body } = await acme.get("/api/v1/assignments?per_page=1000");
  const ids: number[] = body.assignments.map(({ id }: { id: number }) => id);
  const change = isGuarded ? changeScores : changeScoresUnguarded;
  let left = changes;
  const write = async () => {
    while (left > 0) {
      const count = Math.min(left, 1 + Math.floor(random() * 5));
      left -= count;
      const start = Math.floor(random() * ids.length);
      const chosen = [...ids, ...ids].slice(start, start + count);
      const [before, during] = [random() * 3, random() * 3];
      const scores = { ids: chosen, score: Math.floor(random() * 101), before, during };
      await make.write(acme, (tx) => change(tx, scores));
    }
  };
  const pollers = Object.entries(waysToPoll(lectern, acme)).map(([way, read]) => ({
    way,
    poller: new Poller(read),
  }));
  const written = { done: false };
  const polling = pollers.map(async ({ poller }) => {
    while (!written.done) await poller.poll();
    await poller.poll();
  });
  try {
    await Promise.all(Array.from({ length: writers }, write));
  } finally {
    written.done = true;
  }
  await Promise.all(polling);
  const { body: stored } = await acme.get("/api/v1/assignments?per_page=1000");
  return pollers.map(({ way, poller }) => ({
    way,
    polls: poller.polls,
    missed: stored.assignments.filter(({ id, score }: Seen) => poller.seen.get(id) !== score).length,
  }));
}

interface Scores {
  readonly ids: readonly number[];
  readonly score: number;
}

async function changeScores(tx: WriteTx, { ids, score, before, during }: Scores & Pauses): Promise<void> {
  await sleep(before);
  const at = await lockCounters(tx, ...assignmentCounters);
  await sleep(during);
  await setScores(tx, { ids, score, at });
  const rows = await selectAssignments(tx, {
    conditions: [sql<boolean>`id = any(${ids}::bigint[])`],
    order: sql`id`,
    limit: null,
    offset: 0,
  });
  await countAssignments(tx, { before: rows, after: rows, learners: [], at });
}

async function changeScoresUnguarded(
  tx: WriteTx,
  { ids, score, before, during }: Scores & Pauses,
): Promise<void> {
  await sleep(before);
  const at = await takeClockTime(tx);
  await sleep(during);
  // In the order of ids, as two such writes would otherwise wait for each other.
  for (const id of ids.toSorted((a, b) => a - b)) await setScores(tx, { ids: [id], score, at });
}

interface Pauses {
  readonly before: number;
  readonly during: number;
}

/** A time as a write would take it that knows of no counter. */
export async function takeClockTime(tx: WriteTx): Promise<string> {
  const { rows } = await sql<{ at: string }>`select clock_timestamp() as at`.execute(tx.sql);
  return rows[0]?.at ?? "";
}

/** Changes rows, and says when. */
export async function setScores(
  tx: WriteTx,
  { ids, score, at }: Scores & { readonly at: string },
): Promise<void> {
  await tx.sql
    .updateTable("assignments")
    .set({ score, updated_at: at })
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...ids]))))
    .execute();
}
