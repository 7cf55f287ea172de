import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** Locks what every write locks first, so that writes wait until the locks are released. */
export class HeldWrites implements AsyncDisposable {
  readonly #holder: pg.Client;
  /** What others wait for is told anew only outside of a transaction. */
  readonly #watcher: pg.Client;

  private constructor(connection: string | pg.ClientConfig) {
    this.#holder = new pg.Client(connection);
    this.#watcher = new pg.Client(connection);
    // The database may be stopped before this is disposed.
    for (const client of [this.#holder, this.#watcher]) client.on("error", () => undefined);
  }

  static async hold(connection: string | pg.ClientConfig): Promise<HeldWrites> {
    const held = new HeldWrites(connection);
    await Promise.all([held.#holder.connect(), held.#watcher.connect()]);
    await held.#holder.query("begin; select from counters for update");
    return held;
  }

  /** Resolves when so many writes wait. */
  async areWaitedFor(writes: number): Promise<void> {
    for (;;) {
      const { rowCount } = await this.#watcher.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      if (rowCount !== null && rowCount >= writes) return;
      await sleep(5);
    }
  }

  async release(): Promise<void> {
    await this.#holder.query("rollback");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#holder.end(), this.#watcher.end()]);
  }
}
