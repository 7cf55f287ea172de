import pg from "pg";
import { isAwaited } from "./lock-waits.ts";
import { until } from "./patience.ts";

/** Locks what every write locks first, so that writes wait until the locks are released. */
export class HeldWrites implements AsyncDisposable {
  readonly #holder: pg.Client;
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
    await until(`${writes} writes that wait`, () => isAwaited(this.#watcher, writes));
  }

  async release(): Promise<void> {
    await this.#holder.query("rollback");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#holder.end(), this.#watcher.end()]);
  }
}
