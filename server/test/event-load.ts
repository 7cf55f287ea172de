import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { openEmbedded } from "../db/embedded/embedded.ts";
import { type RunningLectern, startLectern } from "./lectern.ts";
import type { Pupil, School } from "./load-school.ts";
import type { Answer } from "./server.ts";

/** What was found. It throws when a completion has no delivery, two ids, or no place in the feed. */
export interface EventsFound {
  readonly completions: number;
  readonly kills: Readonly<Record<Victim, number>>;
  /** What the receiver was sent, and what of it it said yes to. */
  readonly received: number;
  readonly accepted: number;
  /** Events in the feed, each read once and in order while all this went on. */
  readonly events: number;
}

type Victim = "the server" | "the worker" | "PostgreSQL";
const victims = ["the server", "the worker", "PostgreSQL"] as const;

/** Learners at once. */
const AT_ONCE = 12;
/** A request that is not answered is sent again after this long. */
const PAUSE_MS = 50;
/** After the last completion: until then all has to have arrived. */
const PATIENCE_MS = 300_000;
/** The part of what it is sent that the receiver fails, at random. */
const FAILING = 0.5;

interface Receipt {
  readonly id: string;
  readonly key: string;
  readonly isAccepted: boolean;
}

/** Completions while the server, the worker and PostgreSQL are killed, and the receiver fails half of its requests. */
export class EventLoad {
  readonly #school: School;
  readonly #receipts: Receipt[] = [];
  readonly #kills: Record<Victim, number> = { "the server": 0, "the worker": 0, PostgreSQL: 0 };
  readonly #read: Answer["body"][] = [];
  #settings: Readonly<Record<string, string>> = {};
  #server: RunningLectern | undefined;
  #worker: RunningLectern | undefined;
  #done = 0;
  #isOver = false;

  constructor(school: School) {
    this.#school = school;
  }

  /** @param kills how many `kill -9` there are, spread over the completions. */
  async run(kills: number): Promise<EventsFound> {
    const { settings, pupils, lesson_ids } = this.#school;
    await using stack = new AsyncDisposableStack();
    const embedded = stack.use(await openEmbedded(settings.DATA_DIR, "server", () => undefined));
    const { user, password, host, port, database } = embedded.owner;
    const url = `postgres://${user}:${password}@${host}:${port}/${database}`;
    this.#settings = { ...settings, DATABASE_URL: url };
    const receiver = createServer((request, response) => void this.#receive(request, response));
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    stack.defer(() => void receiver.close());
    stack.defer(() => this.#server?.[Symbol.asyncDispose]());
    stack.defer(() => this.#worker?.[Symbol.asyncDispose]());
    this.#server = await startLectern(this.#settings, ["serve"]);
    this.#worker = await this.#work();
    await this.#setCallback(receiver.address());
    const start = (await this.#ask("GET", "/api/v2/events/position")).body.position;
    const reading = this.#follow(start);
    const total = pupils.length * lesson_ids.length;
    const killing = this.#killAll(kills, total);
    await this.#completeAll();
    await killing;
    await this.#arrive(url, total);
    this.#isOver = true;
    await reading;
    await this.#check(start, total);
    const accepted = this.#receipts.filter(({ isAccepted }) => isAccepted).length;
    return {
      completions: total,
      kills: this.#kills,
      received: this.#receipts.length,
      accepted,
      events: this.#read.length,
    };
  }

  async #work(): Promise<RunningLectern> {
    const settings = { ...this.#settings, PUBLIC_URL: "http://127.0.0.1" };
    return startLectern(settings, ["work"], /^Lectern does the (jobs)/);
  }

  async #setCallback(address: ReturnType<ReturnType<typeof createServer>["address"]>): Promise<void> {
    if (address === null || typeof address === "string") throw new Error("the receiver has a port");
    const body = { lesson_completed_callback_url: `http://127.0.0.1:${address.port}/completed?from=load` };
    const set = await this.#ask("PUT", "/api/v1/company_settings", body);
    assert.equal(set.status, 200, JSON.stringify(set.body));
  }

  /** Says yes to half of what it is sent; to the others no, or nothing. */
  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request).catch(() => "null"));
    if (body === null) return;
    const isAccepted = Math.random() >= FAILING;
    const id = String(request.headers["webhook-id"]);
    this.#receipts.push({ id, key: `${body.user.id}/${body.lesson.id}`, isAccepted });
    if (isAccepted) response.writeHead(204).end();
    else if (Math.random() < 0.5) response.writeHead(500).end("no");
    else request.socket.destroy();
  }

  async #completeAll(): Promise<void> {
    const waiting = [...this.#school.pupils];
    const work = async (): Promise<void> => {
      for (;;) {
        const pupil = waiting.pop();
        if (pupil === undefined) return;
        for (const lesson_id of this.#school.lesson_ids) await this.#complete(pupil, lesson_id);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async #complete(pupil: Pupil, lesson_id: number): Promise<void> {
    const begun = await this.#askAs(pupil, "POST", "/api/v2/attempts", { lesson_id });
    // It was completed by a request whose answer was lost.
    if (begun.status !== 409) {
      const { status, body } = await this.#askAs(pupil, "POST", `/api/v2/attempts/${begun.body.id}/finish`);
      assert.deepEqual([status, body.status], [200, "completed"], JSON.stringify(body));
    }
    this.#done += 1;
  }

  async #killAll(kills: number, total: number): Promise<void> {
    for (let kill = 1; kill <= kills; kill += 1) {
      while (this.#done < (total * kill) / (kills + 1)) await sleep(PAUSE_MS);
      const victim = victims[kill % victims.length] ?? "the server";
      await this.#kill(victim);
      this.#kills[victim] += 1;
    }
  }

  async #kill(victim: Victim): Promise<void> {
    if (victim === "PostgreSQL") {
      const file = join(this.#school.settings.DATA_DIR, "postgres", "postmaster.pid");
      process.kill(Number((await readFile(file, "utf8")).split("\n")[0]), "SIGKILL");
    } else if (victim === "the server") {
      await endOf(this.#server);
      this.#server = await startLectern(this.#settings, ["serve"]);
    } else {
      await endOf(this.#worker);
      this.#worker = await this.#work();
    }
  }

  /** Reads the feed all the while, as a warehouse does. */
  async #follow(start: number): Promise<void> {
    let after = start;
    while (!this.#isOver) {
      const { body } = await this.#ask("GET", `/api/v2/events?after=${after}&wait=2&limit=500`);
      this.#read.push(...body.data);
      after = body.next;
    }
  }

  /** Waits until every completion has arrived. Hours between two tries pass in a moment; those that have failed go again. */
  async #arrive(url: string, total: number): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    const webhook = (await this.#ask("GET", "/api/v2/webhooks")).body.data[0];
    while (this.#arrived().size < total && Date.now() < deadline) {
      await passTime(url);
      await this.#ask("POST", `/api/v2/webhooks/${webhook.id}/resend`, { failed: true });
      await sleep(1_000);
    }
  }

  #arrived(): Set<string> {
    return new Set(this.#receipts.flatMap(({ key, isAccepted }) => (isAccepted ? [key] : [])));
  }

  async #check(start: number, total: number): Promise<void> {
    const arrived = this.#arrived();
    const expected = this.#school.pupils.flatMap(({ user_id }) =>
      this.#school.lesson_ids.map((lesson_id) => `${user_id}/${lesson_id}`),
    );
    const missing = expected.filter((key) => !arrived.has(key));
    assert.deepEqual(missing.slice(0, 5), [], `${missing.length} of ${total} completions were not delivered`);
    for (const [key, receipts] of Map.groupBy(this.#receipts, (receipt) => receipt.key)) {
      assert.equal(new Set(receipts.map(({ id }) => id)).size, 1, `${key} has one id`);
    }
    assert.deepEqual(
      this.#read.map(({ id }) => id),
      this.#read.map((_, index) => start + 1 + index),
      "the feed has no gap and no repeat",
    );
    const completed = this.#read.flatMap(({ type, data }) =>
      type === "lesson.completed" ? [`${data.user.id}/${data.lesson.id}`] : [],
    );
    assert.deepEqual(completed.toSorted(), expected.toSorted(), "each completion stands in the feed once");
    await this.#school.assertCounts();
  }

  #ask(method: string, path: string, body?: object): Promise<Answer> {
    return this.#send({ authorization: this.#school.authorization }, method, { path, body });
  }

  #askAs({ cookie }: Pupil, method: string, path: string, body?: object): Promise<Answer> {
    return this.#send({ cookie }, method, { path, body });
  }

  /** Sends a request until it is answered. */
  async #send(
    who: Readonly<Record<string, string>>,
    method: string,
    { path, body }: { readonly path: string; readonly body: object | undefined },
  ): Promise<Answer> {
    for (;;) {
      try {
        const answer = await fetch(`${this.#server?.address}${path}`, {
          method,
          headers: { ...who, ...(body && { "content-type": "application/json" }) },
          ...(body && { body: JSON.stringify(body) }),
        });
        if (answer.status < 500) {
          return {
            status: answer.status,
            body: await answer.json(),
            headers: Object.fromEntries(answer.headers),
          };
        }
      } catch {
        // The server or its database is away.
      }
      await sleep(PAUSE_MS);
    }
  }
}

/** Kills a process, which has to have lived until then. */
async function endOf(lectern: RunningLectern | undefined): Promise<void> {
  if (lectern === undefined) return;
  const hasEnded = await Promise.race([lectern.ended.then(() => true), sleep(0, false)]);
  if (hasEnded) throw new Error(`It had ended by itself:\n${lectern.lines.join("\n")}`);
  await lectern.stop("SIGKILL");
}

/** Makes what waits for its next try due, as if the time had passed. */
async function passTime(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // What is claimed just now is due a minute later: it is left alone.
  await client.query(
    "update webhook_deliveries set due_at = now() where status = 'waiting' and due_at > now() + interval '2 minutes'",
  );
  await client.query(
    "select wake_worker('follow_events', json_build_object('company_id', company), 'follow_events/' || company) from subdomains",
  );
  await client.end();
}
