import type pg from "pg";

/** A pooler that others use too may lend two connections now and then: not each time. */
const ROUNDS = 8;

/** Who answers: a process number alone may be that of another machine. */
const WHO = "select pg_backend_pid() || ' ' || pg_postmaster_start_time() as backend";

/**
 * Whether a pooler in transaction mode stands before PostgreSQL: it answers two clients that are both signed in by one
 * connection, which PostgreSQL itself never does. A pooler that is very busy may go unnoticed.
 */
export async function isPooled(one: pg.Client, other: pg.Client): Promise<boolean> {
  const answered = new Map<string, pg.Client>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const client of [one, other]) {
      const { rows } = await client.query<{ backend: string }>(WHO);
      const backend = rows[0]?.backend ?? "";
      if ((answered.get(backend) ?? client) !== client) return true;
      answered.set(backend, client);
    }
  }
  return false;
}
