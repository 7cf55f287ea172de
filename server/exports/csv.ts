import { stringify } from "csv/sync";

/** What a cell of an export can hold. A list or an object becomes JSON in CSV, and stays itself in NDJSON. */
export type Cell = string | number | boolean | null | readonly unknown[] | object;

/** One line of an export: a value for each of its columns. */
export type Row = Readonly<Record<string, Cell>>;

export type Format = "csv" | "ndjson";

export const mediaTypes = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson; charset=utf-8",
} as const satisfies Record<Format, string>;

const BYTE_ORDER_MARK = "\uFEFF";

/** How an export is written. */
export interface Writing {
  readonly format: Format;
  /** Begins a CSV with a byte order mark, by which spreadsheets know that it is UTF-8. */
  readonly bom: boolean;
  readonly columns: readonly string[];
}

/** What stands before the first row: the header of a CSV, nothing in NDJSON. */
export function writeHead({ format, bom, columns }: Writing): string {
  if (format === "ndjson") return "";
  return (bom ? BYTE_ORDER_MARK : "") + writeCsv([columns]);
}

/** Rows as text, each ended by a line break. */
export function writeRows({ format, columns }: Writing, rows: readonly Row[]): string {
  if (format === "csv") {
    return writeCsv(rows.map((row) => columns.map((column) => row[column] ?? null)));
  }
  return rows.map((row) => `${JSON.stringify(pick(columns, row))}\n`).join("");
}

/**
 * Lines of CSV as RFC 4180 has them. A text that a spreadsheet would take for a formula (it begins with = + - @, a tab
 * or a line break) gets an apostrophe before it; numbers stay numbers.
 */
export function writeCsv(rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return "";
  return stringify(
    rows.map((row) => [...row]),
    {
      record_delimiter: "windows",
      escape_formulas: true,
      // A lone line feed is a line break to those who read it, if not to this library.
      quoted_match: /[\r\n]/,
      cast: {
        boolean: String,
        object: (value: object) => JSON.stringify(value),
      },
    },
  );
}

function pick(columns: readonly string[], row: Row): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}
