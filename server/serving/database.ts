import { createHmac } from "node:crypto";
import pg from "pg";
import type { Config } from "../config.ts";
import { OperatorError } from "../operator-error.ts";
import { Database, type DatabaseOptions } from "../db/db.ts";
import { openEmbedded } from "../db/embedded/embedded.ts";
import { findPending, migrate, SERVING_ROLE } from "../db/migrate.ts";
import { isPooled } from "./pooler.ts";
import { assertWalls } from "./walls.ts";

/** For two long jobs at once, each of which tells beside its transaction how far it is. */
const LONG_CONNECTIONS = 4;
/** For four jobs about events at once, and for what webhooks' deliveries write beside them. */
const EVENT_CONNECTIONS = 6;
/** A page of the feed takes some milliseconds; what takes longer than this is stuck. */
const EVENT_STATEMENT_TIMEOUT_MS = 60_000;

/** How to reach the database, as its owner and as the role that serves. */
export interface Addresses extends AsyncDisposable {
  readonly ownerUrl: string;
  readonly servingUrl: string;
  /** Settles when the embedded PostgreSQL can't be kept running: the process should end with this message. */
  readonly failed: Promise<Error>;
}

/** Statements of requests that take longer are ended, and the request is told to come back. */
const REQUEST_STATEMENT_TIMEOUT_MS = 20_000;

/**
 * Opens the database that the configuration names: that of DATABASE_URL, or the embedded one, which is started unless
 * a running Lectern has done so. Dispose it to stop what was started.
 * @throws OperatorError when it can't be reached or started.
 */
export async function openAddresses(
  config: Config,
  role: "server" | "command",
  log: (line: string) => void,
): Promise<Addresses> {
  if (config.databaseUrl !== undefined) {
    return {
      ownerUrl: config.databaseOwnerUrl ?? config.databaseUrl,
      servingUrl: config.databaseUrl,
      failed: new Promise(() => undefined),
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
  const embedded = await openEmbedded(config.dataDir, role, log);
  const { host, port, user, password, database } = embedded.owner;
  const servingPassword = toServingPassword(password);
  return {
    ownerUrl: `postgres://${user}:${password}@${host}:${port}/${database}`,
    servingUrl: `postgres://${SERVING_ROLE}:${servingPassword}@${host}:${port}/${database}`,
    failed: embedded.failed,
    [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose](),
  };
}

/** PostgreSQL's too_many_connections. */
const TOO_MANY_CONNECTIONS = "53300";
const LENT_TO_ALL =
  "DATABASE_URL leads to a pooler in transaction mode. Set DATABASE_POOLING=transaction, or let it name PostgreSQL itself.";
const NEEDS_SESSIONS =
  "Migrations and jobs need PostgreSQL itself, and are led to a pooler in transaction mode. Set DATABASE_OWNER_URL to the address of PostgreSQL, as the role that owns the tables.";

/**
 * Checks that the owner's connections are PostgreSQL's own: migrations hold a lock from statement to statement, and jobs
 * listen. A pooler would keep the lock for ever, and lose what is listened for.
 * @throws OperatorError when a pooler in transaction mode is between.
 */
export async function assertOwnSessions(config: Config, { ownerUrl }: Addresses): Promise<void> {
  if (config.databaseUrl !== undefined) await assertNotPooled(ownerUrl, NEEDS_SESSIONS);
}

async function assertNotPooled(url: string, why: string): Promise<void> {
  const areLent = withClient(url, (one) => withClient(url, (other) => isPooled(one, other)));
  // Who may have one connection alone is not kept out for want of another to compare it with.
  if (await areLent.catch(falseIfFull)) throw new OperatorError(why);
}

function falseIfFull(error: unknown): false {
  const cause = error instanceof OperatorError ? error.cause : undefined;
  if (cause instanceof pg.DatabaseError && cause.code === TOO_MANY_CONNECTIONS) return false;
  throw error;
}

/**
 * Migrates, and lets the serving role of the embedded database sign in.
 * @param log is told what a migration waits for.
 * @throws OperatorError when the database can't be reached or brought to this version.
 */
export async function prepareDatabase(
  config: Config,
  addresses: Addresses,
  log: (line: string) => void,
): Promise<string[]> {
  // Says so when the database is away, which the migrations would not.
  await withClient(addresses.ownerUrl, async () => undefined);
  await assertOwnSessions(config, addresses);
  const applied = await migrate(addresses.ownerUrl, log);
  if (config.databaseUrl === undefined) {
    const password = decodeURIComponent(new URL(addresses.servingUrl).password);
    await withClient(addresses.ownerUrl, (client) =>
      client.query(`alter role ${SERVING_ROLE} login password ${pg.escapeLiteral(password)}`),
    );
  }
  return applied;
}

/**
 * Checks that the database is of this version and walled, and reached as the configuration says.
 * @throws OperatorError that says what is missing.
 */
export async function checkDatabase(config: Config, { ownerUrl, servingUrl }: Addresses): Promise<void> {
  if (config.databaseUrl !== undefined && config.databasePooling === "session")
    await assertNotPooled(servingUrl, LENT_TO_ALL);
  await withClient(ownerUrl, async (client) => {
    const { rows } = await client.query("select to_regclass('migrations') is not null as exists");
    const pending = rows[0]?.exists === true ? await findPending(client) : undefined;
    if (pending === undefined || pending.length > 0) {
      throw new OperatorError("The database lacks migrations of this version. Run: lectern migrate");
    }
    await assertWalls(client);
  });
}

/** The connections of requests. */
export async function connect(
  config: Config,
  { servingUrl, onEvents }: Pick<Addresses, "servingUrl"> & Telling,
): Promise<Database> {
  return new Database({
    ...(await sharedOptions(config, servingUrl)),
    onEvents,
    connections: config.databaseConnections,
    statementTimeoutMs: REQUEST_STATEMENT_TIMEOUT_MS,
  });
}

/** The connection on which requests are counted: what it writes may be lost in a crash. */
export async function connectLoose(
  config: Config,
  { servingUrl }: Pick<Addresses, "servingUrl">,
): Promise<Database> {
  return new Database({
    ...(await sharedOptions(config, servingUrl)),
    connections: 1,
    statementTimeoutMs: REQUEST_STATEMENT_TIMEOUT_MS,
    synchronousCommit: "off",
  });
}

/** Who is told of the events that these connections commit. */
type Telling = Required<Pick<DatabaseOptions, "onEvents">>;

/** The connections of the jobs: for long ones, and for what follows events, which waits for none of those. */
export async function connectForJobs(
  config: Config,
  { servingUrl, onEvents }: Pick<Addresses, "servingUrl"> & Telling,
): Promise<AsyncDisposable & { readonly long: Database; readonly events: Database }> {
  const shared = { ...(await sharedOptions(config, servingUrl)), onEvents };
  const long = new Database({ ...shared, connections: LONG_CONNECTIONS, statementTimeoutMs: 0 });
  const events = new Database({
    ...shared,
    connections: EVENT_CONNECTIONS,
    statementTimeoutMs: EVENT_STATEMENT_TIMEOUT_MS,
  });
  return {
    long,
    events,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([long[Symbol.asyncDispose](), events[Symbol.asyncDispose]()]);
    },
  };
}

/** The connections of a command, whose statements may take as long as they need. */
export async function connectForCommand(
  config: Config,
  { ownerUrl, servingUrl }: Addresses,
  as: "serving" | "owner" = "serving",
): Promise<Database> {
  const shared = await sharedOptions(config, servingUrl);
  const signIn = as === "owner" ? { ...shared, url: ownerUrl, role: undefined } : shared;
  return new Database({ ...signIn, connections: 2, statementTimeoutMs: 0 });
}

async function sharedOptions(config: Config, url: string) {
  return {
    url,
    pooling: config.databasePooling,
    role: await findRoleToSet(url),
    clock: () => new Date(),
  } as const;
}

/**
 * The role to act as: none when the URL signs in as one that the walls bind, the serving role otherwise.
 * @throws OperatorError when the URL's role may not act as the serving role.
 */
async function findRoleToSet(url: string): Promise<string | undefined> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string; bound: boolean }>(`
      select rolname as name, not rolsuper and not rolbypassrls and not exists (
        select from pg_class where relowner = pg_roles.oid and relnamespace = 'public'::regnamespace
      ) as bound
      from pg_roles where rolname = current_user`);
    const [user] = rows;
    if (user?.bound === true) return undefined;
    try {
      // Taken back with the transaction: behind a pooler the next one to use this connection is somebody else.
      await client.query(`begin; set local role ${SERVING_ROLE}; rollback`);
    } catch (error) {
      const grant = `grant ${SERVING_ROLE} to ${pg.escapeIdentifier(user?.name ?? "")}`;
      const why = `The role of DATABASE_URL may not act as ${SERVING_ROLE}. Run as a superuser: ${grant}`;
      throw new OperatorError(why, { cause: error });
    }
    return SERVING_ROLE;
  });
}

async function withClient<T>(url: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
  } catch (error) {
    throw new OperatorError(`The database can't be reached: ${String(error)}`, { cause: error });
  }
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

/** The serving role's password follows from the owner's, so one file keeps both. */
function toServingPassword(ownerPassword: string): string {
  return createHmac("sha256", ownerPassword).update(SERVING_ROLE).digest("base64url");
}
