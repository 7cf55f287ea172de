import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { AggregatorRegistry } from "prom-client";
import { type Config, readConfig } from "../config.ts";
import { OperatorError } from "../operator-error.ts";
import { type RunningServer, startServer } from "./serve.ts";

/** A worker that dies is replaced, but not faster than this. */
const RESTART_PAUSE_MS = 500;
/** What a worker says to its parent. */
const ASK_FOR_METRICS = "metrics?";
const LISTENING = "listening:";
const FAILED = "failed:";

/** Made in every process: parents ask through it, and workers answer. */
const allMetrics = new AggregatorRegistry();

/** Several processes on one port. Disposing it finishes the requests under way in all of them. */
export interface RunningWorkers extends AsyncDisposable {
  readonly address: string;
}

/**
 * Starts the service in as many processes as are configured; this one only watches over them.
 * @throws OperatorError with the reason of the first that can't start.
 */
export async function startWorkers(
  config: Config,
  servingUrl: string,
  log: (line: string) => void,
): Promise<RunningWorkers> {
  const fork = (): Promise<string> => {
    const worker = cluster.fork({ DATABASE_URL: servingUrl, DATABASE_OWNER_URL: "" });
    worker.on("message", (message: unknown) => {
      if (message === ASK_FOR_METRICS) void sendMetrics(worker);
    });
    return becomesListening(worker);
  };
  let isStopping = false;
  const stopAll = async (): Promise<void> => {
    isStopping = true;
    await Promise.all(Object.values(cluster.workers ?? {}).map(stop));
  };
  cluster.on("exit", ({ process: { pid } }, code, signal) => {
    if (isStopping) return;
    log(`Worker ${pid} ended (${signal ?? code}); another is started.`);
    void sleep(RESTART_PAUSE_MS).then(async () => {
      if (!isStopping) await fork().catch((error: unknown) => log(String(error)));
    });
  });
  try {
    const [address = ""] = await Promise.all(Array.from({ length: config.workers }, fork));
    return { address, [Symbol.asyncDispose]: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** What a worker process runs, until its parent tells it to stop. */
export async function runWorker(): Promise<void> {
  // Ctrl-C reaches every process of the terminal: the parent says when to stop.
  process.on("SIGINT", () => undefined);
  const stopped = once(process, "SIGTERM");
  let server: RunningServer;
  try {
    const config = readConfig();
    server = await startServer({
      config,
      servingUrl: config.databaseUrl ?? "",
      metrics: askParentForMetrics,
    });
  } catch (error) {
    process.send?.(`${FAILED}${error instanceof OperatorError ? error.message : String(error)}`);
    process.exitCode = 1;
    process.disconnect();
    return;
  }
  AggregatorRegistry.setRegistries([server.metrics.registry]);
  process.send?.(`${LISTENING}${server.address}`);
  await Promise.race([stopped, once(process, "disconnect")]);
  await server[Symbol.asyncDispose]();
  process.exit(0);
}

/** @returns the address. @throws OperatorError when the worker says that it can't start, or ends. */
function becomesListening(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.on("message", (message: unknown) => {
      if (typeof message !== "string") return;
      if (message.startsWith(LISTENING)) resolve(message.slice(LISTENING.length));
      if (message.startsWith(FAILED)) reject(new OperatorError(message.slice(FAILED.length)));
    });
    worker.once("exit", () => reject(new OperatorError("A worker process ended before it listened.")));
  });
}

async function stop(worker: Worker | undefined): Promise<void> {
  if (worker === undefined || worker.isDead()) return;
  const exited = once(worker, "exit");
  worker.process.kill("SIGTERM");
  await exited;
}

async function sendMetrics(worker: Worker): Promise<void> {
  const text = await allMetrics.clusterMetrics().catch((error: unknown) => `# ${String(error)}\n`);
  if (worker.isConnected()) worker.send({ metrics: text });
}

async function askParentForMetrics(): Promise<string> {
  process.send?.(ASK_FOR_METRICS);
  for (;;) {
    const [message]: unknown[] = await once(process, "message");
    if (typeof message === "object" && message !== null && "metrics" in message)
      return String(message.metrics);
  }
}
