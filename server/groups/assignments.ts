import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import { notFound } from "../http/problem.ts";
import type { GroupAssignments } from "./schema.ts";

/**
 * What a group is assigned, archived content included, by id.
 * @throws Problem 404
 */
export async function listGroupAssignments(
  tx: Tx,
  group_id: number,
): Promise<Static<typeof GroupAssignments>> {
  const [group, assignments] = await Promise.all([
    tx.sql
      .selectFrom("groups")
      .select("id")
      .where("company_id", "=", tx.company.id)
      .where("id", "=", group_id)
      .executeTakeFirst(),
    tx.sql
      .selectFrom("group_assignments")
      .select(["id", "assignable_id", "assignable_type", "group_id"])
      .where("company_id", "=", tx.company.id)
      .where("group_id", "=", group_id)
      .orderBy("id")
      .execute(),
  ]);
  if (group === undefined) throw notFound("Group");
  return assignments;
}
