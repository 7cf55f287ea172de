import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from "kysely";
import pg from "pg";
import { type Company, companyOfId } from "../companies/companies.ts";
import { Changes } from "../events/changes.ts";
import { collectEvents, type EventColumns, writeEvents } from "../events/record.ts";
import { operator, type Viewer } from "../privileges/privileges.ts";
import type { DB } from "./schema.ts";
import { type Answer, KnownColumns, Statement } from "./statement.ts";

/** What a function needs to touch the database: the company whose rows it may see, and one connection. */
export interface Tx {
  readonly company: Company;
  readonly sql: Kysely<DB>;
  /** Runs a statement whose text was compiled before; see prepare.ts. */
  readonly run: <R extends object>(text: string, values: unknown[]) => Promise<R[]>;
  /** The moment that the request sees as now: what is overdue is told by it. */
  readonly now: Date;
  /** For whom: how far their privileges reach. */
  readonly viewer: Viewer;
}

/** A transaction that may write, and who is behind it. */
export interface WriteTx extends Tx {
  readonly actor: Actor;
  /** What it has changed so far, for the events that tell of it. */
  readonly changes: Changes;
}

/** Who writes: a person, an API key, or a command of the operator. user_id is the person that archived_by_user_id names. */
export interface Actor {
  readonly type: "api_key" | "user" | "command";
  readonly id: number | null;
  readonly user_id: number | null;
  readonly request_id: string | null;
  /** Where the request came from; none for a command. */
  readonly address?: string;
  /** How far their privileges reach; none for a command, which may everything. */
  readonly viewer?: Viewer;
  /** The state that the change was made from, as If-Match names it; see match.ts. */
  readonly if_match?: string | undefined;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly connections: number;
  /** session: a connection remembers its company. transaction: each transaction sets it (PgBouncer, Citus). */
  readonly pooling: "session" | "transaction";
  /** The role to act as; none when the URL signs in as the role that serves. */
  readonly role?: string | undefined;
  /** Milliseconds after which PostgreSQL ends a statement; 0 for none (imports, migrations). */
  readonly statementTimeoutMs: number;
  /** How long a request waits for a connection before it is told that the service is overloaded; 5 s unless said. */
  readonly acquireTimeoutMs?: number;
  /** off: a commit is answered before it is on disk. Only for what may be lost, such as the rate limit's counts. */
  readonly synchronousCommit?: "off";
  readonly clock: () => Date;
  /** Is told of each company of which events were committed: a nudge to look at them. */
  readonly onEvents?: (company: Company) => void;
}

/** What a transaction does. `conclude` sends its statements at once, to go out with the commit. */
interface Work<T> {
  readonly run: (tx: Tx) => Promise<T>;
  readonly conclude?: (tx: Tx) => Promise<unknown>;
}

/** A caller who waits for longer has mostly given up, and the next one waits behind it. */
const ACQUIRE_TIMEOUT_MS = 5_000;
/** The walls let nobody through for it. */
const NO_COMPANY = 0;
/** A transaction that does nothing for this long holds locks for nobody: PostgreSQL ends it. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;

/** Connections to one database, and the only way to it. Dispose it to close them. */
export class Database implements AsyncDisposable {
  readonly #pool: pg.Pool;
  readonly #options: DatabaseOptions;
  readonly #acquireTimeoutMs: number;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#acquireTimeoutMs = options.acquireTimeoutMs ?? ACQUIRE_TIMEOUT_MS;
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.connections,
      connectionTimeoutMillis: this.#acquireTimeoutMs,
      pipeline: true,
      keepAlive: true,
      Client: options.pooling === "session" ? Connection : LentConnection,
      onConnect: async (client) => {
        if (options.pooling === "session") await client.query(settings(options, "session"));
      },
    });
    // An idle connection that breaks (PostgreSQL was restarted) is replaced by the pool at the next request.
    this.#pool.on("error", () => undefined);
  }

  /** Runs read-only statements for a company. Each sees what is committed when it starts. */
  async read<T>(company: Company, run: (tx: Tx) => Promise<T>, viewer = operator): Promise<T> {
    if (this.#options.pooling === "transaction")
      return this.#transaction(company, "read only", { run: (tx) => run({ ...tx, viewer }) });
    return this.#connected((connection) => {
      connection.serve(company.id);
      return run(this.#tx(connection, company, viewer));
    });
  }

  /** Runs read-only statements for a company that all see one moment, however long they take. */
  async readSnapshot<T>(company: Company, run: (tx: Tx) => Promise<T>, viewer = operator): Promise<T> {
    return this.#transaction(company, "isolation level repeatable read read only", {
      run: (tx) => run({ ...tx, viewer }),
    });
  }

  /** Runs a write for a company: when the promise resolves all of it is on disk, when it rejects none of it. */
  async write<T>(company: Company, actor: Actor, run: (tx: WriteTx) => Promise<T>): Promise<T> {
    const changes = new Changes();
    const toWrite = (tx: Tx): WriteTx => ({ ...tx, actor, viewer: actor.viewer ?? operator, changes });
    let events: EventColumns | undefined;
    const written = await this.#transaction(company, "read write", {
      run: async (read) => {
        const tx = toWrite(read);
        const result = await run(tx);
        events = await collectEvents(tx);
        return result;
      },
      conclude: async (read) => events && writeEvents(toWrite(read), events),
    });
    if (events !== undefined) this.#options.onEvents?.(company);
    return written;
  }

  /**
   * Runs statements on the tables that are no company's: in one transaction behind a pooler, where they have their
   * settings from nothing else, and each in its own otherwise.
   */
  async global<T>(run: (sql: Kysely<DB>) => Promise<T>): Promise<T> {
    if (this.#options.pooling === "transaction")
      return this.#transaction(companyOfId(NO_COMPANY), "read write", { run: ({ sql }) => run(sql) });
    return this.#connected((connection) => run(connection.sql));
  }

  /** Connections that are open, that are idle, and requests that wait for one. */
  get load(): { open: number; idle: number; waiting: number } {
    return { open: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }

  async #transaction<T>(company: Company, mode: string, { run, conclude }: Work<T>): Promise<T> {
    return this.#connected(async (connection) => {
      // Not awaited before `run`: the first statements go out in one packet. If it fails, so does all that follows.
      const begun = this.#begin(connection, company.id, mode);
      const statements = connection.borrow();
      try {
        const tx = this.#tx(statements, company, operator);
        const [result] = await Promise.all([run(tx), begun]);
        const concluded = conclude?.(tx);
        statements.end();
        // In one packet with what concludes it: if that fails, so does the commit.
        const [{ command }] = await Promise.all([connection.query("commit"), concluded]);
        if (command !== "COMMIT")
          throw new Error("a failed statement was ignored: the transaction was rolled back");
        return result;
      } catch (error) {
        // One of several statements failed: what goes on beside it must not write outside the transaction.
        statements.end();
        await connection.query("rollback").catch(() => connection.abandon());
        throw error;
      } finally {
        connection.isInTransaction = false;
      }
    });
  }

  #tx({ sql, run }: Pick<Tx, "sql" | "run">, company: Company, viewer: Viewer): Tx {
    return { company, sql, run, now: this.#options.clock(), viewer };
  }

  async #begin(connection: Connection, company_id: number, mode: string): Promise<void> {
    connection.isInTransaction = true;
    connection.gather();
    if (this.#options.pooling === "session") {
      connection.serve(company_id);
      await connection.query(`begin ${mode}`);
    } else {
      // A pooler lets everybody in and has them wait for a connection at their first word.
      const end = limit(this.#acquireTimeoutMs, () => connection.destroy());
      await connection
        .query(`begin ${mode}; ${settings(this.#options, "local")}; select set_company(${company_id})`)
        .finally(end);
    }
  }

  async #connected<T>(run: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#pool.connect();
    if (!(connection instanceof Connection))
      throw new TypeError("the pool made a connection of another kind");
    try {
      return await run(connection);
    } finally {
      connection.release(connection.isBroken);
    }
  }
}

/**
 * Calls back after a time, unless the end is told before.
 * @returns a function that tells the end.
 */
function limit(ms: number, late: () => void): () => void {
  let hasEnded = false;
  // After a standstill timers run before what has come meanwhile is read: it is looked at first.
  const timer = setTimeout(() => setImmediate(() => hasEnded || late()), ms);
  return () => {
    hasEnded = true;
    clearTimeout(timer);
  };
}

/** One connection, which remembers the company that it serves, and Kysely on it. */
class Connection extends pg.Client {
  readonly sql: Kysely<DB>;
  readonly run: Tx["run"];
  isBroken = false;
  isInTransaction = false;
  readonly #known = this.keepsStatements ? new KnownColumns(this.connection) : undefined;
  #company_id = 0;
  #isGathering = false;
  declare release: (destroy: boolean) => void;

  constructor(config?: pg.ClientConfig) {
    super(config);
    const { sql, run } = this.borrow();
    this.sql = sql;
    this.run = run;
    this.on("error", () => this.abandon());
    this.on("end", () => this.abandon());
  }

  /** The ways to send statements, until `end` is called: after that they throw. */
  borrow(): Pick<Tx, "sql" | "run"> & { end(): void } {
    let isOpen = true;
    const send = <R extends object>(text: string, values: unknown[]) =>
      isOpen ? this.#ask<R>(text, values) : Promise.reject(new Error("the transaction has ended"));
    return {
      sql: kyselyOn(send),
      run: async <R extends object>(text: string, values: unknown[]) => (await send<R>(text, values)).rows,
      end: () => {
        isOpen = false;
      },
    };
  }

  /**
   * Asks by pg's callback. With the promise that pg gives, no row is freed by V8's small collections: every row that was
   * ever read waits for a full one, and a page of 50 users costs six times the work of collecting.
   */
  #ask<R extends object>(text: string, values: unknown[]): Promise<Answer<R>> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer<R>>();
    // A reading sends one statement, for which waiting would only cost.
    if (this.isInTransaction) this.gather();
    const done = (error: unknown, answer: object) =>
      // That the rows are of this type is who asks to say.
      error === null || error === undefined ? resolve(Object(answer)) : reject(error);
    this.query(new Statement(text, values, { known: this.#known, done }));
    return promise;
  }

  /** Makes row-level security admit this company's rows alone, from the next statement on. */
  serve(company_id: number): void {
    if (this.#company_id === company_id) return;
    this.#company_id = company_id;
    this.gather();
    // Sent with the statement that follows and not awaited. Should it fail, that one meets the former company's
    // wall: as it names its own company it finds nothing.
    this.#ask("select set_config('app.company_id', $1, false)", [String(company_id)]).catch(() =>
      this.abandon(),
    );
  }

  /**
   * Holds back what is sent until the work that is under way waits for something: then all of it goes out at once. Each
   * write to a socket costs more than most else that a request does.
   */
  gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const { stream } = this.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  /** The connection is in an unknown state: the pool closes it instead of keeping it. */
  abandon(): void {
    this.isBroken = true;
  }

  /** Ends it at once: what waits for it fails. */
  destroy(): void {
    this.connection.stream.destroy();
  }

  /** Whether what it has PostgreSQL plan is there for the next transaction. */
  protected get keepsStatements(): boolean {
    return true;
  }
}

/**
 * A connection to a pooler, which lends a connection to PostgreSQL for each transaction. Statements have no names there:
 * the next transaction meets those of another process, in which a name may stand for another statement.
 */
class LentConnection extends Connection {
  protected override get keepsStatements(): boolean {
    return false;
  }
}

function settings(options: DatabaseOptions, scope: "session" | "local"): string {
  const values = [
    `timezone = 'UTC'`,
    `statement_timeout = ${options.statementTimeoutMs}`,
    `idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS}`,
    ...(options.synchronousCommit === undefined ? [] : [`synchronous_commit = ${options.synchronousCommit}`]),
    ...(options.role === undefined ? [] : [`role = ${pg.escapeIdentifier(options.role)}`]),
  ];
  return values.map((value) => `set ${scope} ${value}`).join("; ");
}

type Send = <R extends object>(text: string, values: unknown[]) => Promise<Answer<R>>;

/** Kysely whose every statement is sent in one way, on one connection. */
function kyselyOn(send: Send): Kysely<DB> {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const result = await send<R & object>(query.sql, [...query.parameters]);
      return { rows: result.rows, numAffectedRows: BigInt(result.rowCount) };
    },
    streamQuery() {
      throw new Error("not supported: read in pages by id");
    },
  };
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    releaseConnection: async () => undefined,
    beginTransaction: async () => undefined,
    commitTransaction: async () => undefined,
    rollbackTransaction: async () => undefined,
    destroy: async () => undefined,
  };
  return new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}
