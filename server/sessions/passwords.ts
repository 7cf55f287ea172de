import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { conflict, invalid, notFound } from "../http/problem.ts";
import { hashPassword, verifyPassword } from "../users/passwords.ts";
import { allowsPasswords } from "../sso/providers.ts";
import { endSessionsOf } from "./end.ts";
import { findPasswordFault, type Known } from "./password-rules.ts";
import { signsInElsewhere } from "./sign-in.ts";

/** A person as far as the rules for a password ask, and the hash that is stored. */
export interface PasswordOwner extends Known {
  readonly user_id: number;
  readonly hash: string | null;
  readonly archived_at: string | null;
}

/**
 * Reads whose password is to be changed.
 * @throws Problem 404; 403 where passwords are switched off; 409 for who has none yet.
 */
async function getPasswordOwner(tx: Tx, user_id: number): Promise<PasswordOwner & { hash: string }> {
  if (!(await allowsPasswords(tx))) throw signsInElsewhere();
  const { hash, ...owner } = await findOwner(tx, user_id);
  if (hash === null) throw conflict("You have no password yet: ask for a link to set one");
  return { ...owner, hash };
}

/** Reads a person who is to have a password, whether they have one or not. @throws Problem 404 */
export async function findOwner(tx: Tx, user_id: number): Promise<PasswordOwner> {
  const owner = await tx.sql
    .selectFrom("users")
    .leftJoin("passwords", (join) =>
      join
        .onRef("passwords.company_id", "=", "users.company_id")
        .onRef("passwords.user_id", "=", "users.id")
        .on("passwords.company_id", "=", tx.company.id),
    )
    .select(["users.id as user_id", "users.name", "users.email", "users.archived_at", "passwords.hash"])
    .where("users.company_id", "=", tx.company.id)
    .where("users.id", "=", user_id)
    .executeTakeFirst();
  if (owner === undefined) throw notFound("User");
  return { ...owner, subdomain: tx.company.subdomain };
}

/**
 * Changes a person's own password; every other session of theirs ends, and every link that they were sent.
 * The hashing takes long, so it comes before anything is locked.
 * @param session_id the session that asks, which goes on.
 * @throws Problem 422 for a wrong present password, or a new one that is soon guessed; 409 for one that was changed meanwhile.
 */
export async function changePassword(
  tx: WriteTx,
  { user_id, session_id }: { readonly user_id: number; readonly session_id: number },
  { current_password, new_password }: { readonly current_password: string; readonly new_password: string },
): Promise<{ user_id: number }> {
  const owner = await getPasswordOwner(tx, user_id);
  checkNewPassword("new_password", new_password, owner);
  if ((await verifyPassword(current_password, owner.hash)) === "wrong") {
    throw invalid({ field: "current_password", message: "is wrong" });
  }
  const hash = await hashPassword(new_password);
  await lockCounters(tx, "sessions");
  const { hash: stored } = await findOwner(tx, user_id);
  if (stored !== owner.hash) throw conflict("Your password was changed in this moment: sign in again");
  await setPassword(tx, { user_id, hash, keep: session_id });
  return { user_id };
}

/** @throws Problem 422 for a password that is soon guessed. */
export function checkNewPassword(field: string, password: string, known: Known): void {
  const message = findPasswordFault(password, known);
  if (message !== undefined) throw invalid({ field, message });
}

/** A password as it is to be stored, whose, and the session of theirs that goes on. */
interface NewPassword {
  readonly user_id: number;
  readonly hash: string;
  readonly keep: number;
}

/** Stores a password, and ends every other session and every link of its person. The counter of sessions is locked. */
export async function setPassword(tx: WriteTx, { user_id, hash, keep }: NewPassword): Promise<void> {
  const changed_at = tx.now.toISOString();
  await tx.sql
    .insertInto("passwords")
    .values({ company_id: tx.company.id, user_id, hash, changed_at })
    .onConflict((oc) =>
      oc.columns(["company_id", "user_id"]).doUpdateSet((eb) => ({
        hash: eb.ref("excluded.hash"),
        changed_at: eb.ref("excluded.changed_at"),
      })),
    )
    .execute();
  await endSessionsOf(tx, [user_id], keep);
  await audit(
    { ...tx, actor: { ...tx.actor, type: "user", id: user_id, user_id } },
    { action: "change_password", resource_type: "user", resource_id: user_id, at: changed_at },
  );
}
