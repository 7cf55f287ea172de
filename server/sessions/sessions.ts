import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { cutCursorPage, type CursorPage, idAfter } from "../http/cursor.ts";
import { notFound } from "../http/problem.ts";
import { utcTime } from "../time.ts";
import { requireVisibleUser } from "../users/visible.ts";
import { IDLE_LIMIT_MS } from "./find.ts";
import type { Session } from "./v2-schema.ts";

/** Whose sessions, and which of them asks. */
interface Asked {
  readonly user_id: number;
  readonly current: number | undefined;
}

/**
 * A page of a person's sessions, the newest first.
 * @throws Problem 404 for somebody whom the viewer may not change.
 */
export async function listSessions(tx: Tx, page: CursorPage, { user_id, current }: Asked) {
  if (user_id !== tx.viewer.user_id) await requireVisibleUser(tx, "users.write", user_id);
  const rows = await selectLive(tx)
    .where("user_id", "=", user_id)
    .where("id", "<", idAfter(page) ?? Number.MAX_SAFE_INTEGER)
    .orderBy("id", "desc")
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, rows, {
    position: ({ id }) => [id],
    show: (row): Static<typeof Session> => ({
      ...row,
      created_at: utcTime(row.created_at),
      last_seen_at: utcTime(row.last_seen_at),
      expires_at: utcTime(row.expires_at),
      is_current: row.id === current,
    }),
  });
}

/**
 * Ends a session: one's own, or one of somebody whom the viewer may change.
 * @throws Problem 404
 */
export async function endSession(tx: WriteTx, id: number): Promise<{ id: number }> {
  const at = await lockCounters(tx, "sessions");
  const session = await selectLive(tx).where("id", "=", id).executeTakeFirst();
  if (session === undefined) throw notFound("Session");
  const { user_id } = session;
  if (user_id !== tx.viewer.user_id) await requireVisibleUser(tx, "users.write", user_id).catch(hide);
  await tx.sql.deleteFrom("sessions").where("company_id", "=", tx.company.id).where("id", "=", id).execute();
  await audit(tx, { action: "sign_out", resource_type: "session", resource_id: id, before: { user_id }, at });
  return { id };
}

/**
 * Ends all sessions of a person but the one that asks: one's own, or those of somebody whom the viewer may change.
 * @returns how many have ended.
 * @throws Problem 404
 */
export async function endSessionsOfUser(
  tx: WriteTx,
  { user_id, current }: Asked,
): Promise<{ user_id: number; ended: number }> {
  const at = await lockCounters(tx, "sessions");
  if (user_id !== tx.viewer.user_id) await requireVisibleUser(tx, "users.write", user_id);
  const { numDeletedRows } = await tx.sql
    .deleteFrom("sessions")
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .where("id", "<>", current ?? 0)
    .executeTakeFirst();
  const ended = Number(numDeletedRows);
  await audit(tx, {
    action: "end_sessions",
    resource_type: "user",
    resource_id: user_id,
    after: { ended },
    at,
  });
  return { user_id, ended };
}

/** Nobody is told whose a session is that they may not end. */
function hide(): never {
  throw notFound("Session");
}

function selectLive(tx: Tx) {
  return tx.sql
    .selectFrom("sessions")
    .select(["id", "user_id", "created_at", "last_seen_at", "expires_at", "address", "user_agent"])
    .where("company_id", "=", tx.company.id)
    .where("expires_at", ">", tx.now.toISOString())
    .where("last_seen_at", ">", new Date(tx.now.getTime() - IDLE_LIMIT_MS).toISOString());
}
