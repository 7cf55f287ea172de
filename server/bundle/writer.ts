import { sql } from "kysely";
import pg from "pg";
import type { WriteTx } from "../db/db.ts";
import { type Batch, firstOf } from "./rows.ts";
import { wrong } from "./wrong.ts";

/** Rows that are sent at once. */
const BATCH_ROWS = 2_000;

/**
 * Writes rows in batches, while the caller goes on to read. A batch is sent unchecked: that each of its references
 * exists and that nothing is there twice is for the database's constraints to say, which look at every row anyway.
 * Only where they refuse it the batch is taken back and each rule is asked which row breaks it.
 */
export class Writer {
  readonly #tx: WriteTx;
  readonly #part: string;
  readonly #tables: readonly Batch[];
  #sent: Promise<void> = Promise.resolve();

  /** @param tables in the order in which their rows are written. */
  constructor(tx: WriteTx, part: string, tables: readonly Batch[]) {
    this.#tx = tx;
    this.#part = part;
    this.#tables = tables;
  }

  /** Sends what waits, when it is enough, once the batch before is written. @throws OperatorError for that one. */
  async flush(least = BATCH_ROWS): Promise<void> {
    if (this.#tables.reduce((total, { size }) => total + size, 0) < least) return;
    await this.#sent;
    const batches = this.#tables.map((table) => table.take());
    this.#sent = this.#write(batches);
    // It is awaited before the next batch is sent. Until then its failure is nobody's.
    this.#sent.catch(() => undefined);
  }

  /** Writes all that is left. @throws OperatorError for the first row that can't be written. */
  async finish(): Promise<void> {
    await this.flush(1);
    await this.#sent;
  }

  async #write(batches: readonly Batch[]): Promise<void> {
    await sql`savepoint batch`.execute(this.#tx.sql);
    try {
      for (const batch of batches) await batch.insert(this.#tx);
      await sql`release savepoint batch`.execute(this.#tx.sql);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !REFUSALS.test(error.code ?? "")) throw error;
      await sql`rollback to savepoint batch`.execute(this.#tx.sql);
      throw await this.#explain(batches, error);
    }
  }

  async #explain(batches: readonly Batch[], error: pg.DatabaseError): Promise<Error> {
    const breaches = [];
    for (const batch of batches) breaches.push(await batch.findBreach(this.#tx));
    const first = firstOf(breaches);
    if (first !== undefined) return wrong(first.pointer, first.why);
    return wrong(`/${this.#part}`, `the database refuses one of these: ${error.message}`);
  }
}

/** SQLSTATEs: a value that a type or an encoding lacks (22), a constraint that is not kept (23). */
const REFUSALS = /^2[23]/;
