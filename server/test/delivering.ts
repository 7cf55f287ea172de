import { commandActor } from "../companies/create.ts";
import type { NewEvent } from "../events/changes.ts";
import { Deliverer } from "../webhooks/deliverer.ts";
import { Outgoing, type OutgoingOptions } from "../webhooks/outgoing.ts";
import { PATIENCE_MS } from "./patience.ts";
import type { Received } from "./receiver.ts";
import { type Client, startServer, TEST_POLICY, type TestServer } from "./server.ts";

type Lectern = Pick<TestServer, "database" | "secrets">;

/** A worker that sends webhooks, on a test's server. It works only when it is told to, or by its own timers. */
export class Delivering implements AsyncDisposable {
  readonly deliverer: Deliverer;
  readonly log: string[] = [];
  readonly #outgoing: Outgoing;

  constructor(
    { database, secrets }: Lectern,
    { clock, ...limits }: OutgoingOptions & { readonly clock?: () => Date } = {},
  ) {
    // What hangs in a test is told to end: nothing else is to end with the time that it has.
    this.#outgoing = new Outgoing(TEST_POLICY, { limitMs: PATIENCE_MS, ...limits });
    this.deliverer = new Deliverer({
      ...{ database, secrets, outgoing: this.#outgoing, random: () => 0.5, pauseOfDeadMs: 0 },
      log: (line) => this.log.push(line),
      ...(clock && { clock }),
    });
  }

  /** What a sweep does for a company, until nothing is under way. */
  async sweep({ company }: Pick<Client, "company">): Promise<void> {
    await this.deliverer.follow(company);
    await this.deliverer.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.deliverer[Symbol.asyncDispose]();
    await this.#outgoing[Symbol.asyncDispose]();
  }
}

/** Commits events as some write would. */
export async function commit(
  { database }: Pick<Lectern, "database">,
  { company }: Pick<Client, "company">,
  events: readonly Pick<NewEvent, "type" | "data">[],
): Promise<void> {
  await database.write(company, commandActor, async (tx) =>
    tx.changes.add(...events.map((event) => ({ resource_id: null, user_id: null, ...event }))),
  );
}

/** The `webhook-id` of each request, in the order of arrival. */
export function idsOf(received: readonly Received[]): (string | undefined)[] {
  return received.map(({ headers }) => headers["webhook-id"]?.toString());
}

/** Makes an endpoint that wants all events. @returns its id */
export async function makeWebhook(client: Client, url: string): Promise<number> {
  const { body } = await client.post("/api/v2/webhooks", { url, types: ["*"] });
  return body.id;
}

/** A service whose time a test moves on, and a worker in it. Takes limits of what the worker sends. */
export async function startInTime(limits: OutgoingOptions = {}) {
  const time = { ms: Date.now() };
  const clock = () => new Date(time.ms);
  const lectern = await startServer({ clock });
  const worker = new Delivering(lectern, { ...limits, clock });
  return {
    ...{ lectern, worker, time, acme: lectern.acme },
    [Symbol.asyncDispose]: async () => {
      await worker[Symbol.asyncDispose]();
      await lectern[Symbol.asyncDispose]();
    },
  };
}
