import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createTestDatabase } from "../test/database.ts";
import { migrate } from "./migrate.ts";

/** Longer than a migration waits in one go. */
const PATIENCE_MS = 20_000;

test("a migration that can't lock its table yet keeps nobody else from it for long", async () => {
  await using database = await createTestDatabase();
  const connect = async () => {
    const client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    return client;
  };
  const [exporter, reader] = [await connect(), await connect()];
  await reader.query("delete from migrations where name like '0018%'");
  await reader.query(
    "alter table webhook_endpoints drop column given_up_through, drop column deleted_at, drop column begun_at",
  );
  await exporter.query("begin");
  await exporter.query("select from webhook_endpoints");
  const said: string[] = [];
  const { promise: waits, resolve } = Promise.withResolvers<void>();
  const migrated = migrate(database.ownerUrl, (line) => {
    said.push(line);
    resolve();
  });
  await waitForLock(reader);
  await reader.query(`set statement_timeout = ${PATIENCE_MS}`);
  await reader.query("select from webhook_endpoints");
  await waits;
  await exporter.query("commit");
  assert.deepEqual(await migrated, ["0018-webhooks-cleared-in-pages.sql"]);
  assert.deepEqual(said, [
    "Migration 0018-webhooks-cleared-in-pages.sql waits for what uses its tables, such as an export.",
  ]);
  await Promise.all([exporter.end(), reader.end()]);
});

/** Resolves when somebody waits for a lock on the table. */
async function waitForLock(client: pg.Client): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const { rowCount } = await client.query(
      "select from pg_locks where relation = 'webhook_endpoints'::regclass and not granted",
    );
    if (rowCount !== 0) return;
  }
  throw new Error("nobody waits for a lock");
}
