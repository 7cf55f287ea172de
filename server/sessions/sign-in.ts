import type { Tx, WriteTx } from "../db/db.ts";
import { forbidden } from "../http/problem.ts";
import { hashPassword, verifyPassword } from "../users/passwords.ts";
import { toEmailKey } from "../users/users.ts";
import { allowsPasswords } from "../sso/providers.ts";
import { hashToken } from "./find.ts";
import { notSignedIn, startSession, type StartedSession } from "./start.ts";

/** A person whose password was right, with the hash that it was compared with. */
export interface Verified {
  readonly user_id: number;
  readonly hash: string;
  /** The hash with the parameters of now, where the stored one has others. */
  readonly rehashed: string | undefined;
}

/**
 * What is stored for an e-mail; undefined for one that nobody active has, or who has no password.
 * @throws Problem 403 where the company's people have no passwords, whatever the e-mail.
 */
export async function findCredentials(
  tx: Tx,
  email: string,
): Promise<{ user_id: number; hash: string } | undefined> {
  if (!(await allowsPasswords(tx))) throw signsInElsewhere();
  return tx.sql
    .selectFrom("users")
    .innerJoin("passwords", (join) =>
      join.onRef("passwords.company_id", "=", "users.company_id").onRef("passwords.user_id", "=", "users.id"),
    )
    .select(["passwords.user_id", "passwords.hash"])
    .where("users.company_id", "=", tx.company.id)
    .where("passwords.company_id", "=", tx.company.id)
    .where("users.email_key", "=", toEmailKey(email))
    .where("users.archived_at", "is", null)
    .executeTakeFirst();
}

/** Compares a password, outside any transaction as it takes long; of nobody's it takes as long. */
export async function verify(
  password: string,
  stored: { readonly user_id: number; readonly hash: string } | undefined,
): Promise<Verified | undefined> {
  const verdict = await verifyPassword(password, stored?.hash);
  if (stored === undefined || verdict === "wrong") return undefined;
  return { ...stored, rehashed: verdict === "outdated" ? await hashPassword(password) : undefined };
}

/** What a browser has sent along: its name, and the session that it had before. */
export interface Browser {
  readonly user_agent: string | undefined;
  readonly token: string | undefined;
}

/**
 * Signs a person in whose password was right a moment ago, and ends the session that the browser had.
 * @throws Problem 401 when they were archived, or their password was changed, in between.
 */
export async function signInVerified(
  tx: WriteTx,
  { user_id, hash, rehashed }: Verified,
  { user_agent, token }: Browser,
): Promise<StartedSession> {
  const started = await startSession(tx, { user_id, method: "password", user_agent });
  const { numUpdatedRows } = await tx.sql
    .updateTable("passwords")
    .set({ hash: rehashed ?? hash })
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .where("hash", "=", hash)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notSignedIn();
  await endSessionOfToken(tx, token);
  return started;
}

/** Ends the session of a token, if it is one of this company. */
export async function endSessionOfToken(tx: WriteTx, token: string | undefined): Promise<void> {
  if (token === undefined) return;
  await tx.sql
    .deleteFrom("sessions")
    .where("company_id", "=", tx.company.id)
    .where("hash", "=", hashToken(token))
    .execute();
}

/** 403 where passwords are switched off. */
export function signsInElsewhere() {
  return forbidden("People of this company sign in with single sign-on: passwords are switched off");
}
