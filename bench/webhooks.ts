import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { fillDue } from "../server/test/webhook-backlog.ts";
import type { BenchCompany } from "./companies.ts";
import { type Server, startBareWebhooks, startWorker } from "./servers.ts";

const TYPES = ["lesson.completed"];
/** What a burst of events is to the worker: several nudges for each company, which either process may take. */
const NUDGES = 2;
const WORKERS = 2;
const STEP_MS = 10;
const PATIENCE_MS = 60_000;

/** Where webhooks come from and go to. */
export interface Ground {
  readonly url: string;
  readonly folder: string;
  readonly ours: Server;
  readonly receiver: Server;
}

/** Sets the webhook of a company's settings to the receiver. */
export async function setCallback(
  { ours, receiver }: Pick<Ground, "ours" | "receiver">,
  company: Pick<BenchCompany, "authorization">,
): Promise<void> {
  const body = { lesson_completed_callback_url: `http://127.0.0.1:${receiver.port}/completed` };
  await ask(ours, { method: "PUT", path: "/api/v1/company_settings", company, body });
}

/** Resolves when no delivery of some companies waits. @throws when that takes too long. */
export async function untilDelivered(client: Client, companies: readonly number[]): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const { rows } = await client.query<{ is_waiting: boolean }>(
      `select exists (
         select from webhook_deliveries where company_id = any($1::bigint[]) and status = 'waiting'
       ) as is_waiting`,
      [companies],
    );
    if (rows[0]?.is_waiting === false) return;
    await sleep(STEP_MS);
  }
  throw new Error("webhooks are not delivered: see the logs of the workers");
}

interface Endpoint {
  readonly company_id: number;
  readonly endpoint_id: number;
}

/** Deliveries a second of two processes of each side: the bare loop and the service. */
export class DeliveryBench implements AsyncDisposable {
  readonly #ground: Ground;
  readonly #client: Client;
  readonly #endpoints: readonly Endpoint[];
  readonly #perEndpoint: number;

  private constructor(
    ground: Ground,
    given: {
      readonly client: Client;
      readonly endpoints: readonly Endpoint[];
      readonly perEndpoint: number;
    },
  ) {
    this.#ground = ground;
    this.#client = given.client;
    this.#endpoints = given.endpoints;
    this.#perEndpoint = given.perEndpoint;
  }

  /** Gives each of some companies a webhook. */
  static async open(
    ground: Ground,
    { companies, perEndpoint }: { readonly companies: readonly BenchCompany[]; readonly perEndpoint: number },
  ): Promise<DeliveryBench> {
    const client = new Client({ connectionString: ground.url });
    await client.connect();
    const endpoints = [];
    for (const company of companies) {
      const body = { url: `http://127.0.0.1:${ground.receiver.port}/hook`, types: TYPES };
      const { id } = await ask(ground.ours, { method: "POST", path: "/api/v2/webhooks", company, body });
      endpoints.push({ company_id: company.id, endpoint_id: id });
    }
    return new DeliveryBench(ground, { client, endpoints, perEndpoint });
  }

  /** @returns how many a second two bare processes deliver, each half of the endpoints. */
  async runBare(): Promise<number> {
    const ids = this.#endpoints.map(({ company_id }) => company_id);
    const half = Math.ceil(ids.length / 2);
    const { url, folder } = this.#ground;
    await using stack = new AsyncDisposableStack();
    for (const some of [ids.slice(0, half), ids.slice(half)]) {
      stack.use(await startBareWebhooks(url, folder, some));
    }
    return await this.#measure();
  }

  /** @returns how many a second two workers deliver. */
  async runOurs(): Promise<number> {
    const { url, folder } = this.#ground;
    await using stack = new AsyncDisposableStack();
    for (let started = 0; started < WORKERS; started += 1) stack.use(await startWorker(url, folder));
    return await this.#measure();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }

  async #measure(): Promise<number> {
    const ids = this.#endpoints.map(({ company_id }) => company_id);
    for (const table of ["webhook_attempts", "webhook_deliveries"]) {
      await this.#client.query(`delete from ${table} where company_id = any($1)`, [ids]);
    }
    await this.#client.query("begin");
    for (const endpoint of this.#endpoints) {
      await fillDue(this.#client, { ...endpoint, count: this.#perEndpoint });
    }
    await this.#client.query(
      `select count(graphile_worker.add_job('follow_events', json_build_object('company_id', id)))
       from unnest($1::bigint[]) as company (id), generate_series(1, $2)`,
      [ids, NUDGES],
    );
    // Both sides make their plans for tables that are filled.
    await this.#client.query("analyze webhook_deliveries, events");
    const started = performance.now();
    await this.#client.query("commit");
    await untilDelivered(this.#client, ids);
    const seconds = (performance.now() - started) / 1000;
    return (this.#endpoints.length * this.#perEndpoint) / seconds;
  }
}

async function ask(
  { port }: Server,
  {
    method,
    path,
    company: { authorization },
    body,
  }: { method: string; path: string; company: Pick<BenchCompany, "authorization">; body: object },
): Promise<{ id: number }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}
