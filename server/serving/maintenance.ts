import type { Database } from "../db/db.ts";

/** How often a process looks, so that all of them follow within a second. */
const LOOK_EVERY_MS = 400;

/** Whether the service is in maintenance, looked up in the background. Dispose it to stop looking. */
export class Maintenance implements Disposable {
  isOn = false;
  #isLooking = false;
  readonly #timer: NodeJS.Timeout;
  readonly #database: Database;

  /** @param database one whose connections no request holds, so that a look never waits for requests. */
  constructor(database: Database) {
    this.#database = database;
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Looks now. While the database is away, what was last seen stands. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      this.isOn = await isInMaintenance(this.#database);
    } catch {
      // The requests themselves tell that the database is away.
    }
    this.#isLooking = false;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

async function isInMaintenance(database: Database): Promise<boolean> {
  const row = await database.global((db) => db.selectFrom("maintenance").select("since").executeTakeFirst());
  return row !== undefined;
}

/** Switches maintenance on or off for every process. */
export async function setMaintenance(database: Database, state: "on" | "off"): Promise<void> {
  await database.global(async (db) => {
    if (state === "off") return db.deleteFrom("maintenance").execute();
    const since = new Date().toISOString();
    return db
      .insertInto("maintenance")
      .values({ singleton: true, since })
      .onConflict((conflict) => conflict.column("singleton").doNothing())
      .execute();
  });
}
