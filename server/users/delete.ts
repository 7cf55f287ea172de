import type { Static } from "typebox";
import { deleteAssignmentsOfUser } from "../assignments/delete.ts";
import { assignmentCounters } from "../assignments/give.ts";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { removeFromLists } from "../db/lists.ts";
import { follow } from "../events/changes.ts";
import { notFound } from "../http/problem.ts";
import { requireNoLessThanUser } from "../roles/limits.ts";
import {
  belongingCounters,
  blankAudit,
  blankBulkRows,
  deleteOf,
  disown,
  type Removed,
  removeCustomData,
  removeFiles,
  removeLearning,
  removeMemberships,
  removeSignIn,
} from "./belongings.ts";
import { blankEvents, userEvents } from "./events.ts";
import type { DeletedUser } from "./schema.ts";

/** Removes a person, as version 1 answers it. @throws Problem 404 */
export async function deleteUser(tx: WriteTx, user_id: number): Promise<Static<typeof DeletedUser>> {
  await eraseUser(tx, user_id);
  return { type: "delete_user", id: String(user_id) };
}

/**
 * Removes a person: the user and all that is stored of them. Their id is never used again, their e-mail and ext_uid
 * are free. The audit log keeps what was done when, and no more of them than the id. What they have written stays,
 * without an owner.
 * @returns how many rows of each kind were removed.
 * @throws Problem 404; 403 for one who may more than the caller.
 */
export async function eraseUser(tx: WriteTx, user_id: number): Promise<{ removed: Removed; at: string }> {
  const at = await lockCounters(tx, ...belongingCounters, ...assignmentCounters);
  // Locked: who wrote a row that names them, as a mail's, is waited for; who writes one finds them gone.
  const user = await tx.sql
    .selectFrom("users")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .forUpdate()
    .executeTakeFirst();
  if (user === undefined) throw notFound("User");
  await requireNoLessThanUser(tx, user_id);
  // Attempts before assignments: when the completions are counted anew, nothing is left to count.
  const removed = {
    ...(await removeLearning(tx, user_id, at)),
    ...(await deleteAssignmentsOfUser(tx, user_id, at)),
    ...(await removeFiles(tx, user_id, at)),
    ...(await removeSignIn(tx, user_id)),
    ...(await removeMemberships(tx, user_id)),
    ...(await deleteOf(tx, user_id, ["content_authors"])),
    ...(await removeCustomData(tx, user_id, at)),
    ...(await disown(tx, user_id)),
    ...(await blankBulkRows(tx, user_id)),
  };
  // Now, so that the tombstone of the user comes after those of what hung on them.
  await follow(tx, userEvents, [user_id]);
  await tx.sql
    .deleteFrom("users")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .execute();
  await removeFromLists(tx, [{ list: "users", id: user_id }]);
  await blankAudit(tx, user_id);
  await blankEvents(tx, user_id);
  await moveCounter(tx, { kind: "users", total: -1, at });
  await audit(tx, { action: "delete_user", resource_type: "user", resource_id: user_id, at });
  return { removed, at };
}
