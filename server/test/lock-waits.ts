import pg from "pg";
import { until } from "./patience.ts";
import type { TestServer } from "./server.ts";

/**
 * Waits until so many statements of a test's database wait for locks.
 * @throws Error when fewer do in time.
 */
export async function locksAreAwaited(
  { ownerUrl }: Pick<TestServer, "ownerUrl">,
  statements: number,
): Promise<void> {
  const watcher = new pg.Client(ownerUrl);
  await watcher.connect();
  try {
    await until(`${statements} statements that wait for locks`, () => isAwaited(watcher, statements));
  } finally {
    await watcher.end();
  }
}

/** Whether so many statements wait for locks. What others wait for is told anew only outside of a transaction. */
export async function isAwaited(watcher: pg.Client, statements: number): Promise<boolean> {
  const { rowCount } = await watcher.query(
    "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
  );
  return rowCount !== null && rowCount >= statements;
}
