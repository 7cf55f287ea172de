import type { Static } from "typebox";
import { lockForUsers } from "../groups/refill.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { conflict, notFound } from "../http/problem.ts";
import { requireMatch } from "../http/match.ts";
import type { Privilege } from "../privileges/privileges.ts";
import { utcTime } from "../time.ts";
import { anonymizeUser } from "./anonymize.ts";
import type { Removed } from "./belongings.ts";
import { listCustomData } from "./custom-fields.ts";
import { eraseUser } from "./delete.ts";
import { selectProfiles, toProfile } from "./show.ts";
import { archiveUser, countersToUpdate, createUser, restoreUser, updateUser } from "./users.ts";
import type { Erasure, NewUserProfile, UserProfile, UserProfileUpdate } from "./v2-schema.ts";
import { requireVisibleUser } from "./visible.ts";

/**
 * One user as version 2 shows them.
 * @throws Problem 404, also for a user that the viewer's privilege does not reach.
 */
export async function getProfile(
  tx: Tx,
  id: number,
  privilege: Privilege = "users.read",
): Promise<UserProfile> {
  await requireVisibleUser(tx, privilege, id);
  return readProfile(tx, id);
}

/** Makes a user. @throws Problem as createUser has it. */
export async function createProfile(tx: WriteTx, body: Static<typeof NewUserProfile>): Promise<UserProfile> {
  const { id } = await createUser(tx, body);
  return readProfile(tx, id);
}

/**
 * Changes what the body names of a user.
 * @throws Problem 404; 409 for an archived user; 412; 422 as updateUser has it.
 */
export async function updateProfile(
  tx: WriteTx,
  id: number,
  body: Static<typeof UserProfileUpdate>,
): Promise<UserProfile> {
  // updateUser locks the same again, which waits for nobody.
  await lockForUsers(tx, ...countersToUpdate(body));
  requireMatch(tx, await getProfile(tx, id, "users.write"), body);
  await updateUser(tx, id, body);
  return readProfile(tx, id);
}

/** Archives a user. @throws Problem 404; 403 for one who may more than the caller; 409 for oneself */
export async function archiveProfile(tx: WriteTx, id: number): Promise<UserProfile> {
  await requireOther(tx, "users.write", id);
  await archiveUser(tx, id);
  return readProfile(tx, id);
}

/** Restores a user. @throws Problem 404; 403 for one who may more than the caller; 409 for one who is anonymous */
export async function restoreProfile(tx: WriteTx, id: number): Promise<UserProfile> {
  await requireOther(tx, "users.write", id);
  await restoreUser(tx, id);
  return readProfile(tx, id);
}

/** Removes a person. @throws Problem 404; 403 for one who may more than the caller; 409 for oneself */
export async function eraseProfile(tx: WriteTx, id: number): Promise<Static<typeof Erasure>> {
  await requireOther(tx, "users.erase", id);
  return toReceipt(id, await eraseUser(tx, id));
}

/** Takes the person out of a user. @throws Problem 404; 403 for one who may more than the caller; 409 for oneself */
export async function anonymizeProfile(tx: WriteTx, id: number): Promise<Static<typeof Erasure>> {
  await requireOther(tx, "users.erase", id);
  return toReceipt(id, await anonymizeUser(tx, id));
}

async function readProfile(tx: Tx, id: number): Promise<UserProfile> {
  const [row, custom] = await Promise.all([
    selectProfiles(tx).where("users.id", "=", id).executeTakeFirst(),
    listCustomData(tx, [id]),
  ]);
  if (row === undefined) throw notFound("User");
  return { ...toProfile(row), custom_user_fields: custom.get(id) ?? [] };
}

/** Somebody whom the caller reaches, and not themselves: who locks themselves out can't let themselves in again. */
async function requireOther(tx: WriteTx, privilege: Privilege, id: number): Promise<void> {
  await requireVisibleUser(tx, privilege, id);
  if (id !== tx.viewer.user_id) return;
  throw conflict("Nobody can do this to themselves: ask another administrator");
}

function toReceipt(id: number, { removed, at }: { removed: Removed; at: string }): Static<typeof Erasure> {
  const found = Object.entries(removed).filter(([, rows]) => rows > 0);
  return { id, at: utcTime(at), removed: found.map(([what, rows]) => ({ what, rows })) };
}
