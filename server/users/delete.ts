import { sql } from "kysely";
import type { Static } from "typebox";
import { deleteAssignmentsOfUser } from "../assignments/delete.ts";
import { assignmentCounters } from "../assignments/give.ts";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { removeFromLists } from "../db/lists.ts";
import { notFound } from "../http/problem.ts";
import type { DeletedUser } from "./schema.ts";

/**
 * Removes a person: the user and all that is stored of them. Their id is never used again, their e-mail and ext_uid
 * are free. The audit log keeps what was done when, and no more of them than the id.
 * @throws Problem 404
 */
export async function deleteUser(tx: WriteTx, user_id: number): Promise<Static<typeof DeletedUser>> {
  // Groups too: nobody may put the user into one meanwhile.
  const at = await lockCounters(tx, "users", "groups", "custom_user_field_values", ...assignmentCounters);
  const user = await tx.sql
    .selectFrom("users")
    .select("id")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .executeTakeFirst();
  if (user === undefined) throw notFound("User");
  await deleteAssignmentsOfUser(tx, user_id, at);
  await deleteBelongings(tx, user_id, at);
  await tx.sql
    .deleteFrom("users")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .execute();
  await removeFromLists(tx, [{ list: "users", id: user_id }]);
  await blankAudit(tx, user_id);
  await moveCounter(tx, { kind: "users", total: -1, at });
  await audit(tx, { action: "delete_user", resource_type: "user", resource_id: user_id, at });
  return { type: "delete_user", id: String(user_id) };
}

async function blankAudit(tx: WriteTx, user_id: number): Promise<void> {
  await sql`select blank_audit_of_user(${tx.company.id}, ${user_id})`.execute(tx.sql);
}

async function deleteBelongings(tx: WriteTx, user_id: number, at: string): Promise<void> {
  for (const table of ["memberships", "passwords", "library_uses"] as const) {
    await tx.sql
      .deleteFrom(table)
      .where("company_id", "=", tx.company.id)
      .where("user_id", "=", user_id)
      .execute();
  }
  const values = await tx.sql
    .deleteFrom("custom_user_field_values")
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  await moveCounter(tx, { kind: "custom_user_field_values", total: -Number(values.numDeletedRows), at });
  await tx.sql
    .updateTable("api_keys")
    .set({ made_by_user_id: null })
    .where("company_id", "=", tx.company.id)
    .where("made_by_user_id", "=", user_id)
    .execute();
}
