import { join } from "node:path";
import { type Config, SENDER_OF_NOBODY } from "../config.ts";
import { Nudges } from "../events/nudges.ts";
import type { Depot } from "../files/depot.ts";
import { runJobs } from "../jobs/jobs.ts";
import { makeTransport } from "../mail/transport/transport.ts";
import type { Secrets } from "../secrets.ts";
import { Deliverer } from "../webhooks/deliverer.ts";
import { Outgoing } from "../webhooks/outgoing.ts";
import { isSealedUnderAnotherKey } from "../webhooks/sealed.ts";
import { say } from "./command.ts";
import { type Addresses, assertOwnSessions, connectForJobs, connectLoose } from "./database.ts";
import { outgoingPolicy } from "./outgoing-policy.ts";
import { publicUrlOf } from "./public-url.ts";

const OTHER_KEY =
  "SECRET_KEY, or secret.key in DATA_DIR, is not the one that this database was used with. Webhooks wait until " +
  "it is back, or until each of them, and single sign-on, is given its secrets anew.";

interface Ground {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly files: Depot;
  readonly secrets: Secrets;
}

/** Starts the jobs of this process. Disposing it finishes those under way, then closes the connections. */
export async function startJobs({ config, addresses, files, secrets }: Ground): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  await assertOwnSessions(config, addresses);
  const { onEvents } = stack.use(new Nudges(stack.use(await connectLoose(config, addresses))));
  const { long, events } = stack.use(await connectForJobs(config, { ...addresses, onEvents }));
  // A database that is away for a moment is waited for by the jobs themselves.
  if (await isSealedUnderAnotherKey(events, secrets).catch(() => false)) say(OTHER_KEY);
  const outgoing = stack.use(new Outgoing(outgoingPolicy(config)));
  const deliverer = stack.use(new Deliverer({ database: events, secrets, outgoing, log: say }));
  const publicUrl = publicUrlOf(config);
  const jobs = await runJobs({
    ownerUrl: addresses.ownerUrl,
    database: long,
    eventsDatabase: events,
    files,
    deliverer,
    mails: openMails(stack, { config, secrets, publicUrl }),
    publicUrl,
    eventsKeptDays: config.eventsKeptDays,
    log: say,
  });
  stack.use(jobs);
  return stack.move();
}

function openMails(
  stack: AsyncDisposableStack,
  { config, secrets, publicUrl }: Pick<Ground, "config" | "secrets"> & { readonly publicUrl: string },
) {
  const { smtpUrl, dataDir, mailFrom: from, mailPerSecond: perSecond, mailDueSoonDays: dueSoonDays } = config;
  const transport = stack.use(makeTransport({ smtpUrl, folder: join(dataDir, "mail") }));
  if (smtpUrl !== undefined && from === SENDER_OF_NOBODY)
    say(`Mails come from ${from}, which few servers take: set MAIL_FROM, or a PUBLIC_URL with a public name`);
  return { transport, options: { secrets, publicUrl, from, perSecond, dueSoonDays, clock, log: say } };
}

function clock(): Date {
  return new Date();
}
