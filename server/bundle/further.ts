import { sql } from "kysely";
import pg from "pg";
import type { Tx, WriteTx } from "../db/db.ts";
import { storableJson } from "./check.ts";
import { checkFurther } from "./further-check.ts";
import { type FurtherTable, furtherTables } from "./further-tables.ts";
import type { Import } from "./part.ts";
import type { FurtherPart } from "./parts.ts";
import { wrong } from "./wrong.ts";

/**
 * What the API of version 1 has no shape for moves row by row, in the columns' own names: the versions of lessons and
 * paths, attempts with their answers, certificates, what is known of files. Their bytes lie in the store and are copied
 * there. Some parts are columns that were added to a table whose rows come in an older part; they complete those rows.
 */

/** Rows that are read or written at once; the content of a lesson can have a megabyte. */
const PAGE_ROWS = 100;

/** Writes the rows of a table in the order of their keys. */
export async function* exportFurther(tx: Tx, part: FurtherPart): AsyncGenerator<readonly unknown[]> {
  const { table, keys, columns, isWorthSaying } = furtherTables[part];
  const names = sql.join([...keys, ...Object.keys(columns)].map((name) => sql.ref(name)));
  const order = sql.join(keys.map((key) => sql.ref(key)));
  let after: unknown[] | undefined;
  for (;;) {
    const behind = after === undefined ? sql`true` : sql`(${order}) > (${sql.join(after)})`;
    const { rows } = await sql<{ row: Record<string, unknown> }>`
      select to_jsonb(found) as row
      from (
        select ${names} from ${sql.table(table)}
        where company_id = ${tx.company.id} and ${isWorthSaying ?? sql`true`} and ${behind}
        order by ${order} limit ${PAGE_ROWS}
      ) found`.execute(tx.sql);
    if (rows.length > 0) yield rows.map(({ row }) => row);
    const last = rows.at(-1)?.row;
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = keys.map((key) => last[key]);
  }
}

/**
 * Brings the rows of a part in. Call it after the parts that they refer to.
 * @throws OperatorError for the first row that is wrong or refers to what is not there.
 */
export async function importFurther({ tx, spool, ids }: Import, part: FurtherPart): Promise<void> {
  const described = furtherTables[part];
  let element = 0;
  let waiting: Waiting[] = [];
  for await (const values of spool.elements(part)) {
    for (const value of values) {
      const pointer = `/${part}/${element}`;
      const row = checkFurther(part, value, pointer);
      if (described.kind !== undefined) ids.note(described.kind, Number(row["id"]));
      waiting.push({ pointer, json: storableJson(row, pointer) });
      element += 1;
      if (waiting.length >= PAGE_ROWS) await write(tx, described, waiting.splice(0));
    }
  }
  await write(tx, described, waiting);
  waiting = [];
}

interface Waiting {
  readonly pointer: string;
  readonly json: string;
}

/** Writes rows together; where the database refuses them, halves are tried until the one is found that is wrong. */
async function write(tx: WriteTx, table: FurtherTable, rows: readonly Waiting[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  await sql`savepoint batch`.execute(tx.sql);
  try {
    await insertOrComplete(tx, table, rows);
    await sql`release savepoint batch`.execute(tx.sql);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !REFUSALS.test(error.code ?? "")) throw error;
    await sql`rollback to savepoint batch`.execute(tx.sql);
    if (rows.length === 1) throw wrong(first.pointer, `the database refuses this: ${error.message}`);
    const middle = Math.ceil(rows.length / 2);
    await write(tx, table, rows.slice(0, middle));
    await write(tx, table, rows.slice(middle));
  }
}

/** SQLSTATEs: a value that a type or an encoding lacks (22), a constraint that is not kept (23). */
const REFUSALS = /^2[23]/;

async function insertOrComplete(
  tx: WriteTx,
  { table, keys, columns, keyTypes, completes }: FurtherTable,
  rows: readonly Waiting[],
): Promise<void> {
  const types = { ...keyTypes, ...columns };
  const record = sql.join(
    Object.entries(types).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`),
  );
  const given = sql`jsonb_to_recordset(${`[${rows.map(({ json }) => json).join()}]`}::jsonb) as given (${record})`;
  const isSame = sql.join(
    keys.map((key) => sql`${sql.table(table)}.${sql.ref(key)} = given.${sql.ref(key)}`),
    sql` and `,
  );
  if (completes) {
    const set = Object.keys(columns).map((name) => sql`${sql.ref(name)} = given.${sql.ref(name)}`);
    await sql`
      update ${sql.table(table)} set ${sql.join(set)} from ${given}
      where ${sql.table(table)}.company_id = ${tx.company.id} and ${isSame}`.execute(tx.sql);
    return;
  }
  const names = sql.join(Object.keys(types).map((name) => sql.ref(name)));
  await sql`
    insert into ${sql.table(table)} (company_id, ${names})
    select ${tx.company.id}, ${names} from ${given}
    returning company_id`.execute(tx.sql);
}
