import { type RawBuilder, sql } from "kysely";
import type { Tx, WriteTx } from "../db/db.ts";

export type Value = string | number | boolean | null;
type PgType = "bigint" | "integer" | "text" | "boolean" | "timestamptz" | "date" | "jsonb";

/** A table that is imported into: its columns by type, and what must be true of its rows. */
export interface Table<Column extends string> {
  readonly name: string;
  readonly columns: { readonly [T in PgType]?: readonly Column[] };
  readonly rules: readonly Rule<NoInfer<Column>>[];
}

/** What must be true of columns together; a row that has null in the first of them is not asked. */
export interface Rule<Column extends string> {
  readonly columns: readonly Column[];
  /** A row of this table has these values under these names; without it, no other row of the table itself has them. */
  readonly isIn?: { readonly table: string; readonly columns: readonly string[] };
  /** What follows the row's pointer, to name the value. */
  readonly at: string;
  readonly otherwise: string;
}

/** A table, with its columns' names known to the compiler. */
export function importedTable<const Column extends string>(described: Table<Column>): Table<Column> {
  return described;
}

/** A row that breaks a rule: which element of the bundle it is of, and what to say. */
export interface Breach {
  readonly element: number;
  readonly pointer: string;
  readonly why: string;
}

/** Rows that wait to be written to one table. Kept by column, as they are sent. */
export class Rows<Column extends string> implements Batch {
  readonly #table: Table<Column>;
  readonly #insert: (tx: WriteTx, arrays: readonly RawBuilder<unknown>[]) => RawBuilder<unknown>;
  #columns: Map<string, { readonly type: string; readonly values: Value[] }>;
  #elements: number[] = [];
  #pointers: string[] = [];

  constructor(table: Table<Column>) {
    this.#table = table;
    this.#columns = emptyColumns(table.columns);
    const names = [...this.#columns.keys()];
    this.#insert = (tx, arrays) => sql`
      insert into ${sql.table(table.name)} (company_id, ${sql.join(names.map((name) => sql.ref(name)))})
      select ${tx.company.id}, * from unnest(${sql.join(arrays)}) as given`;
  }

  /** Adds a row of an element of the bundle; `pointer` is where the row stands in it. */
  add(row: Readonly<Record<Column, Value>>, element: number, pointer: string): void {
    const values: Readonly<Record<string, Value>> = row;
    for (const [name, column] of this.#columns) column.values.push(values[name] ?? null);
    this.#elements.push(element);
    this.#pointers.push(pointer);
  }

  get size(): number {
    return this.#elements.length;
  }

  /** Takes the rows out, so that others can be added while these are being written. */
  take(): Batch {
    const taken = new Rows(this.#table);
    [taken.#columns, taken.#elements, taken.#pointers] = [this.#columns, this.#elements, this.#pointers];
    this.#columns = emptyColumns(this.#table.columns);
    this.#elements = [];
    this.#pointers = [];
    return taken;
  }

  async insert(tx: WriteTx): Promise<void> {
    if (this.size > 0) await this.#insert(tx, this.#arrays([...this.#columns.keys()])).execute(tx.sql);
  }

  async findBreach(tx: Tx): Promise<Breach | undefined> {
    const breaches: Breach[] = [];
    for (const rule of this.#table.rules) {
      const row = await this.#findFirst(tx, rule);
      const [element, pointer] = [this.#elements[row], this.#pointers[row]];
      if (element === undefined || pointer === undefined) continue;
      breaches.push({ element, pointer: pointer + rule.at, why: rule.otherwise });
    }
    return firstOf(breaches);
  }

  /** The first row that breaks the rule; -1 for none. */
  async #findFirst(tx: Tx, { columns, isIn }: Rule<Column>): Promise<number> {
    if (this.size === 0) return -1;
    const given = columns.map((_, index) => sql.ref(`given.c${index}`));
    const there = isIn ?? { table: this.#table.name, columns };
    const equal = there.columns.map((name, index) => sql`${sql.ref(`there.${name}`)} = ${given[index]}`);
    const isThere = sql`exists (
      select from ${sql.table(there.table)} as there
      where there.company_id = ${tx.company.id} and ${sql.join(equal, sql` and `)}
    )`;
    const breaks = isIn === undefined ? sql`(${isThere} or given.seen > 1)` : sql`not ${isThere}`;
    const names = columns.map((_, index) => sql.ref(`c${index}`));
    const { rows } = await sql<{ row: number | null }>`
      select min(n) - 1 as row
      from (
        select *, row_number() over (partition by ${sql.join(names)} order by n) as seen
        from unnest(${sql.join(this.#arrays(columns))}) with ordinality as given (${sql.join(names)}, n)
      ) given
      where ${given[0]} is not null and ${breaks}`.execute(tx.sql);
    return rows[0]?.row ?? -1;
  }

  #arrays(names: readonly string[]): RawBuilder<unknown>[] {
    return names.map((name) => {
      const { type, values } = this.#columns.get(name) ?? { type: "text", values: [] };
      return sql`${values}::${sql.raw(type)}[]`;
    });
  }
}

/** Rows of one table, whatever its columns are. */
export interface Batch {
  readonly size: number;
  take(): Batch;
  insert(tx: WriteTx): Promise<void>;
  findBreach(tx: Tx): Promise<Breach | undefined>;
}

/** The breach of the element that comes first in the bundle. */
export function firstOf(breaches: readonly (Breach | undefined)[]): Breach | undefined {
  return breaches
    .filter((breach) => breach !== undefined)
    .reduce<Breach | undefined>(
      (first, next) => (first === undefined || next.element < first.element ? next : first),
      undefined,
    );
}

function emptyColumns(columns: Readonly<Record<string, readonly string[]>>) {
  const entries = Object.entries(columns);
  return new Map(
    entries.flatMap(([type, names]) =>
      names.map((name) => [name, { type, values: new Array<Value>() }] as const),
    ),
  );
}
