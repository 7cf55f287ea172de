import type { Tx } from "../db/db.ts";
import { type FieldError, invalid } from "../http/problem.ts";

/** The roles that every company has, under the ids that clients know. Custom roles have ids from 100. */
export const builtInRoles = [
  { id: 32, name: "learner" },
  { id: 34, name: "creator" },
  { id: 36, name: "manager" },
  { id: 42, name: "admin" },
] as const;
export const ADMIN_ROLE_ID = 42;

/**
 * The role that a body names, by name or by id.
 * @returns undefined when it names none.
 * @throws Problem 400 for an unknown role, or two that differ.
 */
export async function readRole(
  tx: Tx,
  { role, role_id }: { readonly role?: string; readonly role_id?: number },
): Promise<number | undefined> {
  if (role === undefined && role_id === undefined) return undefined;
  const builtIn = builtInRoles.find(({ name }) => name === role);
  if (role_id === undefined) {
    if (builtIn === undefined) throw invalid(unknownRole);
    return builtIn.id;
  }
  const found = await tx.sql
    .selectFrom("roles")
    .select("name")
    .where("company_id", "=", tx.company.id)
    .where("id", "=", role_id)
    .executeTakeFirst();
  if (found === undefined) throw invalid({ field: "role_id", message: "names no role of this company" });
  if (role !== undefined && role !== found.name) {
    throw invalid({ field: "role", message: `is another role than role_id: give one of the two` });
  }
  return role_id;
}

const unknownRole: FieldError = {
  field: "role",
  message: `must be one of ${builtInRoles.map(({ name }) => name).join(", ")}; a custom role is named by role_id`,
};
