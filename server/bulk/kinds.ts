import { assignmentCounters } from "../assignments/give.ts";
import { lockCounters } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { lockForUsers, type UserWrite } from "../groups/refill.ts";
import { emailCounters } from "../users/users.ts";
import { applyAssignmentRows } from "./assignments.ts";
import { applyMembershipRows } from "./memberships.ts";
import type { BulkKind, GivenRow, Outcome } from "./rows.ts";
import { applyUserRows } from "./users.ts";

/** Locks the counters that rows of a kind may move. */
export async function lockFor(tx: WriteTx, kind: BulkKind): Promise<UserWrite> {
  if (kind === "users") return lockForUsers(tx, ...emailCounters);
  const more = kind === "memberships" ? (["groups"] as const) : [];
  return { at: await lockCounters(tx, ...more, ...assignmentCounters), groups: [] };
}

const appliers = {
  users: applyUserRows,
  memberships: applyMembershipRows,
  assignments: applyAssignmentRows,
} as const;

/** Does what rows say. A row that can't be done is refused, and the others are done all the same. */
export async function applyRows(
  tx: WriteTx,
  kind: BulkKind,
  { rows, locked }: { readonly rows: readonly GivenRow[]; readonly locked: UserWrite },
): Promise<Outcome[]> {
  return appliers[kind](tx, rows, locked);
}
