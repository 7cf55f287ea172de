import type { WriteTx } from "../db/db.ts";

/** Notes that a session was used. Called at most once a minute for each session and process. */
export async function touchSession(tx: WriteTx, id: number): Promise<void> {
  await tx.sql
    .updateTable("sessions")
    .set({ last_seen_at: tx.now.toISOString() })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
}
