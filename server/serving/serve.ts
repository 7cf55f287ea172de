import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { type Config, OperatorError } from "../config.ts";
import { type App, buildApp } from "../http/app.ts";
import { isLoopback } from "../http/door.ts";
import { postgresWindows, RateLimiter, redisWindows } from "../http/limits.ts";
import { Metrics } from "../http/metrics.ts";
import { connect, connectLoose } from "./database.ts";
import { Maintenance } from "./maintenance.ts";

/** How long requests under way may take to end once the service stops. */
const STOP_TIMEOUT_MS = 25_000;

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

/**
 * Refuses what would send keys in the clear.
 * @throws OperatorError
 */
export function checkTransport(config: Config): void {
  const hasTls = config.tlsCertFile !== undefined;
  if (isLoopback(config.host) || hasTls || config.allowPlainHttp || config.trustedProxies.length > 0) return;
  throw new OperatorError(
    `HOST=${config.host} is open to other machines, where plain HTTP would show API keys to the network.\n` +
      "Set TLS_CERT_FILE and TLS_KEY_FILE, or TRUSTED_PROXIES to the proxy that ends TLS, or ALLOW_PLAIN_HTTP=true on a closed network.",
  );
}

/** Starts the HTTP service of this process. @throws OperatorError when it can't listen. */
export async function startServer({ config, servingUrl, metrics: gather }: ServeOptions): Promise<RunningServer> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await connect(config, { servingUrl }));
  const windows = stack.use(
    config.redisUrl === undefined
      ? postgresWindows(await connectLoose(config, { servingUrl }))
      : redisWindows(config.redisUrl),
  );
  const maintenance = stack.use(new Maintenance(database));
  await maintenance.look();
  const metrics = new Metrics(database);
  const tls = await readTls(config);
  const { app } = await buildApp({
    database,
    limiter: new RateLimiter(windows),
    maintenance,
    publicUrl: config.publicUrl ?? defaultPublicUrl(config),
    trustedProxies: config.trustedProxies,
    allowPlainHttp: config.allowPlainHttp,
    corsOrigins: config.corsOrigins,
    logger: { level: config.logLevel },
    metrics,
    health: { metricsPublic: config.metricsPublic, metrics: () => gather(() => metrics.registry.metrics()) },
    ...(tls && { tls }),
  });
  stack.defer(() => close(app));
  const address = await listen(app, config);
  const owned = stack.move();
  return { address, metrics, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function listen(app: App, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const reasons: Record<string, string> = {
      EADDRINUSE: `Port ${port} of ${host} is in use by another program. Stop it, or set PORT to another port.`,
      EACCES: `Port ${port} needs privileges that this user lacks. Set PORT to one above 1023.`,
      EADDRNOTAVAIL: `HOST=${host} is no address of this machine.`,
    };
    const reason = typeof code === "string" ? reasons[code] : undefined;
    throw reason === undefined ? error : new OperatorError(reason, { cause: error });
  }
}

async function close(app: App): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), STOP_TIMEOUT_MS);
  await app.close();
  clearTimeout(late);
}

async function readTls(config: Config): Promise<{ cert: string; key: string } | undefined> {
  const { tlsCertFile, tlsKeyFile } = config;
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  try {
    return { cert: await readFile(tlsCertFile, "utf8"), key: await readFile(tlsKeyFile, "utf8") };
  } catch (error) {
    throw new OperatorError(`TLS_CERT_FILE or TLS_KEY_FILE can't be read: ${String(error)}`, { cause: error });
  }
}

/** The links' address where PUBLIC_URL is not set. */
export function defaultPublicUrl({ host, port, tlsCertFile }: Config): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  return `${tlsCertFile === undefined ? "http" : "https"}://${name}:${port}`;
}
