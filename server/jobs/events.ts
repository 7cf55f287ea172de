import { tellOverdue } from "../assignments/overdue.ts";
import { tellExpired } from "../certificates/expired.ts";
import type { Database } from "../db/db.ts";
import { followEvents, type Following, sweepEvents } from "../events/follow.ts";
import { FOLLOW_TASK } from "../events/nudges.ts";
import { oneAtATime } from "../events/one-at-a-time.ts";
import { followForMails } from "../mail/follow.ts";
import { planReminders } from "../mail/ladder.ts";
import type { MailOptions } from "../mail/options.ts";
import type { MailTransport } from "../mail/transport/outcome.ts";
import { sendMails } from "../mail/send.ts";
import { MAIL_TASK, wakeMailer } from "../mail/wake.ts";
import { planWeekly } from "../mail/weekly.ts";
import type { Deliverer } from "../webhooks/deliverer.ts";
import { readCompanyId } from "./payload.ts";
import { keepRunning } from "./runner.ts";

/** Jobs about events that run at once, beside the others: bulk work never keeps a webhook waiting. */
const CONCURRENCY = 4;
/** Finds events that no nudge told of, and deliveries that are due or that a killed process has left. */
const SWEEP_TASK = "sweep_events";

export interface EventJobs {
  readonly ownerUrl: string;
  readonly database: Database;
  readonly deliverer: Deliverer;
  readonly mails: { readonly transport: MailTransport; readonly options: MailOptions };
  readonly publicUrl: string;
  readonly log: (line: string) => void;
}

/** Runs what follows events: webhooks, mails, and what becomes an event by the passing of time. */
export function runEventJobs({
  database,
  deliverer,
  mails,
  publicUrl,
  ...options
}: EventJobs): Promise<AsyncDisposable> {
  const followers: Following["followers"] = [
    oneAtATime((company) => deliverer.follow(company)),
    oneAtATime(async (company) => {
      if ((await followForMails(database, company, mails.options)) > 0) await database.global(wakeMailer);
    }),
  ];
  const following = { database, publicUrl, followers };
  const sweep = unlessRunning((signal?: AbortSignal) => sweepEvents(following, signal));
  return keepRunning({
    ...options,
    concurrency: CONCURRENCY,
    tasks: () => ({
      [FOLLOW_TASK]: (payload) => followEvents(following, readCompanyId(payload)),
      [SWEEP_TASK]: (_payload, { abortSignal }) => sweep(abortSignal),
      [MAIL_TASK]: (_payload, { abortSignal: signal }) =>
        sendMails(database, mails.transport, { ...mails.options, ...(signal && { signal }) }),
      plan_mails: async () => {
        await planReminders(database, mails.options);
        await planWeekly(database, mails.options);
      },
      tell_overdue: async () => void (await tellOverdue(database, new Date(), publicUrl)),
      tell_expired: async () => void (await tellExpired(database, new Date(), publicUrl)),
    }),
    crontab: [
      `* * * * * ${MAIL_TASK} ?jobKey=${MAIL_TASK}`,
      "13 * * * * plan_mails ?fill=1h&jobKey=plan_mails",
      "*/5 * * * * tell_overdue ?jobKey=tell_overdue",
      "3,8,13,18,23,28,33,38,43,48,53,58 * * * * tell_expired ?jobKey=tell_expired",
    ],
    first: SWEEP_TASK,
  });
}

/** A sweep that takes longer than the time to the next one must not take that one's place among the jobs as well. */
function unlessRunning<A>(run: (arg: A) => Promise<void>): (arg: A) => Promise<void> {
  let isRunning = false;
  return async (arg) => {
    if (isRunning) return;
    isRunning = true;
    try {
      await run(arg);
    } finally {
      isRunning = false;
    }
  };
}
