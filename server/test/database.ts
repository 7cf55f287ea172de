import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { readConfig } from "../config.ts";
import { migrate, SERVING_ROLE } from "../db/migrate.ts";
import { startCluster, type StartedCluster } from "./cluster.ts";
import { until } from "./patience.ts";

/** A database of a test's own, as the role that owns its tables and as the one that serves. */
export interface TestDatabase extends AsyncDisposable {
  readonly ownerUrl: string;
  readonly role: string;
}

/** Makes a migrated, empty database: a copy of a template, which takes some 50 ms. Dispose it to drop it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  inUse += 1;
  const cluster = await clusterUrl();
  const template = await ensureTemplate(cluster);
  const name = `lectern_test_${randomBytes(8).toString("hex")}`;
  await onCluster(cluster, (client) => client.query(`create database ${name} template ${template}`));
  return {
    ownerUrl: withDatabase(cluster, name),
    role: SERVING_ROLE,
    async [Symbol.asyncDispose]() {
      await onCluster(cluster, (client) => onceFree(client, `drop database ${name} with (force)`));
      inUse -= 1;
      if (inUse === 0) await stopCluster();
    },
  };
}

let started: Promise<StartedCluster> | undefined;
let inUse = 0;

/** The PostgreSQL for tests: that of DATABASE_URL (`npm test` starts one), or this process's, until its last database goes. */
function clusterUrl(): Promise<string> {
  const given = readConfig().databaseUrl;
  if (given !== undefined) return Promise.resolve(given);
  started ??= startCluster();
  return started.then(({ url }) => url);
}

async function stopCluster(): Promise<void> {
  const ending = started;
  started = undefined;
  await (await ending)?.stop();
}

/** Any number: it serialises the test processes that would make the template at once. */
const TEMPLATE_LOCK = 6_021_023;

async function ensureTemplate(cluster: string): Promise<string> {
  const folder = new URL("../db/migrations/", import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
  const name = `lectern_template_${createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 12)}`;
  await onCluster(cluster, async (client) => {
    await client.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount !== 0) return;
    const unfinished = `${name}_${randomBytes(4).toString("hex")}`;
    await client.query(`create database ${unfinished}`);
    await migrate(withDatabase(cluster, unfinished));
    await onceFree(client, `alter database ${unfinished} rename to ${name}`);
  });
  return name;
}

/** PostgreSQL itself waits 5 s for sessions that have ended and are still there, which a machine that stands still takes. */
async function onceFree(client: pg.Client, statement: string): Promise<void> {
  await until(`nobody in the way of ${statement}`, async () => {
    try {
      await client.query(statement);
      return true;
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === OBJECT_IN_USE) return false;
      throw error;
    }
  });
}

const OBJECT_IN_USE = "55006";

async function onCluster(url: string, run: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
