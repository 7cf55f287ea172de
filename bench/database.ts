import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { readConfig } from "../server/config.ts";
import { openEmbedded } from "../server/db/embedded/embedded.ts";
import { migrate } from "../server/db/migrate.ts";

/** A database of the bench's own, and a folder for its files. Dispose it to remove both. */
export interface BenchDatabase extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
}

/** Makes a database on the PostgreSQL of DATABASE_URL, or on one that is started for it. */
export async function openDatabase(): Promise<BenchDatabase> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "lectern-bench-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const given = readConfig().databaseUrl;
  const cluster = given ?? (await startCluster(join(folder, "data"), stack));
  const name = `lectern_bench_${randomBytes(4).toString("hex")}`;
  await onCluster(cluster, `create database ${name}`);
  stack.defer(() => onCluster(cluster, `drop database ${name} with (force)`));
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  await migrate(url.href);
  const owned = stack.move();
  return { url: url.href, folder, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function startCluster(folder: string, stack: AsyncDisposableStack): Promise<string> {
  const { owner } = stack.use(await openEmbedded(folder, "server", () => undefined));
  return `postgres://${owner.user}:${owner.password}@${owner.host}:${owner.port}/${owner.database}`;
}

async function onCluster(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
