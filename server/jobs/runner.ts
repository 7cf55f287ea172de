import { setTimeout as sleep } from "node:timers/promises";
import { Logger, run, type Runner, type TaskList } from "graphile-worker";
import pg from "pg";

/** A runner that the database has left is replaced, but not faster than this. */
const RESTART_PAUSE_MS = 1_000;
/** One connection that listens, and one to add and to end jobs with. */
const CONNECTIONS_BESIDE_JOBS = 2;

/**
 * Jobs that have ended are released together, if several end in one moment. graphile-worker waits for that, where it would
 * not for one that is released alone: a database that goes away just then would end the process.
 */
const RELEASE_TOGETHER = { completeJobBatchDelay: 0, failJobBatchDelay: 0 } as const;

export interface RunnerOptions {
  /** graphile-worker keeps its own tables, which the serving role does not own. */
  readonly ownerUrl: string;
  /** Jobs that run at once. */
  readonly concurrency: number;
  /** The tasks of this runner; others it leaves alone. */
  readonly tasks: (owner: pg.Pool) => TaskList;
  readonly crontab: readonly string[];
  /** The task that is due at each start. */
  readonly first: string;
  readonly log: (line: string) => void;
}

/** Runs jobs until it is disposed: then it finishes those under way. */
export async function keepRunning(options: RunnerOptions): Promise<AsyncDisposable> {
  let runner = await start(options);
  const stopping = new AbortController();
  const keep = async (): Promise<void> => {
    for (;;) {
      // It ends by itself when the database goes away for longer than it waits.
      await runner.promise.catch(() => undefined);
      if (stopping.signal.aborted) return;
      runner = await startAgain(options, stopping.signal);
    }
  };
  const ended = keep().catch(() => undefined);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      // One that is ending already refuses to be stopped.
      await runner.stop().catch(() => undefined);
      await ended;
    },
  };
}

async function startAgain(options: RunnerOptions, signal: AbortSignal): Promise<Runner> {
  for (;;) {
    await sleep(RESTART_PAUSE_MS, undefined, { signal });
    try {
      return await start(options);
    } catch (error) {
      options.log(`The jobs can't be started again yet: ${String(error)}`);
    }
  }
}

async function start({ ownerUrl, concurrency, tasks, crontab, first, log }: RunnerOptions): Promise<Runner> {
  const pgPool = new pg.Pool({ connectionString: ownerUrl, max: concurrency + CONNECTIONS_BESIDE_JOBS });
  // Ours and not the runner's own, which listens no more while it ends: a database that ends first would end the process.
  pgPool.on("error", () => undefined);
  pgPool.on("connect", (client) => client.on("error", () => undefined));
  const runner = await run({
    pgPool,
    concurrency,
    noHandleSignals: true,
    preset: { worker: RELEASE_TOGETHER },
    taskList: tasks(pgPool),
    crontab: [...crontab, `* * * * * ${first} ?jobKey=${first}`].join("\n"),
    logger: new Logger(() => (level, message) => {
      if (level === "error" || level === "warning") log(message);
    }),
  });
  void runner.promise.catch(() => undefined).then(() => pgPool.end());
  await runner.addJob(first, {}, { jobKey: first });
  return runner;
}
