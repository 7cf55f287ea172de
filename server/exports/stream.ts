import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import type { Company } from "../companies/companies.ts";
import type { Database, Tx } from "../db/db.ts";
import { unavailable } from "../http/problem.ts";
import type { Viewer } from "../privileges/privileges.ts";
import { type Row, type Writing, writeHead, writeRows } from "./csv.ts";

/** Rows that are read at once: enough that reading costs little, few enough that memory does not feel them. */
const PAGE_ROWS = 1_000;
/** Exports that run at once in one process: each holds a connection, of which other requests need most. */
const MOST_AT_ONCE = 2;
const RETRY_AFTER_SECONDS = 10;
/** A client that takes nothing for this long holds a snapshot for nobody. */
const STALLED_MS = 20_000;
/** The longest that an export may hold its snapshot, as PostgreSQL cleans up no row that it could still see. */
const LONGEST_MS = 600_000;

/** A page of rows behind a position, in the order of the export. */
export type ReadPage<P, R> = (tx: Tx, after: P | undefined, limit: number) => Promise<readonly R[]>;

/** What is exported: pages of what the database holds, and how a row and its position are made of them. */
export interface Exported<P, R> {
  readonly read: ReadPage<P, R>;
  readonly position: (row: R) => P;
  readonly show: (row: R, tx: Tx) => Row;
}

/** For whom, and how it is written. */
export interface ExportRequest extends Writing {
  readonly company: Company;
  readonly viewer: Viewer;
  /** Runs before the first row is read; where it fails, nothing is exported. */
  readonly note?: () => Promise<void>;
}

/**
 * Streams all rows as they are at one moment, in memory that does not grow with them. Nothing is read ahead of a client
 * that is slow; one that has stopped, or takes for ever, is cut off, so that it sees that the export is not whole.
 * @throws Problem 503 while too many exports run.
 */
export function streamExport<P, R>(
  database: Database,
  request: ExportRequest,
  exported: Exported<P, R> | readonly Exported<P, R>[],
): Readable {
  const release = enter(database);
  const output = new PassThrough();
  const ending = new AbortController();
  const late = setTimeout(() => output.destroy(new Error("the export took too long")), LONGEST_MS);
  output.once("close", () => ending.abort());
  const read = () =>
    database.readSnapshot(
      request.company,
      (tx) => writeParts(tx, { output, signal: ending.signal, request, parts: [exported].flat() }),
      request.viewer,
    );
  (request.note?.() ?? Promise.resolve())
    .then(read)
    .then(
      () => output.end(),
      (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))),
    )
    .finally(() => {
      clearTimeout(late);
      release();
    });
  return output;
}

interface Work<P, R> {
  readonly output: PassThrough;
  readonly signal: AbortSignal;
  readonly request: ExportRequest;
  /** They follow each other, with the same columns. */
  readonly parts: readonly Exported<P, R>[];
}

async function writeParts<P, R>(tx: Tx, work: Work<P, R>): Promise<void> {
  // Read before anything is written: what fails at once is told as an error, with its status.
  let head = writeHead(work.request);
  for (const part of work.parts) {
    for await (const rows of readPages(tx, part)) {
      await write(work, head + writeRows(work.request, rows));
      head = "";
      if (work.output.destroyed) return;
    }
  }
}

async function* readPages<P, R>(tx: Tx, { read, position, show }: Exported<P, R>): AsyncGenerator<Row[]> {
  let after: P | undefined;
  for (;;) {
    const rows = await read(tx, after, PAGE_ROWS);
    yield rows.map((row) => show(row, tx));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = position(last);
  }
}

async function write(
  { output, signal }: Pick<Work<unknown, unknown>, "output" | "signal">,
  text: string,
): Promise<void> {
  if (text !== "" && !output.destroyed && !output.write(text)) await drained(output, signal);
}

/** Waits until the client has taken what was written, but not for ever. */
async function drained(output: PassThrough, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.timeout(STALLED_MS);
  await once(output, "drain", { signal: AbortSignal.any([signal, patience]) });
}

/** How many exports run, for each database of this process. */
const running = new WeakMap<Database, number>();

function enter(database: Database): () => void {
  const before = running.get(database) ?? 0;
  if (before >= MOST_AT_ONCE) {
    throw unavailable("Other exports are being written: try again in a moment", RETRY_AFTER_SECONDS);
  }
  running.set(database, before + 1);
  return () => running.set(database, (running.get(database) ?? 1) - 1);
}
