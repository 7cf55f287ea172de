import { Readable } from "node:stream";
import { parse } from "csv/sync";
import { ajv, isStorable, readQuery } from "../http/input.ts";
import { type FieldError, invalid, Problem, unprocessable } from "../http/problem.ts";
import { type BulkKind, type GivenRow, readRow, rowSchemas, UNSTORABLE, wrongRow } from "./rows.ts";
import { BulkBody, MOST_ROWS } from "./v2-schema.ts";

/** The largest body: 10,000 users with some custom fields each are a quarter of it. */
export const MOST_BULK_BYTES = 16 * 1_048_576;

/** What a request asks for. */
export interface Given {
  readonly rows: readonly GivenRow[];
  readonly mode: "all_or_nothing" | "row_by_row";
  readonly dry_run: boolean;
}

const isBody = ajv.compile<BulkBody>(BulkBody);

/**
 * Reads the body of a bulk request: JSON, or a stream of CSV or NDJSON with the rest in the address.
 * @throws Problem 413 for too large a body; 422 for one that can't be read, or has no rows or too many.
 */
export async function readGiven(
  kind: BulkKind,
  { body, type, query }: { body: unknown; type: string; query: Partial<Omit<Given, "rows">> },
): Promise<Given> {
  const { mode = "row_by_row", dry_run = false } = query;
  if (!(body instanceof Readable)) {
    if (!isBody(body)) throw invalid({ field: "rows", message: "is required" });
    return { mode, dry_run, ...body, rows: body.rows.map((row, index) => readRow(kind, index + 1, row)) };
  }
  const text = await readText(body);
  const rows = type.startsWith("text/csv") ? readCsv(kind, text) : readNdjson(kind, text);
  if (rows.length === 0) throw unprocessable("The body has no rows");
  if (rows.length > MOST_ROWS)
    throw unprocessable(`The body has more than ${MOST_ROWS} rows: send it in parts`);
  return { mode, dry_run, rows };
}

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > MOST_BULK_BYTES) {
      throw new Problem(413, `The body is larger than ${MOST_BULK_BYTES / 1_048_576} MiB: send it in parts`);
    }
    chunks.push(piece);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw unprocessable("The body is not UTF-8");
  }
}

function readNdjson(kind: BulkKind, text: string): GivenRow[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line, index) => {
    try {
      return readRow(kind, index + 1, JSON.parse(line));
    } catch (error) {
      if (error instanceof SyntaxError) return wrongRow(index + 1, "is not JSON");
      throw error;
    }
  });
}

function readCsv(kind: BulkKind, text: string): GivenRow[] {
  const [header = [], ...records] = parseCsv(text);
  const columns = header.map((name) => name.trim());
  checkHeader(kind, columns);
  return records.map((cells, index) => {
    const row = index + 1;
    if (cells.length !== columns.length) {
      return wrongRow(row, `has ${cells.length} cells, where the header has ${columns.length}`);
    }
    if (!cells.every(isStorable)) {
      return wrongRow(row, UNSTORABLE);
    }
    const errors: FieldError[] = [];
    const given = readQuery(rowSchemas[kind], toObject(kind, columns, cells), errors);
    return errors.length > 0 ? { row, given: {}, errors } : readRow(kind, row, given);
  });
}

function parseCsv(text: string): string[][] {
  try {
    return parse(text, { bom: true, skip_empty_lines: true, relax_column_count: true });
  } catch (error) {
    // The library's own errors have a code; anything else is nobody's to correct.
    const isOfCsv = error instanceof Error && "code" in error;
    throw isOfCsv ? unprocessable(`The CSV can't be read: ${error.message}`) : error;
  }
}

/** A column for a custom user field, by its id or its name: `custom_user_fields[7]`, `custom_user_fields[T-shirt]`. */
const CUSTOM_COLUMN = /^custom_user_fields\[(.+)\]$/;

/** A mistyped column must not be dropped in silence. @throws Problem 422 */
function checkHeader(kind: BulkKind, columns: readonly string[]): void {
  const known = Object.keys(rowSchemas[kind].properties ?? {}).filter((key) => key !== "custom_user_fields");
  const isKnown = (name: string) => known.includes(name) || (kind === "users" && CUSTOM_COLUMN.test(name));
  const more = kind === "users" ? ", custom_user_fields[<id or name>]" : "";
  const errors = columns.flatMap((name, index) => {
    const field = `header[${index}]`;
    if (!isKnown(name)) {
      return [{ field, message: `is ${JSON.stringify(name)}; what is known: ${known.join(", ")}${more}` }];
    }
    return columns.indexOf(name) < index ? [{ field, message: `names ${name} again` }] : [];
  });
  if (errors.length > 0) throw invalid(...errors);
}

/** An empty cell clears what may be empty, and says nothing of the rest. */
function toObject(kind: BulkKind, columns: readonly string[], cells: readonly string[]): object {
  const given: Record<string, unknown> = {};
  const custom: object[] = [];
  const { properties = {} } = rowSchemas[kind];
  for (const [index, column] of columns.entries()) {
    const cell = withoutGuard(cells[index] ?? "");
    const name = CUSTOM_COLUMN.exec(column)?.[1];
    if (name !== undefined) {
      const which = /^[1-9][0-9]*$/.test(name) ? { custom_user_field_id: Number(name) } : { name };
      if (cell !== "") custom.push({ ...which, value: cell });
    } else if (cell !== "" || Array.isArray(properties[column]?.type)) given[column] = cell;
  }
  return custom.length === 0 ? given : { ...given, custom_user_fields: custom };
}

/** Takes off the apostrophe that an export puts before what a spreadsheet would take for a formula. */
function withoutGuard(cell: string): string {
  return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}
