import assert from "node:assert/strict";
import type { Database } from "../db/db.ts";
import { type Account, readAccount, readEvents, rebuild, type StoredEvent } from "./feed.ts";
import type { Answer, Client, TestServer } from "./server.ts";

/** Copies an account, and follows the events of its company from then on. */
export class FeedReader {
  readonly client: Client;
  readonly #database: Database;
  readonly #copy: Account;
  readonly #told: StoredEvent[] = [];
  #position: number;

  private constructor(database: Database, client: Client, from: { position: number; copy: Account }) {
    this.client = client;
    this.#database = database;
    this.#position = from.position;
    this.#copy = from.copy;
  }

  static async open({ database }: Pick<TestServer, "database">, client: Client): Promise<FeedReader> {
    const { length: position } = await readEvents(database, client.company);
    const copy = await database.read(client.company, (tx) => readAccount(tx));
    return new FeedReader(database, client, { position, copy });
  }

  /** The events since the last look. Their ids go on without a gap. */
  async next(): Promise<StoredEvent[]> {
    const events = await readEvents(this.#database, this.client.company, this.#position);
    assert.deepEqual(
      events.map(({ id }) => id),
      events.map((_, index) => this.#position + index + 1),
    );
    this.#position += events.length;
    this.#told.push(...events);
    return events;
  }

  /** Doing to the copy what the events say gives the account. */
  async check(): Promise<void> {
    await this.next();
    const account = await this.#database.read(this.client.company, (tx) => readAccount(tx));
    assert.deepEqual(rebuild(this.#told, this.#copy), account);
  }
}

/** Makes a company and follows it from then on. */
export async function openFeed(
  lectern: Pick<TestServer, "database" | "addCompany">,
  subdomain: string,
): Promise<{ client: Client; reader: FeedReader }> {
  const client = await lectern.addCompany({ subdomain });
  return { client, reader: await FeedReader.open(lectern, client) };
}

/** What events are about, in short. */
export function typesOf(events: readonly StoredEvent[]): string[] {
  return events.map(({ type, resource_id, user_id }) => `${type} ${resource_id ?? `of ${user_id}`}`);
}

/** Changes something, whatever it is by now. */
export function patch(client: Client, url: string, payload: object): Promise<Answer> {
  return client.request({ method: "PATCH", url, payload, headers: { "if-match": "*" } });
}
