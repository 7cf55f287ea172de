import { Logger, run, type TaskList } from "graphile-worker";
import { sql } from "kysely";
import type { Database } from "../db/db.ts";

/** Jobs that run at once in one process. */
const CONCURRENCY = 2;
/** A window of the rate limit lasts a minute; a day later nothing asks for it. */
const FORGET_WINDOWS_AFTER_MS = 86_400_000;

export interface JobOptions {
  /** graphile-worker keeps its own tables, which the serving role does not own. */
  readonly ownerUrl: string;
  readonly database: Database;
  readonly log: (line: string) => void;
}

/** Runs the jobs of this process until it is disposed: then it finishes those under way. */
export async function runJobs({ ownerUrl, database, log }: JobOptions): Promise<AsyncDisposable> {
  const tasks: TaskList = {
    forget_rate_windows: () => forgetRateWindows(database),
  };
  const runner = await run({
    connectionString: ownerUrl,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    taskList: tasks,
    crontab: "17 3 * * * forget_rate_windows",
    logger: new Logger(() => (level, message) => {
      if (level === "error" || level === "warning") log(message);
    }),
  });
  return { [Symbol.asyncDispose]: () => runner.stop() };
}

async function forgetRateWindows(database: Database): Promise<void> {
  const before = Date.now() - FORGET_WINDOWS_AFTER_MS;
  await database.global((db) => sql`delete from rate_windows where started_ms < ${before}`.execute(db));
}
