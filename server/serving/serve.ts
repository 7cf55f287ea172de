import pino from "pino";
import type { Config } from "../config.ts";
import { Nudges } from "../events/nudges.ts";
import { openDepot } from "../files/depot.ts";
import { OperatorError } from "../operator-error.ts";
import { type App, buildApp } from "../http/app.ts";
import { postgresWindows, RateLimiter, type WindowStore } from "../http/limits.ts";
import { Metrics } from "../http/metrics.ts";
import { Outgoing } from "../webhooks/outgoing.ts";
import { connect, connectLoose } from "./database.ts";
import { Maintenance } from "./maintenance.ts";
import { outgoingPolicy } from "./outgoing-policy.ts";
import { addressOf, publicUrlOf } from "./public-url.ts";
import { openSecrets } from "./secrets.ts";
import { openTransport } from "./transport.ts";

/** How long requests under way may take to end once the service stops. */
const STOP_TIMEOUT_MS = 25_000;
const CLOSE_IDLE_EVERY_MS = 50;
/** Log lines are written together: a write for each request costs a twentieth of its time. */
const LOG_BUFFER_BYTES = 3_072;
/** Several processes may write to one pipe, which keeps a text in one piece up to this size. */
const LOG_WRITE_BYTES = 4_096;
const LOG_FLUSH_EVERY_MS = 1_000;

export interface ServeOptions {
  readonly config: Config;
  readonly servingUrl: string;
  /** Gives the metrics of all processes, from those of this one. */
  readonly metrics: (own: () => Promise<string>) => Promise<string>;
}

/** A listening server. Disposing it finishes the requests under way, then closes the connections. */
export interface RunningServer extends AsyncDisposable {
  readonly address: string;
  readonly metrics: Metrics;
}

/** Starts the HTTP service of this process. @throws OperatorError when it can't listen. */
export async function startServer({
  config,
  servingUrl,
  metrics: gather,
}: ServeOptions): Promise<RunningServer> {
  const tls = await openTransport(config);
  await using stack = new AsyncDisposableStack();
  const stream = openLog();
  stack.defer(() => stream.flushSync());
  const loose = stack.use(await connectLoose(config, { servingUrl }));
  const { onEvents } = stack.use(new Nudges(loose));
  const database = stack.use(await connect(config, { servingUrl, onEvents }));
  const windows =
    config.redisUrl === undefined ? postgresWindows(loose) : stack.use(await openRedis(config.redisUrl));
  const maintenance = stack.use(new Maintenance(loose));
  await maintenance.look();
  const metrics = new Metrics(database);
  const secrets = await openSecrets(config);
  const files = stack.use(await openDepot(config, secrets));
  const policy = outgoingPolicy({ ...config, publicUrl: publicUrlOf(config) });
  let { port } = config;
  const { app } = await buildApp({
    database,
    limiter: new RateLimiter(windows),
    maintenance,
    // Read when a key is looked up: a port that the system chose is known only then.
    get publicUrl() {
      return publicUrlOf({ ...config, port });
    },
    secrets,
    files,
    policy,
    outgoing: stack.use(new Outgoing(policy)),
    trustedProxies: config.trustedProxies,
    allowPlainHttp: config.allowPlainHttp,
    corsOrigins: config.corsOrigins,
    logger: { level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime, stream },
    metrics,
    health: { metricsPublic: config.metricsPublic, metrics: () => gather(() => metrics.registry.metrics()) },
    ...(tls && { tls }),
  });
  stack.defer(() => close(app));
  port = await listen(app, config);
  const owned = stack.move();
  const address = addressOf({ ...config, port });
  return { address, metrics, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Loads the client only where it is needed. */
async function openRedis(url: string): Promise<WindowStore> {
  const { redisWindows } = await import("../http/redis-windows.ts");
  return redisWindows(url);
}

function openLog() {
  return pino.destination({
    sync: false,
    minLength: LOG_BUFFER_BYTES,
    maxWrite: LOG_WRITE_BYTES,
    periodicFlush: LOG_FLUSH_EVERY_MS,
  });
}

/** @returns the port, which the system chooses where 0 is configured. */
async function listen(app: App, { host, port }: Config): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const reason = whyNotListening(error, { host, port });
    throw reason === undefined ? error : new OperatorError(reason, { cause: error });
  }
  const address = app.server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

function whyNotListening(error: unknown, { host, port }: Pick<Config, "host" | "port">): string | undefined {
  switch (error instanceof Error && "code" in error && error.code) {
    case "EADDRINUSE":
      return `PORT=${port} of ${host} is in use by another program. Stop it, or set PORT to another port.`;
    case "EACCES":
      return `PORT=${port} needs privileges that this user lacks. Set PORT to one above 1023.`;
    case "EADDRNOTAVAIL":
      return `HOST=${host} is no address of this machine.`;
    default:
      return undefined;
  }
}

async function close(app: App): Promise<void> {
  // A client keeps its connection after the answer that it waited for; closing looks only once for such.
  const idle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const late = setTimeout(() => app.server.closeAllConnections(), STOP_TIMEOUT_MS);
  await app.close();
  clearInterval(idle);
  clearTimeout(late);
}
