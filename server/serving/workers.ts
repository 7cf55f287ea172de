import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { AggregatorRegistry } from "prom-client";
import { type Config, OperatorError, readConfig } from "../config.ts";
import { type RunningServer, startServer } from "./serve.ts";

/** A worker that dies is replaced, but not faster than this. */
const RESTART_PAUSE_MS = 500;
const ASK_FOR_METRICS = "metrics?";
const LISTENING = "listening:";
const FAILED = "failed:";

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
  const gathered = new AggregatorRegistry();
  let isStopping = false;
  const fork = (): Worker => {
    const worker = cluster.fork({ DATABASE_URL: servingUrl, DATABASE_OWNER_URL: "" });
    worker.on("message", (message: unknown) => {
      if (message !== ASK_FOR_METRICS) return;
      gathered.clusterMetrics().then(
        (text) => worker.send({ metrics: text }),
        (error: unknown) => worker.send({ metrics: `# ${String(error)}` }),
      );
    });
    return worker;
  };
  const addresses = await Promise.all(Array.from({ length: config.workers }, () => becomesListening(fork())));
  cluster.on("exit", (worker, code, signal) => {
    if (isStopping) return;
    log(`Worker ${worker.process.pid} ended (${signal ?? code}); starting another.`);
    void sleep(RESTART_PAUSE_MS).then(() => (isStopping ? undefined : fork()));
  });
  return {
    address: addresses[0] ?? "",
    async [Symbol.asyncDispose]() {
      isStopping = true;
      await Promise.all(Object.values(cluster.workers ?? {}).map(stop));
    },
  };
}

/** What a worker process runs, until its parent tells it to stop. */
export async function runWorker(): Promise<void> {
  // Ctrl-C reaches every process of the terminal: the parent says when the requests are done.
  process.on("SIGINT", () => undefined);
  const stopped = once(process, "SIGTERM");
  let server: RunningServer;
  try {
    const config = readConfig();
    server = await startServer({ config, servingUrl: config.databaseUrl ?? "", metrics: askParentForMetrics });
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

async function becomesListening(worker: Worker): Promise<string> {
  const ended = once(worker, "exit").then(() => `${FAILED}a worker process ended before it listened`);
  for (;;) {
    const [message]: unknown[] = await Promise.race([once(worker, "message"), ended.then((text) => [text])]);
    if (typeof message !== "string") continue;
    if (message.startsWith(LISTENING)) return message.slice(LISTENING.length);
    if (message.startsWith(FAILED)) throw new OperatorError(message.slice(FAILED.length));
  }
}

async function stop(worker: Worker | undefined): Promise<void> {
  if (worker === undefined || worker.isDead()) return;
  const exited = once(worker, "exit");
  worker.process.kill("SIGTERM");
  await exited;
}

async function askParentForMetrics(): Promise<string> {
  process.send?.(ASK_FOR_METRICS);
  for (;;) {
    const [message]: unknown[] = await once(process, "message");
    if (typeof message === "object" && message !== null && "metrics" in message) return String(message.metrics);
  }
}
