import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "./db.ts";

/**
 * What one process at a time does for the whole installation. It says for how long, and says so again while it goes on:
 * when it is killed another goes on after that. Two may hold it for a moment where clocks differ: it spares work and
 * keeps a pace, and is no lock.
 */
export class Lease {
  readonly #database: Database;
  readonly #name: string;
  readonly #forMs: number;
  readonly #clock: () => Date;
  readonly #holder = randomUUID();
  #renewAtMs = 0;

  constructor(
    database: Database,
    given: { readonly name: string; readonly forMs: number; readonly clock: () => Date },
  ) {
    this.#database = database;
    this.#name = given.name;
    this.#forMs = given.forMs;
    this.#clock = given.clock;
  }

  /** Takes it or keeps it. @returns false while another has it. */
  async hold(): Promise<boolean> {
    const nowMs = this.#clock().getTime();
    // Half of it may pass unsaid, so that a busy holder does not ask each time.
    if (nowMs < this.#renewAtMs) return true;
    const until = new Date(nowMs + this.#forMs).toISOString();
    const { rows } = await this.#database.global((db) =>
      sql`
        insert into leases (name, holder, until) values (${this.#name}, ${this.#holder}, ${until})
        on conflict (name) do update set holder = excluded.holder, until = excluded.until
        where leases.holder = excluded.holder or leases.until <= ${new Date(nowMs).toISOString()}
        returning name`.execute(db),
    );
    const isHeld = rows.length > 0;
    this.#renewAtMs = isHeld ? nowMs + this.#forMs / 2 : 0;
    return isHeld;
  }

  /** Gives it back, so that the next one need not wait. */
  async release(): Promise<void> {
    this.#renewAtMs = 0;
    await this.#database.global((db) =>
      db.deleteFrom("leases").where("name", "=", this.#name).where("holder", "=", this.#holder).execute(),
    );
  }
}
