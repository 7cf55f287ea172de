import { noteBlankCertificates } from "../certificates/events.ts";
import { audit } from "../db/audit.ts";
import type { WriteTx } from "../db/db.ts";
import { noteMemberships } from "../groups/events.ts";
import { lockForUsers, refillGroups } from "../groups/refill.ts";
import { conflict, notFound } from "../http/problem.ts";
import { requireNoLessThanUser } from "../roles/limits.ts";
import {
  belongingCounters,
  blankAudit,
  blankBulkRows,
  type Removed,
  removeCustomData,
  removeFiles,
  removeSignIn,
} from "./belongings.ts";
import { blankEvents, noteAnonymized } from "./events.ts";
import { emailOfNobody, NAME_OF_NOBODY } from "./nobody.ts";
import { builtInRoles } from "./roles.ts";
import { toEmailKey } from "./users.ts";

const LEARNER_ROLE_ID = builtInRoles[0].id;

/**
 * Takes the person out of a user for ever: name, e-mail, profile, custom fields, everything they sign in with, files
 * that nothing shows, and what the audit log holds of them. Assignments, attempts, certificates and memberships stay as
 * a team's evidence, of nobody; out of groups that a rule fills they go.
 * @returns how many rows of each kind were removed.
 * @throws Problem 404; 403 for one who may more than the caller; 409 for one who is anonymous already.
 */
export async function anonymizeUser(tx: WriteTx, user_id: number): Promise<{ removed: Removed; at: string }> {
  const write = await lockForUsers(tx, ...belongingCounters);
  const { at } = write;
  // Locked: a mail that was being noted is removed too, and none is noted from now on.
  const user = await tx.sql
    .selectFrom("users")
    .select(["archived_at", "anonymized_at"])
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .forUpdate()
    .executeTakeFirst();
  if (user === undefined) throw notFound("User");
  await requireNoLessThanUser(tx, user_id);
  if (user.anonymized_at !== null) throw conflict("This user is anonymous already");
  const removed = {
    ...(await removeSignIn(tx, user_id)),
    ...(await removeCustomData(tx, user_id, at)),
    ...(await removeFiles(tx, user_id, at)),
    ...(await removeManaging(tx, user_id)),
    ...(await blankBulkRows(tx, user_id)),
    ...(await blankCertificates(tx, user_id)),
  };
  await blankProfile(tx, user_id, { anonymized_at: at, ...(user.archived_at === null && archived(tx, at)) });
  await refillGroups(tx, write, [user_id]);
  await blankAudit(tx, user_id);
  await blankEvents(tx, user_id);
  await noteAnonymized(tx, user_id);
  await noteBlankCertificates(tx, user_id);
  await audit(tx, { action: "anonymize_user", resource_type: "user", resource_id: user_id, at });
  return { removed, at };
}

function archived({ actor }: WriteTx, at: string) {
  return { archived_at: at, archived_by_user_id: actor.user_id };
}

async function blankProfile(
  tx: WriteTx,
  user_id: number,
  state: { anonymized_at: string; archived_at?: string; archived_by_user_id?: number | null },
): Promise<void> {
  const email = emailOfNobody(user_id);
  await tx.sql
    .updateTable("users")
    .set({
      ...state,
      name: NAME_OF_NOBODY,
      email,
      email_key: toEmailKey(email),
      role_id: LEARNER_ROLE_ID,
      locale: "en",
      ext_uid: null,
      sso_id: null,
      job_title: null,
      business_unit: null,
      department: null,
      location: null,
      hire_date: null,
      manager_name: null,
      mobile_phone_number: null,
      last_sign_in_at: null,
    })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .execute();
}

/** Nobody manages a group. That they were a member of it stays, as the group's results are made of its members'. */
async function removeManaging(tx: WriteTx, user_id: number): Promise<Removed> {
  const rows = await tx.sql
    .deleteFrom("memberships")
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .where("role", "=", "manager")
    .returning(["group_id", "user_id", "role"])
    .execute();
  noteMemberships(tx, "deleted", rows);
  return { managed_groups: rows.length };
}

async function blankCertificates(tx: WriteTx, user_id: number): Promise<Removed> {
  const { numUpdatedRows } = await tx.sql
    .updateTable("certificates")
    .set({ user_name: NAME_OF_NOBODY })
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  return { names_on_certificates: Number(numUpdatedRows) };
}
