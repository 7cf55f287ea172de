import { setTimeout as sleep } from "node:timers/promises";
import { Logger, run, type Runner, type TaskList } from "graphile-worker";
import { sql } from "kysely";
import pg from "pg";
import { openRenewals } from "../certificates/renewals.ts";
import { BULK_TASK } from "../bulk/jobs.ts";
import { forgetBulkJobs } from "../bulk/forget.ts";
import { workBulkJobs } from "../bulk/work.ts";
import type { Database } from "../db/db.ts";
import { collectFilesOfAll } from "../files/collect.ts";
import type { Depot } from "../files/depot.ts";

/** Jobs that run at once in one process. */
const CONCURRENCY = 2;
/** One that listens, one for each job, and one to add and to end jobs with. */
const CONNECTIONS = CONCURRENCY + 2;
/** A runner that the database has left is replaced, but not faster than this. */
const RESTART_PAUSE_MS = 1_000;
/** A window of the rate limit lasts a minute; a day later nothing asks for it. */
const FORGET_WINDOWS_AFTER_MS = 86_400_000;

export interface JobOptions {
  /** graphile-worker keeps its own tables, which the serving role does not own. */
  readonly ownerUrl: string;
  readonly database: Database;
  readonly files: Depot;
  readonly log: (line: string) => void;
}

/** Runs the jobs of this process until it is disposed: then it finishes those under way. */
export async function runJobs(options: JobOptions): Promise<AsyncDisposable> {
  let runner = await startRunner(options);
  const stopping = new AbortController();
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      // It ends by itself when the database goes away for longer than it waits.
      await runner.promise.catch(() => undefined);
      if (stopping.signal.aborted) return;
      runner = await startAgain(options, stopping.signal);
    }
  };
  const ended = keepRunning().catch(() => undefined);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      // One that is ending already refuses to be stopped.
      await runner.stop().catch(() => undefined);
      await ended;
    },
  };
}

async function startAgain(options: JobOptions, signal: AbortSignal): Promise<Runner> {
  for (;;) {
    await sleep(RESTART_PAUSE_MS, undefined, { signal });
    try {
      return await startRunner(options);
    } catch (error) {
      options.log(`The jobs can't be started again yet: ${String(error)}`);
    }
  }
}

/** Finds bulk jobs that nobody woke the worker for, and those that a killed process has left. */
const SWEEP_TASK = "sweep_bulk_jobs";

async function startRunner({ ownerUrl, database, files, log }: JobOptions): Promise<Runner> {
  const taskList: TaskList = {
    [BULK_TASK]: (payload, { abortSignal: signal }) =>
      workBulkJobs(database, { signal, company_id: readCompanyId(payload) }),
    [SWEEP_TASK]: (_payload, { abortSignal: signal }) => workBulkJobs(database, { signal }),
    forget_rate_windows: () => forgetRateWindows(database),
    forget_bulk_jobs: () => forgetBulkJobs(database),
    collect_files: () => collectFilesOfAll(database, files),
    open_renewals: async () => void (await openRenewals(database, new Date())),
  };
  const pgPool = new pg.Pool({ connectionString: ownerUrl, max: CONNECTIONS });
  // Ours and not the runner's own, which listens no more while it ends: a database that ends first would end the process.
  pgPool.on("error", () => undefined);
  pgPool.on("connect", (client) => client.on("error", () => undefined));
  const runner = await run({
    pgPool,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    taskList,
    crontab: [
      "17 3 * * * forget_rate_windows",
      "27 3 * * * forget_bulk_jobs",
      "47 * * * * collect_files",
      "7 * * * * open_renewals",
      `* * * * * ${SWEEP_TASK} ?jobKey=${SWEEP_TASK}`,
    ].join("\n"),
    logger: new Logger(() => (level, message) => {
      if (level === "error" || level === "warning") log(message);
    }),
  });
  void runner.promise.catch(() => undefined).then(() => pgPool.end());
  await runner.addJob(SWEEP_TASK, {}, { jobKey: SWEEP_TASK });
  return runner;
}

function readCompanyId(payload: unknown): number {
  const id =
    typeof payload === "object" && payload !== null && "company_id" in payload ? payload.company_id : null;
  if (typeof id !== "number") throw new Error("the job names no company");
  return id;
}

async function forgetRateWindows(database: Database): Promise<void> {
  const before = Date.now() - FORGET_WINDOWS_AFTER_MS;
  await database.global((db) => sql`delete from rate_windows where started_ms < ${before}`.execute(db));
}
