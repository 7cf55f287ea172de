import type { Static, TSchema } from "typebox";
import type { Kind } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { checker } from "./check.ts";
import type { Part } from "./parts.ts";
import type { Batch } from "./rows.ts";
import type { Spool } from "./spool.ts";
import { Writer } from "./writer.ts";

/** An import under way. */
export interface Import {
  readonly tx: WriteTx;
  readonly spool: Spool;
  /** The time of the import, for what the bundle gives no time. */
  readonly at: string;
  readonly ids: LargestIds;
}

/** The largest id of each kind that the bundle names: the counters go on from there. */
export class LargestIds {
  readonly #largest = new Map<Kind, number>();

  note(kind: Kind, id: number | null | undefined): void {
    if (id != null && id > (this.#largest.get(kind) ?? 0)) this.#largest.set(kind, id);
  }

  entries(): [Kind, number][] {
    return [...this.#largest];
  }
}

/** Where an element stands in the bundle. */
export interface Place {
  readonly element: number;
  readonly pointer: string;
}

/** How to import one array. */
export interface PartImport<S extends TSchema> {
  readonly schema: S;
  /** The tables that `take` adds rows to, in the order in which they are written. */
  readonly tables: readonly Batch[];
  readonly take: (item: Static<S>, place: Place) => void;
}

/**
 * Reads an array element by element and writes the rows that `take` makes of each.
 * @returns how many elements it has.
 * @throws OperatorError for the first element that is wrong.
 */
export async function importPart<S extends TSchema>(
  { tx, spool }: Import,
  part: Part,
  { schema, tables, take }: PartImport<S>,
): Promise<number> {
  const check = checker(schema);
  const writer = new Writer(tx, part, tables);
  let element = 0;
  try {
    for await (const values of spool.elements(part)) {
      for (const value of values) {
        const pointer = `/${part}/${element}`;
        take(check(value, pointer), { element, pointer });
        element += 1;
      }
      await writer.flush();
    }
  } finally {
    // What was read before a wrong element is written, and looked at, before that one is reported; and no statement
    // is left under way.
    await writer.finish();
  }
  return element;
}
