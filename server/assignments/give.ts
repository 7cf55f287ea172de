import type { WriteTx } from "../db/db.ts";
import { adoptCompletions } from "../learning/path-elsewhere.ts";
import type { Wanted } from "./assignments.ts";
import { countAssignments } from "./counts.ts";
import { createAssignments } from "./create.ts";
import { findTargets, pairKey, thingKey } from "./targets.ts";

/** The counters that whatever changes assignments has to lock: a completed path may give a certificate. */
export const assignmentCounters = [
  "assignments",
  "assignments/Completed",
  "assignments/Grade Pending",
  "assignments/Incomplete",
  "certificates",
] as const;

/**
 * Makes the assignments that do not exist yet, as for somebody who joins a group that is assigned things. What exists
 * stays as it is; archived users and archived things get and give nothing. Needs `assignmentCounters` locked.
 */
export async function giveAssignments(tx: WriteTx, wanted: readonly Wanted[], at: string): Promise<void> {
  if (wanted.length === 0) return;
  const { users, things, existing } = await findTargets(tx, {
    user_ids: wanted.map(({ assignee_id }) => assignee_id),
    things: wanted,
    pairs: wanted,
  });
  const missing = new Map<string, Wanted>();
  for (const item of wanted) {
    const key = pairKey(item);
    const isPossible =
      users.get(item.assignee_id)?.archived_at === null && things.get(thingKey(item))?.archived_at === null;
    if (isPossible && !existing.has(key) && !missing.has(key)) missing.set(key, item);
  }
  const created = await createAssignments(tx, { wanted: [...missing.values()], users, at });
  const { rows: after, learners } = await adoptCompletions(tx, created, at);
  await countAssignments(tx, { before: [], after, learners, at });
}
