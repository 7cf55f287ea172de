import { Type, type Static } from "typebox";
import { CursorQuery, listOf } from "../http/cursor.ts";
import { closed, component, Id, nullable, ref, Time } from "../http/schema.ts";
import { ExportQuery } from "../exports/schema.ts";
import { bulkKinds, type BulkKind } from "./rows.ts";

/** Rows of one job: they are worked off in seconds, and a wrong file is found soon. */
export const MOST_ROWS = 10_000;

const modes = ["all_or_nothing", "row_by_row"] as const;
const mode = Type.Unsafe<(typeof modes)[number]>({
  type: "string",
  enum: modes,
  default: "row_by_row",
  description: "Whether one refused row refuses all of them.",
});
const dry_run = Type.Boolean({
  description: "`true` tells what would become of each row, and changes nothing.",
});

export const BulkBody = closed({
  rows: Type.Array(Type.Unsafe<unknown>({ type: "object" }), {
    minItems: 1,
    maxItems: MOST_ROWS,
    description: "As the summary of the operation says. A wrong row is refused by itself.",
  }),
  mode: Type.Optional(mode),
  dry_run: Type.Optional(dry_run),
});
export type BulkBody = Static<typeof BulkBody>;

/** What stands in the address where the body is CSV or NDJSON. */
export const BulkQuery = closed({ mode: Type.Optional(mode), dry_run: Type.Optional(dry_run) });

const statuses = ["waiting", "running", "done", "refused", "cancelled"] as const;
const count = Type.Integer({ minimum: 0 });

export const BulkJob = component(
  "BulkJob",
  closed({
    id: Id,
    kind: Type.Unsafe<BulkKind>({ type: "string", enum: bulkKinds }),
    mode,
    dry_run,
    status: Type.Unsafe<(typeof statuses)[number]>({
      type: "string",
      enum: statuses,
      description: "refused: nothing was done, as a row was refused in `all_or_nothing`, or the work failed.",
    }),
    total: Type.Integer({ minimum: 0, description: "Rows in all." }),
    done: Type.Integer({ minimum: 0, description: "Rows that are worked off." }),
    message: nullable(Type.String(), { description: "Why it was refused." }),
    created_at: Time,
    started_at: nullable(Time),
    finished_at: nullable(Time),
    outcomes: Type.Optional(
      closed(
        { created: count, updated: count, removed: count, unchanged: count, refused: count },
        { description: "How many rows ended how; not in lists." },
      ),
    ),
  }),
);
export type BulkJob = Static<typeof BulkJob>;

export const BulkJobs = listOf(ref(BulkJob));
export const BulkJobsQuery = closed({
  ...CursorQuery,
  "filter[status]": Type.Optional(
    Type.Unsafe<(typeof statuses)[number]>({
      type: "string",
      enum: statuses,
      description: "Jobs in this state.",
    }),
  ),
});
export type BulkJobsQuery = Static<typeof BulkJobsQuery>;
export const JobParams = Type.Object({ job_id: Id });

const outcomes = ["created", "updated", "removed", "unchanged", "refused"] as const;

export const BulkResult = component(
  "BulkResult",
  closed({
    row: Type.Integer({
      minimum: 1,
      description: "Its number in what was sent, from 1; a CSV's header is none.",
    }),
    outcome: Type.Unsafe<(typeof outcomes)[number] | null>({
      type: ["string", "null"],
      enum: [...outcomes, null],
      description: "Null while it waits, and where nothing was done as another row was refused.",
    }),
    id: nullable(Id, {
      description: "The user (memberships too) or the assignment; null where none is there, as in a dry run.",
    }),
    errors: Type.Array(closed({ field: Type.String(), message: Type.String() }), {
      description: "Why it was refused.",
    }),
  }),
);
export type BulkResult = Static<typeof BulkResult>;
export const BulkResults = listOf(ref(BulkResult));
export const BulkResultsQuery = closed({
  ...CursorQuery,
  format: Type.Optional(
    Type.Unsafe<"json" | "csv" | "ndjson">({
      type: "string",
      enum: ["json", "csv", "ndjson"],
      default: "json",
      description: "A page as JSON, or the whole as a file.",
    }),
  ),
  bom: ExportQuery.bom,
  "filter[outcome]": Type.Optional(
    Type.Unsafe<(typeof outcomes)[number]>({
      type: "string",
      enum: outcomes,
      description: "Rows that ended so.",
    }),
  ),
});
export type BulkResultsQuery = Static<typeof BulkResultsQuery>;
