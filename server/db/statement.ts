import pg from "pg";

/**
 * A statement under the name of its text: a connection has PostgreSQL plan each text once, and say once what columns
 * come back. pg asks for them again with every answer and makes a new reader of them, which costs as much as reading a
 * row. A statement gives the same columns for as long as it is planned: PostgreSQL refuses it when they have changed.
 */
export class Statement extends statementOf(pg.Query) {
  readonly #rows: Row[] = [];
  #rowCount = 0;
  readonly #known: KnownColumns | undefined;
  readonly #done: Done;
  #columns: Columns | undefined;
  #failure: unknown;

  /** @param given.known what its connection knows of statements; undefined where that keeps none, and names mean nothing. */
  constructor(
    text: string,
    values: unknown[],
    given: { readonly known: KnownColumns | undefined; readonly done: Done },
  ) {
    super(text, values, given.done);
    if (given.known !== undefined) this.name = nameOf(text);
    this.#known = given.known;
    this.#done = given.done;
  }

  /** pg calls it to send the statement. */
  override prepare(wire: pg.Connection): void {
    this.#columns = this.#known?.find(this.name);
    super.prepare(
      this.#columns === undefined || this.#known === undefined ? wire : this.#known.wireWithoutDescribe,
    );
  }

  // pg calls these with what PostgreSQL answers.
  override handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#columns = toColumns(fields);
    this.#known?.add(this.name, this.#columns);
  }

  override handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      if (this.#columns !== undefined) this.#rows.push(readRow(this.#columns, fields));
    } catch (error) {
      this.#failure ??= error;
    }
  }

  override handleCommandComplete({ text }: { readonly text: string }): void {
    // Such as `SELECT 50`, `INSERT 0 1`, `SET`.
    this.#rowCount = Number(/ ([0-9]+)$/.exec(text)?.[1] ?? 0);
  }

  override handleReadyForQuery(): void {
    this.#done(this.#failure, { rows: this.#rows, rowCount: this.#rowCount });
  }
}

/** What one connection knows of the statements that it has planned. */
export class KnownColumns {
  /** Sends all that pg sends but the question what columns come back. */
  readonly wireWithoutDescribe: pg.Connection;
  readonly #byName = new Map<string, Columns>();

  constructor(wire: pg.Connection) {
    this.wireWithoutDescribe = Object.assign(Object.create(wire), { describe: () => undefined });
  }

  find(name: string | undefined): Columns | undefined {
    return name === undefined ? undefined : this.#byName.get(name);
  }

  add(name: string | undefined, columns: Columns): void {
    if (name !== undefined) this.#byName.set(name, columns);
  }
}

/** What came back. */
export interface Answer<R> {
  readonly rows: R[];
  /** How many rows it has read or changed. */
  readonly rowCount: number;
}

/** Is called once: with what went wrong where something did, otherwise with the answer. */
type Done = (error: unknown, answer: Answer<Row>) => void;
type Row = Record<string, unknown>;

interface Columns {
  readonly list: readonly { readonly name: string; readonly parse: (text: string) => unknown }[];
  /** A row of nothing. Rows are made as copies of it, so that they all have one shape. */
  readonly empty: Row;
}

function toColumns(fields: readonly pg.FieldDef[]): Columns {
  return {
    list: fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) })),
    empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
  };
}

function readRow({ list, empty }: Columns, texts: readonly (string | null)[]): Row {
  const row = { ...empty };
  let index = 0;
  for (const { name, parse } of list) {
    const text = texts[index] ?? null;
    if (text !== null) row[name] = parse(text);
    index += 1;
  }
  return row;
}

/** Times stay text as PostgreSQL writes them (a Date would cut microseconds); int8 are ids, below 2^53. */
function parserOf(type: number): (text: string) => unknown {
  const { INT8, TIMESTAMPTZ, DATE } = pg.types.builtins;
  if (type === INT8) return Number;
  return type === TIMESTAMPTZ || type === DATE ? String : pg.types.getTypeParser(type);
}

/** More texts than the product has: a bound, should one ever be made of data. */
const MOST_NAMES = 2_000;
const names = new Map<string, string>();

function nameOf(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < MOST_NAMES) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  return name;
}

/** pg's own statement, as far as this one is built on it: its types leave most of it out. */
interface PgStatement extends pg.Submittable {
  name: string | undefined;
  prepare(wire: pg.Connection): void;
  handleRowDescription(message: object): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: object): void;
  handleReadyForQuery(): void;
}
type PgStatementClass = new (text: string, values: unknown[], done: Done) => PgStatement;

/** @throws Error when another version of pg is built in another way. */
function statementOf(given: { readonly prototype: object }): PgStatementClass {
  if (isStatementClass(given)) return given;
  throw new Error("pg sends and reads statements in another way than this is made for");
}

function isStatementClass(given: { readonly prototype: object }): given is PgStatementClass {
  return "prepare" in given.prototype && "handleRowDescription" in given.prototype;
}
