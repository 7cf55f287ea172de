import { audit } from "../db/audit.ts";
import type { WriteTx } from "../db/db.ts";
import { adoptCompletions } from "../learning/path-elsewhere.ts";
import type { AssignmentRow, Wanted } from "./assignments.ts";
import { countAssignments } from "./counts.ts";
import { createAssignments } from "./create.ts";
import { reassign } from "./reassign.ts";
import { pairKey, type Targets } from "./targets.ts";

/** What a request asked for, checked. */
export interface Request {
  readonly wanted: readonly Wanted[];
  readonly targets: Targets;
  readonly at: string;
}

export interface Saved {
  /** What the request asked for, in its order, each once. */
  readonly rows: AssignmentRow[];
  readonly created: readonly AssignmentRow[];
  readonly reassigned: {
    readonly before: readonly AssignmentRow[];
    readonly after: readonly AssignmentRow[];
  };
}

/** Makes what does not exist, begins anew what is completed, leaves the rest, and counts. */
export async function saveAssignments(tx: WriteTx, { wanted, targets, at }: Request): Promise<Saved> {
  const asked = new Map<string, Wanted>();
  for (const item of wanted) {
    const key = pairKey(item);
    if (!asked.has(key)) asked.set(key, item);
  }
  const { users, existing } = targets;
  const completed = [...asked].flatMap(([key, { due_by }]) => {
    const row = existing.get(key);
    return row?.status === "Completed" ? [{ row, due_by }] : [];
  });
  const missing = [...asked].filter(([key]) => !existing.has(key)).map(([, item]) => item);
  const { rows: created, learners: adopters } = await adoptCompletions(
    tx,
    await createAssignments(tx, { wanted: missing, users, at }),
    at,
  );
  const { rows: after, learners } = await reassign(tx, completed, at);
  const before = completed.map(({ row }) => row);
  await countAssignments(tx, {
    before,
    after: [...created, ...after],
    learners: [...learners, ...adopters],
    silent: new Set(
      [...created, ...after].filter((row) => asked.get(pairKey(row))?.notify === false).map(({ id }) => id),
    ),
    at,
  });
  const rows = new Map([...existing, ...[...created, ...after].map((row) => [pairKey(row), row] as const)]);
  return {
    rows: [...asked.keys()].flatMap((key) => rows.get(key) ?? []),
    created,
    reassigned: { before, after },
  };
}

interface Deed {
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: number;
  readonly at: string;
}

/** Writes what was assigned into the audit; nothing, when all of it was there before. */
export async function auditAssignments(
  tx: WriteTx,
  { created, reassigned }: Saved,
  deed: Deed,
): Promise<void> {
  const { before, after } = reassigned;
  if (created.length === 0 && after.length === 0) return;
  // What is the same for all (the resource, the time, the status) is left out: there may be thousands.
  const about = deed.resource_type === "user" ? toThing : toAssignee;
  await audit(tx, {
    ...deed,
    before: before.length === 0 ? null : { assignments: before.map(toResult) },
    after: { assignments: [...created, ...after].map(about) },
  });
}

function toAssignee({ id, assignee_id, due_by }: AssignmentRow): object {
  return { id, assignee_id, due_by };
}

function toThing({ id, assignable_type, assignable_id, due_by }: AssignmentRow): object {
  return { id, assignable_type, assignable_id, due_by };
}

function toResult({ id, due_by, reassigned_at, started_at, completed_at }: AssignmentRow): object {
  return { id, due_by, reassigned_at, started_at, completed_at };
}
