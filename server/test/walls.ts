import pg from "pg";
import type { TestServer } from "./server.ts";

/** Row-level security off: what is not seen now is not seen because each query names its company. */
export async function takeDownSecondWall({ ownerUrl }: Pick<TestServer, "ownerUrl">): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace",
  );
  for (const { name } of rows)
    await client.query(`alter table ${pg.escapeIdentifier(name)} disable row level security`);
  await client.end();
}

/** The tables of companies, from the catalogue: whatever has a company_id. Partitions are reached by their table alone. */
export async function listTables(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select t.relname as name from pg_class t join pg_attribute a on a.attrelid = t.oid
     where t.relkind in ('r', 'p') and not t.relispartition and t.relnamespace = 'public'::regnamespace and a.attname = 'company_id' order by 1`,
  );
  return rows.map(({ name }) => name);
}
