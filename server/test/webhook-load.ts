import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { openEmbedded } from "../db/embedded/embedded.ts";
import { basic, type RunningLectern, startLectern } from "./lectern.ts";
import { makeCompany, type School } from "./load-school.ts";
import { findClosedPort, startSilentReceiver } from "./receiver.ts";
import type { Answer } from "./server.ts";
import { type Arrivals, summarize, TimedCompletions } from "./timed-completions.ts";
import { fillDue, fillJobs, fillLater } from "./webhook-backlog.ts";

/** How one company's completions arrive while another one's receiver is dead. */
export interface Neighbours {
  readonly alone: Arrivals;
  /** Its connections are accepted, and nothing is ever answered. */
  readonly hanging: Arrivals;
  /** Its connections are refused, so that each try ends at once and is written down. */
  readonly refusing: Arrivals;
}

/** How soon completions arrive while very much waits. */
export interface Filled {
  readonly what: string;
  readonly firstMs: number;
  readonly others: Arrivals;
}

/** Deliveries that wait for the dead receiver. */
const BACKLOG = 10_000;
/** Completions of one measurement; those before the first one are not measured. */
const COMPLETIONS = 80;
const COMPLETIONS_WHEN_FILLED = 30;
/** Before a measurement, so that what was done for it has come to rest. */
const REST_MS = 1_000;
const SCHOOL = "load";
const TROUBLED = "trouble";

/** Two companies on one server and one worker: a school, whose completions are measured, and one that gets into trouble. */
export class WebhookLoad implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly #client: pg.Client;
  readonly #server: RunningLectern;
  readonly #completions: TimedCompletions;
  readonly #keys: { readonly school: string; readonly troubled: string };

  private constructor(given: {
    readonly stack: AsyncDisposableStack;
    readonly client: pg.Client;
    readonly server: RunningLectern;
    readonly completions: TimedCompletions;
    readonly keys: { readonly school: string; readonly troubled: string };
  }) {
    this.#stack = given.stack;
    this.#client = given.client;
    this.#server = given.server;
    this.#completions = given.completions;
    this.#keys = given.keys;
  }

  /** Starts a server and a worker for a school, and makes the other company. */
  static async start(school: School): Promise<WebhookLoad> {
    await using stack = new AsyncDisposableStack();
    const { owner } = stack.use(await openEmbedded(school.settings.DATA_DIR, "server", () => undefined));
    const url = `postgres://${owner.user}:${owner.password}@${owner.host}:${owner.port}/${owner.database}`;
    const settings = { ...school.settings, DATABASE_URL: url };
    const troubled = basic(TROUBLED, await makeCompany(settings, TROUBLED));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    stack.defer(() => client.end());
    const server = stack.use(await startLectern(settings, ["serve"]));
    const atHome = { ...settings, PUBLIC_URL: "http://127.0.0.1" };
    stack.use(await startLectern(atHome, ["work"], /^Lectern does the (jobs)/));
    const completions = stack.use(await TimedCompletions.begin(school, server));
    const keys = { school: school.authorization, troubled };
    return new WebhookLoad({ client, server, completions, keys, stack: stack.move() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  /**
   * Measures the school alone, and while the other one's receiver hangs, and while it refuses: in turn, so that whatever
   * else the machine does meets all of them. @throws when something does not arrive, or the trouble was none.
   */
  async meetNeighbour(rounds: number): Promise<Neighbours> {
    await using silent = await startSilentReceiver(() => undefined);
    const refused = `http://127.0.0.1:${await findClosedPort()}/`;
    const alone: number[] = [];
    const hanging: number[] = [];
    const refusing: number[] = [];
    await this.#completions.run(COMPLETIONS);
    for (let round = 0; round < rounds; round += 1) {
      alone.push(...(await this.#completions.run(COMPLETIONS)));
      hanging.push(...(await this.#runInTrouble(`${silent.url}/`)));
      alone.push(...(await this.#completions.run(COMPLETIONS)));
      refusing.push(...(await this.#runInTrouble(refused)));
    }
    assert.ok(silent.connections >= rounds, "the one that hangs was called");
    return { alone: summarize(alone), hanging: summarize(hanging), refusing: summarize(refusing) };
  }

  /** Measures the first completion, and some that follow, after each of some fillings, which add up. */
  async fill(count: number): Promise<Filled[]> {
    const company_id = await this.#idOf(TROUBLED);
    const endpoint_id = (await this.#makeWebhook(`http://127.0.0.1:${await findClosedPort()}/`)).id;
    const own = await this.#ask("school", "GET", { path: "/api/v2/webhooks" });
    const school = { company_id: await this.#idOf(SCHOOL), endpoint_id: own.data[0].id };
    const found = [await this.#measure("nothing more")];
    await fillLater(this.#client, { company_id, endpoint_id, count });
    found.push(await this.#measure(`${count} deliveries of another company`));
    await fillLater(this.#client, { ...school, count });
    found.push(await this.#measure(`and ${count} of the same webhook`));
    await fillJobs(this.#client, { task: "collect_files", count, dueIn: "2 hours" });
    found.push(await this.#measure(`and ${count} jobs that are due later`));
    await fillJobs(this.#client, { task: "of_another_version", count, dueIn: "-1 hours" });
    found.push(await this.#measure(`and ${count} jobs that are due and nobody takes`));
    return found;
  }

  async #measure(what: string): Promise<Filled> {
    await sleep(REST_MS);
    const [firstMs = Infinity] = await this.#completions.run(1);
    return { what, firstMs, others: summarize(await this.#completions.run(COMPLETIONS_WHEN_FILLED)) };
  }

  /** Measures while very much waits for a new webhook of the other company, whose receiver is dead. */
  async #runInTrouble(url: string): Promise<number[]> {
    const { id } = await this.#makeWebhook(url, { enabled: false });
    const path = `/api/v2/webhooks/${id}`;
    const company_id = await this.#idOf(TROUBLED);
    await fillDue(this.#client, { company_id, endpoint_id: id, count: BACKLOG });
    await this.#ask("troubled", "PATCH", { path, body: { enabled: true } });
    const delays = await this.#completions.run(COMPLETIONS);
    const { rows } = await this.#client.query<{ waiting: string; tried: string }>(
      `select count(*) filter (where status = 'waiting') as waiting, count(*) filter (where due_at > now()) as tried
       from webhook_deliveries where company_id = $1 and endpoint_id = $2`,
      [company_id, id],
    );
    assert.equal(Number(rows[0]?.waiting), BACKLOG, "all of it waited all the while");
    assert.ok(Number(rows[0]?.tried) > 0, "the dead receiver is tried");
    await this.#ask("troubled", "PATCH", { path, body: { enabled: false } });
    await sleep(REST_MS);
    await this.#ask("troubled", "DELETE", { path });
    await sleep(REST_MS);
    return delays;
  }

  async #makeWebhook(url: string, given: { readonly enabled?: boolean } = {}): Promise<{ id: number }> {
    const body = { url, types: ["lesson.completed"], ...given };
    return this.#ask("troubled", "POST", { path: "/api/v2/webhooks", body });
  }

  async #idOf(subdomain: string): Promise<number> {
    const { rows } = await this.#client.query<{ company_id: string }>(
      "select company_id from companies where subdomain = $1",
      [subdomain],
    );
    return Number(rows[0]?.company_id);
  }

  async #ask(
    who: "school" | "troubled",
    method: "GET" | "POST" | "PATCH" | "DELETE",
    { path, body }: { readonly path: string; readonly body?: object },
  ): Promise<Answer["body"]> {
    const answer = await this.#server.request(path, { authorization: this.#keys[who], method, body });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}
