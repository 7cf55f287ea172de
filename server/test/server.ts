import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { createCompany, type NewCompany } from "../companies/create.ts";
import { type Company, findCompanyBySubdomain } from "../companies/companies.ts";
import { Database, type DatabaseOptions } from "../db/db.ts";
import type { Depot } from "../files/depot.ts";
import { FolderStore } from "../files/folder-store.ts";
import { type App, buildApp, type TimeLimits } from "../http/app.ts";
import { postgresWindows, RateLimiter } from "../http/limits.ts";
import { Metrics } from "../http/metrics.ts";
import type { RouteTable } from "../http/route-table.ts";
import { Secrets } from "../secrets.ts";
import { hashPassword } from "../users/passwords.ts";
import type { OutgoingPolicy } from "../webhooks/address.ts";
import { Outgoing } from "../webhooks/outgoing.ts";
import { createTestDatabase } from "./database.ts";
import { Maker } from "./make.ts";
import { PATIENCE_MS } from "./patience.ts";

export const PUBLIC_URL = "https://lectern.test";
export const TEST_SECRET = "a secret of nobody";
/** Webhooks of tests go to receivers on this machine. */
export const TEST_POLICY: OutgoingPolicy = { allowsHttp: true, allowedNetworks: ["127.0.0.0/8", "::1/128"] };

/** What a test may set that a server has otherwise. */
export interface TestOptions {
  readonly clock?: () => Date;
  readonly corsOrigins?: readonly string[];
  readonly allowPlainHttp?: boolean;
  readonly trustedProxies?: readonly string[];
  readonly pooling?: "session" | "transaction";
  readonly statementTimeoutMs?: number;
  readonly acquireTimeoutMs?: number;
  readonly timeLimits?: TimeLimits;
  readonly files?: Partial<Depot>;
  readonly policy?: OutgoingPolicy;
  readonly onEvents?: DatabaseOptions["onEvents"];
}

/** The whole service on a database of its own, with two companies: "acme" and "globex". */
export interface TestServer extends AsyncDisposable {
  readonly app: App;
  readonly routeTable: RouteTable;
  readonly database: Database;
  readonly ownerUrl: string;
  readonly maintenance: { isOn: boolean };
  readonly files: Depot;
  readonly secrets: Secrets;
  readonly make: Maker;
  readonly acme: Client;
  readonly globex: Client;
  addCompany(given: Partial<NewCompany> & { subdomain: string }): Promise<Client>;
}

export async function startServer(options: TestOptions = {}): Promise<TestServer> {
  await using stack = new AsyncDisposableStack();
  const { ownerUrl, role } = stack.use(await createTestDatabase());
  const clock = options.clock ?? (() => new Date());
  const { pooling = "session", statementTimeoutMs = 30_000, acquireTimeoutMs = PATIENCE_MS } = options;
  const shared = { url: ownerUrl, pooling, role, statementTimeoutMs, acquireTimeoutMs, clock } as const;
  const { onEvents, policy = TEST_POLICY } = options;
  const database = stack.use(new Database({ ...shared, connections: 5, ...(onEvents && { onEvents }) }));
  const windows = stack.use(new Database({ ...shared, connections: 1, synchronousCommit: "off" }));
  const maintenance = { isOn: false };
  const metrics = new Metrics(database);
  const secrets = new Secrets(TEST_SECRET);
  const files = { ...aDepot(stack, secrets), ...options.files };
  const { app, routeTable } = await buildApp({
    database,
    limiter: new RateLimiter(postgresWindows(windows)),
    maintenance,
    publicUrl: PUBLIC_URL,
    trustedProxies: options.trustedProxies ?? [],
    secrets,
    files,
    policy,
    outgoing: stack.use(new Outgoing(policy)),
    allowPlainHttp: options.allowPlainHttp ?? true,
    corsOrigins: options.corsOrigins ?? [],
    logger: false,
    ...(options.timeLimits && { timeLimits: options.timeLimits }),
    metrics,
    health: { metricsPublic: false, metrics: () => metrics.registry.metrics() },
  });
  stack.defer(() => app.close());
  await app.ready();
  const addCompany: TestServer["addCompany"] = async (given) => {
    const { api_key } = await createCompany(database, { ...aCompany, name: given.subdomain, ...given });
    const company = await findCompanyBySubdomain(database, given.subdomain, PUBLIC_URL);
    if (company === undefined) throw new Error("the company was not made");
    return new Client(app, company, api_key);
  };
  const acme = await addCompany({ subdomain: "acme" });
  const globex = await addCompany({ subdomain: "globex" });
  const started = stack.move();
  return {
    ...{ app, routeTable, database, ownerUrl, maintenance, files, secrets, acme, globex, addCompany },
    make: new Maker(database),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Files in a folder of the test's own, which is made with the first file. */
function aDepot(stack: AsyncDisposableStack, secrets: Secrets): Depot {
  const folder = join(tmpdir(), `lectern-test-${randomBytes(8).toString("hex")}`);
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  return {
    store: new FolderStore(folder),
    secrets,
    clamdAddress: undefined,
    mostFileBytes: 1_073_741_824,
    quotaBytes: 10_737_418_240,
    [Symbol.dispose]: () => undefined,
  };
}

const aCompany = {
  time_zone: "UTC",
  requests_per_minute: 1_000_000,
  has_api: true,
  has_learning_library: true,
  // Dear to hash, so it is hashed once for all that a process makes.
  admin: {
    name: "Ada Admin",
    email: "ada@example.com",
    password_hash: await hashPassword("correct horse battery"),
  },
} as const;

/** An answer as a client sees it. The body is whatever JSON says, so that tests compare it whole. */
export interface Answer {
  readonly status: number;
  readonly body: ReturnType<typeof JSON.parse>;
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>;
}

/** Calls the API with a company's key. */
export class Client {
  readonly company: Company;
  readonly key: string;
  readonly #app: App;

  constructor(app: App, company: Company, key: string) {
    this.#app = app;
    this.company = company;
    this.key = key;
  }

  get authorization(): string {
    return `Basic ${Buffer.from(`${this.company.subdomain}:${this.key}`).toString("base64")}`;
  }

  get(url: string): Promise<Answer> {
    return this.request({ method: "GET", url });
  }

  post(url: string, body?: object): Promise<Answer> {
    return this.request({ method: "POST", url, ...(body && { payload: body }) });
  }

  put(url: string, body?: object): Promise<Answer> {
    return this.request({ method: "PUT", url, ...(body && { payload: body }) });
  }

  delete(url: string): Promise<Answer> {
    return this.request({ method: "DELETE", url });
  }

  /** Any request; the company's Authorization is set unless the headers say otherwise. */
  async request(options: InjectOptions): Promise<Answer> {
    const headers = { authorization: this.authorization, ...options.headers };
    const answer = await this.#app.inject({ ...options, headers });
    return toAnswer(answer);
  }
}

/** What a client makes of a response. A body that is no JSON stays text. */
export function toAnswer({ statusCode, body, headers }: LightMyRequestResponse): Answer {
  const isJson = /[/+]json/.test(headers["content-type"] ?? "");
  const read: unknown = body !== "" && isJson ? JSON.parse(body) : body || undefined;
  return { status: statusCode, body: read, headers };
}
