import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { OperatorError } from "../operator-error.ts";

const FOLDER = new URL("./migrations/", import.meta.url);
/** The role that serves; the first migration makes it. */
export const SERVING_ROLE = "lectern_app";
/** Serialises migrations of processes that start together. Any number would do. */
const LOCK = 4_714_219_871;
const OLDEST_POSTGRESQL = 150_000;
/** How long a migration waits for a lock, and with it who comes after it: their requests are late and not refused. */
const LOCK_TIMEOUT_MS = 2_000;
/** In between, who waited goes on. */
const LOCK_PAUSE_MS = 2_000;
/** A long export or import is over by then. */
const LOCK_PATIENCE_MS = 900_000;
/** PostgreSQL's lock_not_available and deadlock_detected. */
const NOT_YET = new Set(["55P03", "40P01"]);

/** Takes a line for the operator. */
type Log = (line: string) => void;

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

/**
 * Brings a database to this version's schema, as the role that owns the tables.
 * @param log is told what a migration waits for.
 * @returns the names of the migrations that it ran.
 * @throws OperatorError when the database is newer than this version or too old a PostgreSQL.
 */
export async function migrate(ownerUrl: string, log: Log = () => undefined): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await checkVersion(client);
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    await client.query(`create table if not exists migrations (
      name text not null, sha256 text not null, applied_at timestamptz not null default now(),
      constraint migrations_pkey primary key (name)
    )`);
    const pending = await findPending(client);
    await checkRole(client);
    for (const migration of pending) await applyPatiently(client, migration, log);
    const { runMigrations: migrateJobs } = await import("graphile-worker");
    await migrateJobs({ connectionString: ownerUrl });
    await client.query(`grant select on migrations to ${SERVING_ROLE}`);
    await letOwnerServe(client);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** The first migration makes the role; later ones and a restored database need it. */
async function checkRole(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select exists (select from migrations)
       and not exists (select from pg_roles where rolname = $1) as is_missing`,
    [SERVING_ROLE],
  );
  if (rows[0]?.is_missing === true) throw lackingRole();
}

/** Lets the owner of the tables act as the serving role. A superuser may anyway; who only made the role may not yet. */
async function letOwnerServe(client: pg.Client): Promise<void> {
  try {
    await client.query(`set role ${SERVING_ROLE}`);
    await client.query("reset role");
  } catch {
    // Where this is refused too, a server that needs it refuses to start and says what to do.
    await client.query(`grant ${SERVING_ROLE} to current_user`).catch(() => undefined);
  }
}

/** The names of the migrations that this version has and the database lacks. */
export async function findPending(client: Pick<pg.Client, "query">): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    "select name, sha256 from migrations",
  );
  const applied = new Map(rows.map((row) => [row.name, row.sha256]));
  const ours = await readMigrations();
  const names = new Set(ours.map(({ name }) => name));
  const foreign = [...applied.keys()].filter((name) => !names.has(name));
  if (foreign.length > 0) {
    throw new OperatorError(
      `The database is of a newer Lectern: it has ${foreign.join(", ")}. Run that version, or restore a backup made before the upgrade.`,
    );
  }
  for (const { name, sha256 } of ours) {
    if (applied.has(name) && applied.get(name) !== sha256) {
      throw new OperatorError(`Migration ${name} was changed after it had run on this database.`);
    }
  }
  return ours.filter(({ name }) => !applied.has(name));
}

/** The names of the migrations that this version has. */
export async function listMigrations(): Promise<string[]> {
  return (await readdir(FOLDER)).filter((file) => file.endsWith(".sql")).toSorted();
}

async function readMigrations(): Promise<Migration[]> {
  const files = await listMigrations();
  return Promise.all(
    files.map(async (name) => {
      const sql = await readFile(new URL(name, FOLDER), "utf8");
      return { name, sql, sha256: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/**
 * Applies a migration as soon as it can have its locks. Everybody else queues behind one who waits for a lock: waiting
 * for a long export in one go would stop the servers that run until it ends.
 */
async function applyPatiently(client: pg.Client, migration: Migration, log: Log): Promise<void> {
  const deadline = Date.now() + LOCK_PATIENCE_MS;
  let isTold = false;
  while (!(await apply(client, migration))) {
    if (Date.now() > deadline) {
      throw new OperatorError(
        `Migration ${migration.name} could not lock its tables, as something uses them all the time, and changed nothing. Run it again when exports and imports are over.`,
      );
    }
    if (!isTold) log(`Migration ${migration.name} waits for what uses its tables, such as an export.`);
    isTold = true;
    await sleep(LOCK_PAUSE_MS);
  }
}

/** @returns false where it could not have a lock in time: nothing is changed then. */
async function apply(client: pg.Client, { name, sql, sha256 }: Migration): Promise<boolean> {
  try {
    await client.query("begin");
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await lockFirst(client, sql);
    await client.query(sql);
    await client.query("insert into migrations (name, sha256) values ($1, $2)", [name, sha256]);
    await client.query("commit");
    return true;
  } catch (error) {
    await client.query("rollback");
    if (error instanceof pg.DatabaseError && NOT_YET.has(error.code ?? "")) return false;
    throw new OperatorError(`Migration ${name} failed and was rolled back: ${String(error)}`, {
      cause: error,
    });
  }
}

/**
 * Every write locks counters before all else, so a migration does: one that came to them last would wait for writers that
 * wait for what it holds.
 */
async function lockFirst(client: pg.Client, sql: string): Promise<void> {
  const { rows } = await client.query("select to_regclass('counters') is not null as exists");
  if (rows[0]?.exists !== true) return;
  // Readers wait too where it is counters itself that changes, and nowhere else.
  const mode = /\bcounters\b/.test(sql) ? "access exclusive" : "exclusive";
  await client.query(`lock table counters in ${mode} mode`);
}

async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string; words: string }>(
    "select current_setting('server_version_num') as version, current_setting('server_version') as words",
  );
  const [row] = rows;
  if (row !== undefined && Number(row.version) < OLDEST_POSTGRESQL) {
    throw new OperatorError(`PostgreSQL ${row.words} is too old. Lectern needs version 15 to 18.`);
  }
}

/**
 * A dump holds what a role may do and not the role itself: where it was restored without the role, or the role was made
 * afterwards, nobody may read anything.
 */
export function lackingRole(): OperatorError {
  return new OperatorError(
    `The role ${SERVING_ROLE} is missing, or may not read the tables. After a restore: make an empty database, run "create role ${SERVING_ROLE}", and restore the dump into it once more.`,
  );
}
