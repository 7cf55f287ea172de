import { randomBytes } from "node:crypto";
import { audit } from "../db/audit.ts";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { Problem } from "../http/problem.ts";
import { utcTime } from "../time.ts";
import { noteDevice } from "./devices.ts";
import { deleteEndedSessions } from "./end.ts";
import { hashToken } from "./find.ts";

/** However much it is used, a session ends after this long: then the person signs in again. */
export const ABSOLUTE_LIMIT_SECONDS = 30 * 24 * 60 * 60;
/** More than the browsers that one person uses; beyond it the oldest end. */
export const MOST_SESSIONS_OF_A_USER = 50;
const TOKEN_BYTES = 32;
/** What is kept of how a browser calls itself, in characters. */
const MOST_USER_AGENT_CHARACTERS = 300;

/** Who signs in, how they have shown that it is them, and with what. */
export interface SignIn {
  readonly user_id: number;
  readonly method: "password" | "single_sign_on" | "link";
  readonly user_agent: string | undefined;
}

/** A session that has begun. The token is in no table and no log: the answer's cookie alone has it. */
export interface StartedSession {
  readonly id: number;
  readonly token: string;
  readonly expires_at: string;
}

/**
 * Begins a session, always under a new token: one that was planted before is worth nothing.
 * It locks the counter of sessions, and then the user's row: who is archived meanwhile is not signed in.
 * @throws Problem 401 for a user who is archived or gone.
 */
export async function startSession(tx: WriteTx, signIn: SignIn): Promise<StartedSession> {
  const { user_id, method } = signIn;
  const at = await lockCounters(tx, "sessions");
  await noteSignIn(tx, user_id);
  await deleteEndedSessions(tx, { user_id, keep: MOST_SESSIONS_OF_A_USER - 1 });
  const id = await moveCounter(tx, { kind: "sessions", ids: 1, total: 0, at });
  const token = `${tx.company.id}.${randomBytes(TOKEN_BYTES).toString("base64url")}`;
  const created_at = tx.now.toISOString();
  const expires_at = new Date(tx.now.getTime() + ABSOLUTE_LIMIT_SECONDS * 1000).toISOString();
  await tx.sql
    .insertInto("sessions")
    .values({
      company_id: tx.company.id,
      id,
      hash: hashToken(token),
      user_id,
      created_at,
      last_seen_at: created_at,
      expires_at,
      address: tx.actor.address ?? null,
      user_agent: signIn.user_agent?.slice(0, MOST_USER_AGENT_CHARACTERS) ?? null,
    })
    .execute();
  await audit(
    { ...tx, actor: { ...tx.actor, type: "user", id: user_id, user_id } },
    { action: "sign_in", resource_type: "session", resource_id: id, after: { user_id, method }, at },
  );
  await noteDevice(tx, { user_id, session_id: id, user_agent: signIn.user_agent });
  return { id, token, expires_at: utcTime(expires_at) };
}

/** Locks the user's row until the session is there. */
async function noteSignIn(tx: WriteTx, user_id: number): Promise<void> {
  const { numUpdatedRows } = await tx.sql
    .updateTable("users")
    .set({ last_sign_in_at: tx.now.toISOString() })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", user_id)
    .where("archived_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notSignedIn();
}

/** 401 for whoever is not let in. It is the same for an unknown e-mail, a wrong password and an archived user. */
export function notSignedIn(): Problem {
  return new Problem(401, "The e-mail or the password is wrong", {
    headers: { "www-authenticate": 'Password realm="Lectern"' },
  });
}
