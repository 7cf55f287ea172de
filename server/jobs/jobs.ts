import { sql } from "kysely";
import { openRenewals } from "../certificates/renewals.ts";
import { BULK_TASK } from "../bulk/jobs.ts";
import { forgetBulkJobs } from "../bulk/forget.ts";
import { workBulkJobs } from "../bulk/work.ts";
import type { Database } from "../db/db.ts";
import { forgetStrayEvents, keepPartitions, noteForgotten } from "../events/retention.ts";
import { collectFilesOfAll } from "../files/collect.ts";
import type { Depot } from "../files/depot.ts";
import { forgetMails } from "../mail/forget.ts";
import { forgetDeliveries } from "../webhooks/forget.ts";
import { type EventJobs, runEventJobs } from "./events.ts";
import { readCompanyId } from "./payload.ts";
import { keepRunning } from "./runner.ts";

/** Jobs that run at once in one process. */
const CONCURRENCY = 2;
/** A window of the rate limit lasts a minute; a day later nothing asks for it. */
const FORGET_WINDOWS_AFTER_MS = 86_400_000;
/** Finds bulk jobs that nobody woke the worker for, and those that a killed process has left. */
const SWEEP_TASK = "sweep_bulk_jobs";

export interface JobOptions extends Omit<EventJobs, "database"> {
  /** Connections for jobs that may take long. */
  readonly database: Database;
  /** Connections for what follows events, which no long job holds. */
  readonly eventsDatabase: Database;
  readonly files: Depot;
  readonly eventsKeptDays: number;
}

/** Runs the jobs of this process until it is disposed: then it finishes those under way. */
export async function runJobs(options: JobOptions): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  // One after the other: the first brings graphile-worker's own tables to its version.
  stack.use(await runGeneralJobs(options));
  stack.use(await runEventJobs({ ...options, database: options.eventsDatabase }));
  return stack.move();
}

function runGeneralJobs({
  database,
  files,
  eventsKeptDays: keptDays,
  ...options
}: JobOptions): Promise<AsyncDisposable> {
  return keepRunning({
    ...options,
    concurrency: CONCURRENCY,
    tasks: (owner) => ({
      [BULK_TASK]: (payload, { abortSignal: signal }) =>
        workBulkJobs(database, { signal, company_id: readCompanyId(payload) }),
      [SWEEP_TASK]: (_payload, { abortSignal: signal }) => workBulkJobs(database, { signal }),
      forget_rate_windows: () => forgetRateWindows(database),
      forget_bulk_jobs: () => forgetBulkJobs(database),
      forget_deliveries: () => forgetDeliveries(database, { now: new Date(), keptDays }),
      forget_mails: () => forgetMails(database, new Date()),
      collect_files: () => collectFilesOfAll(database, files),
      open_renewals: async () => void (await openRenewals(database, new Date(), options.publicUrl)),
      keep_partitions: async () => {
        const retention = { now: new Date(), keptDays };
        await noteForgotten(database, retention);
        await keepPartitions(owner, retention);
        await forgetStrayEvents(database, retention);
      },
    }),
    // What was due while no worker ran is made up for: many a server is off every night.
    crontab: [
      "17 3 * * * forget_rate_windows ?fill=1d",
      "27 3 * * * forget_bulk_jobs ?fill=1d",
      "37 3 * * * forget_deliveries ?fill=1d",
      "43 3 * * * forget_mails ?fill=1d",
      "57 3 * * * keep_partitions ?fill=1d",
      "47 * * * * collect_files ?fill=1h",
      "7 * * * * open_renewals ?fill=1h",
    ],
    first: SWEEP_TASK,
  });
}

async function forgetRateWindows(database: Database): Promise<void> {
  const before = Date.now() - FORGET_WINDOWS_AFTER_MS;
  await database.global((db) => sql`delete from rate_windows where started_ms < ${before}`.execute(db));
}
