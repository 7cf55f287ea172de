import assert from "node:assert/strict";
import type pg from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningLectern } from "./lectern.ts";
import { until } from "./patience.ts";

/** How a write ended for its writer: with a 2xx, or otherwise, so that it may be done or not. */
type Outcome = "done" | "unknown";

/** A write that was sent, and how to see in the database whether it is done: in whole, in part or not at all. */
interface Write {
  readonly outcome: Outcome;
  /** A statement that gives one number: how many of the rows that the write makes are there. */
  readonly found: readonly [sql: string, ...values: unknown[]];
  readonly rows: number;
}

const WRITERS = 6;
/** Elements of a bulk write. */
const BULK = 20;
/** A writer that is refused waits, as a client does. */
const REFUSED_PAUSE_MS = 50;

/** Writes to one company from many connections, until it is told to stop, and remembers what it was answered. */
export class WriteLoad {
  readonly #authorization: string;
  readonly #writes: Write[] = [];
  readonly #ended: Promise<unknown>;
  readonly #lectern: RunningLectern;
  readonly #lessons: readonly number[];
  readonly #name: string;
  /** The settings that were sent last, and were certainly stored last. */
  #settings: { sent: string; stored: string | undefined } = { sent: "", stored: undefined };
  #isStopping = false;
  #count = 0;

  /** @param name makes the names of what it writes, so that each load has its own. */
  constructor(
    lectern: RunningLectern,
    { authorization, lessons, name }: { authorization: string; lessons: readonly number[]; name: string },
  ) {
    this.#lectern = lectern;
    this.#authorization = authorization;
    this.#lessons = lessons;
    this.#name = name;
    const writers = Array.from({ length: WRITERS }, () => this.#write());
    this.#ended = Promise.all([...writers, this.#writeSettings()]);
  }

  /** How many writes were answered with a 2xx so far. */
  get done(): number {
    return this.#writes.filter(({ outcome }) => outcome === "done").length;
  }

  /** Resolves when so many more writes than now were answered with a 2xx. */
  async goesOn(writes: number): Promise<void> {
    const enough = this.done + writes;
    await until(`${writes} more writes`, () => this.done >= enough);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#ended;
  }

  /** Fails unless what was answered with a 2xx is there, and everything else is there in whole or not at all. */
  async assertHolds(client: pg.Client, company_id: number): Promise<Record<Outcome, number>> {
    await client.query("select set_config('app.company_id', $1, false)", [String(company_id)]);
    const outcomes = { done: 0, unknown: 0 };
    for (const { outcome, found, rows } of this.#writes) {
      const [sql, ...values] = found;
      const { rows: answer } = await client.query<{ count: string }>(sql, [company_id, ...values]);
      const count = Number(answer[0]?.count);
      const allowed = { done: [rows], unknown: [0, rows] }[outcome];
      assert.ok(allowed.includes(count), `${outcome}: ${count} of ${rows}: ${sql} ${JSON.stringify(values)}`);
      outcomes[outcome] += 1;
    }
    return outcomes;
  }

  /** Fails unless the company's settings are those that were answered last, or those that were sent after them. */
  async assertSettingsHold(client: pg.Client, company_id: number): Promise<void> {
    const stored = await client.query<{ url: string }>(
      "select url from webhook_endpoints where company_id = $1 and kind = 'lesson_completed'",
      [company_id],
    );
    const { sent, stored: last } = this.#settings;
    assert.ok(
      [sent, last].includes(stored.rows[0]?.url),
      `${stored.rows[0]?.url} is neither ${sent} nor ${last}`,
    );
  }

  async #write(): Promise<void> {
    let users: number[] = [];
    while (!this.#isStopping) {
      const made = await this.#makeUser();
      if (made !== undefined) users.push(made);
      if (users.length < BULK) continue;
      const group = await this.#makeGroup(users);
      await this.#assign(users);
      if (group !== undefined) await this.#promote(users[0] ?? 0, group);
      users = [];
    }
  }

  async #makeUser(): Promise<number | undefined> {
    const email = `${this.#nextName()}@load.test`;
    const body = {
      name: "Load",
      email,
      role: "learner",
      custom_user_fields: [{ name: "Load", value: email }],
    };
    const found = [
      `select (select count(*) from users where company_id = $1 and email_key = $2)
         + (select count(*) from custom_user_field_values where company_id = $1 and value = $2) as count`,
      email,
    ] as const;
    return this.#send({ method: "POST", path: "users", body }, { found, rows: 2 });
  }

  async #makeGroup(users: readonly number[]): Promise<number | undefined> {
    const name = this.#nextName();
    const found = [
      `select count(distinct g.id) + count(m.user_id) as count from groups g
       left join memberships m on m.company_id = $1 and m.group_id = g.id and m.role = 'member'
       where g.company_id = $1 and g.name = $2`,
      name,
    ] as const;
    const body = { name, members: users.map((id) => ({ id })) };
    return this.#send({ method: "POST", path: "groups", body }, { found, rows: 1 + users.length });
  }

  async #assign(users: readonly number[]): Promise<void> {
    const lesson = this.#lessons[this.#count % this.#lessons.length] ?? 0;
    const found = [
      `select count(*) from assignments where company_id = $1
         and assignable_type = 'Lesson' and assignable_id = $2 and assignee_id = any($3)`,
      lesson,
      users,
    ] as const;
    const body = { assignments: users.map((id) => ({ assignee_id: id, due_by: "2099-01-31" })) };
    await this.#send(
      { method: "PUT", path: `lessons/${lesson}/assignments`, body },
      { found, rows: users.length },
    );
  }

  /** Makes a member a manager too. */
  async #promote(user: number, group: number): Promise<void> {
    const found = [
      `select count(*) from memberships
       where company_id = $1 and user_id = $2 and group_id = $3 and role = 'manager'`,
      user,
      group,
    ] as const;
    const body = { managing: [{ id: group }] };
    await this.#send({ method: "PUT", path: `users/${user}/groups`, body }, { found, rows: 1 });
  }

  async #writeSettings(): Promise<void> {
    while (!this.#isStopping) {
      const lesson_completed_callback_url = `https://load.test/${this.#nextName()}`;
      this.#settings = { ...this.#settings, sent: lesson_completed_callback_url };
      const body = { lesson_completed_callback_url };
      const { outcome } = await this.#ask({ method: "PUT", path: "company_settings", body });
      if (outcome === "done") this.#settings.stored = lesson_completed_callback_url;
      // What was not done may be done all the same, and what is sent next would hide it.
      else return;
    }
  }

  async #send(call: Call, { found, rows }: Omit<Write, "outcome">): Promise<number | undefined> {
    const { outcome, id } = await this.#ask(call);
    this.#writes.push({ outcome, found, rows });
    if (outcome !== "done") await sleep(REFUSED_PAUSE_MS);
    return id;
  }

  /** A 503 says nothing: the database may have ended after the commit and before it could confirm it. */
  async #ask({ method, path, body }: Call): Promise<{ outcome: Outcome; id?: number }> {
    try {
      const authorization = this.#authorization;
      const answer = await this.#lectern.request(`/api/v1/${path}`, { method, body, authorization });
      if (answer.status < 300) return { outcome: "done", id: answer.body.id };
      assert.equal(answer.status, 503, JSON.stringify(answer.body));
      return { outcome: "unknown" };
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return { outcome: "unknown" };
    }
  }

  #nextName(): string {
    this.#count += 1;
    return `${this.#name}-${this.#count}`;
  }
}

interface Call {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: object;
}
