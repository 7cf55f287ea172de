import {
  type Compilable,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from "kysely";
import type { Tx } from "./db.ts";
import type { DB } from "./schema.ts";

/** Stands in a compiled query where a value will stand. */
class Placeholder<P> {
  readonly read: (values: P) => unknown;
  constructor(read: (values: P) => unknown) {
    this.read = read;
  }
}

type Place<P> = <K extends keyof P & string>(name: K) => RawBuilder<P[K]>;

/**
 * Compiles a query once, for the paths that every poller runs: building it anew costs more than all else that the
 * server does for one row. `place("id")` marks where a parameter goes.
 * @example const findUser = prepare<{ id: number }, Row>((db, place) => db.selectFrom("users")…where("id", "=", place("id")))
 */
export function prepare<P extends object, R extends object>(
  build: (db: Kysely<DB>, place: Place<P>) => Compilable<R> | RawBuilder<R>,
): (tx: Tx, values: P) => Promise<R[]> {
  const place: Place<P> = (name) => sql`${new Placeholder<P>((values) => values[name])}`;
  const { sql: text, parameters } = build(compiler, place).compile(compiler);
  return (tx, values) => {
    const fill = (parameter: unknown) =>
      parameter instanceof Placeholder ? parameter.read(values) : parameter;
    return tx.run<R>(text, parameters.map(fill));
  };
}

const compiler = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
