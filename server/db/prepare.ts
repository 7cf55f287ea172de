import type { Compilable, CompiledQuery, RawBuilder } from "kysely";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from "kysely";
import type { Tx } from "./db.ts";
import type { DB } from "./schema.ts";

/** Stands in a compiled query where a value will stand. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

type Place<P> = <K extends keyof P & string>(name: K) => RawBuilder<P[K]>;

/**
 * Compiles a query once, for the paths that every poller runs: building it anew costs more than all else that the
 * server does for one row. `place("id")` marks where a parameter goes.
 * @example const findUser = prepare<{ id: number }, Row>((db, place) => db.selectFrom("users")…where("id", "=", place("id")))
 */
export function prepare<P extends object, R>(
  build: (db: Kysely<DB>, place: Place<P>) => Compilable<R>,
): (tx: Tx, values: P) => Promise<R[]> {
  const compiled: CompiledQuery<R> = build(compiler, (name) => sql`${new Placeholder(name)}`).compile();
  return async (tx, values) => {
    const given = new Map<string, unknown>(Object.entries(values));
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? given.get(parameter.name) : parameter,
    );
    const { rows } = await tx.sql.executeQuery<R>({ ...compiled, parameters });
    return rows;
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
