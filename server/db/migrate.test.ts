import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import pg from "pg";
import { createTestDatabase } from "../test/database.ts";
import { PATIENCE_MS, until } from "../test/patience.ts";
import { listMigrations, migrate } from "./migrate.ts";

test("a migration that can't lock its table yet keeps nobody else from it for long", async () => {
  await using database = await createTestDatabase();
  const [exporter, reader] = [await connect(database.ownerUrl), await connect(database.ownerUrl)];
  await rewind(reader, "0018");
  await exporter.query("begin");
  await exporter.query("select from webhook_endpoints");
  const said: string[] = [];
  const { promise: waits, resolve } = Promise.withResolvers<void>();
  const migrated = migrate(database.ownerUrl, (line) => {
    said.push(line);
    resolve();
  });
  await waitForLock(reader, "webhook_endpoints");
  assert.deepEqual(await tablesHeld(reader), [], "lists go on being read");
  await reader.query("select from webhook_endpoints");
  await Promise.race([waits, migrated]);
  await exporter.query("commit");
  assert.deepEqual(await migrated, ["0018-webhooks-cleared-in-pages.sql"]);
  assert.deepEqual(said, [
    "Migration 0018-webhooks-cleared-in-pages.sql waits for what uses its tables, such as an export.",
  ]);
  await Promise.all([exporter.end(), reader.end()]);
});

test("a migration lets a write that is under way end", async () => {
  await using database = await createTestDatabase();
  const [writer, watcher] = [await connect(database.ownerUrl), await connect(database.ownerUrl)];
  await rewind(watcher, "0013");
  await writer.query("begin");
  await writer.query("update counters set total = total");
  const migrated = migrate(database.ownerUrl);
  await waitForLock(watcher, "counters");
  assert.deepEqual(await tablesHeld(watcher), [], "what it holds the writer may need");
  await writer.query("update companies set name = name");
  await writer.query("commit");
  const names = (await listMigrations()).filter((name) => name >= "0013");
  assert.deepEqual(await migrated, names);
  await Promise.all([writer.end(), watcher.end()]);
});

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`set statement_timeout = ${PATIENCE_MS}`);
  return client;
}

/** Makes the tables anew as they were before a migration. */
async function rewind(client: pg.Client, first: string): Promise<void> {
  await client.query("drop schema public cascade; create schema public");
  await client.query(
    "create table migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())",
  );
  for (const name of (await listMigrations()).filter((one) => one < first)) {
    const sql = await readFile(new URL(`./migrations/${name}`, import.meta.url), "utf8");
    await client.query(sql);
    const sha256 = createHash("sha256").update(sql).digest("hex");
    await client.query("insert into migrations (name, sha256) values ($1, $2)", [name, sha256]);
  }
}

/** Resolves when somebody waits for a lock on the table. */
async function waitForLock(client: pg.Client, table: string): Promise<void> {
  await until(`a wait for ${table}`, async () => {
    const { rowCount } = await client.query(
      "select from pg_locks where relation = to_regclass($1) and not granted",
      [table],
    );
    return rowCount !== 0;
  });
}

/** The tables that who waits for a lock keeps others from. */
async function tablesHeld(client: pg.Client): Promise<unknown[]> {
  const { rows } = await client.query(
    `select relation::regclass::text as name
     from pg_locks
     where granted and mode = 'AccessExclusiveLock' and relation is not null
       and database = (select oid from pg_database where datname = current_database())
       and pid in (select pid from pg_locks where not granted)`,
  );
  return rows;
}
