import type { WriteTx } from "../db/db.ts";
import { queueMail } from "../mail/notices.ts";
import { wakeMailer } from "../mail/wake.ts";
import { deviceOf } from "./device.ts";

/** Kinds of devices of one person that are remembered; beyond it those that were not used for longest are forgotten. */
const MOST_DEVICES = 50;

/** A session that has just begun, and how the browser calls itself. */
interface Begun {
  readonly user_id: number;
  readonly session_id: number;
  readonly user_agent: string | undefined;
}

/**
 * Notes what somebody has signed in with. On what they never used before they are mailed: it may not have been them.
 * Not of the very first, which is new of need. Their row is locked, so two who sign in at once take turns.
 */
export async function noteDevice(tx: WriteTx, { user_id, session_id, user_agent }: Begun): Promise<void> {
  const device = deviceOf(user_agent);
  const known = await tx.sql
    .selectFrom("sign_in_devices")
    .select("device")
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .orderBy("last_seen_at", "desc")
    .execute();
  const now = tx.now.toISOString();
  await tx.sql
    .insertInto("sign_in_devices")
    .values({
      company_id: tx.company.id,
      user_id,
      device,
      address: tx.actor.address ?? null,
      first_seen_at: now,
      last_seen_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["company_id", "user_id", "device"])
        .doUpdateSet((eb) => ({ last_seen_at: eb.ref("excluded.last_seen_at") })),
    )
    .execute();
  if (known.length === 0 || known.some((one) => one.device === device)) return;
  await forgetDevices(
    tx,
    user_id,
    known.slice(MOST_DEVICES - 1).map((one) => one.device),
  );
  const key = `device/${session_id}`;
  await queueMail(tx, [{ key, user_id, kind: "new_device", pace: "alone", facts: { device }, send_at: now }]);
  await wakeMailer(tx.sql);
}

async function forgetDevices(tx: WriteTx, user_id: number, devices: readonly string[]): Promise<void> {
  if (devices.length === 0) return;
  await tx.sql
    .deleteFrom("sign_in_devices")
    .where("company_id", "=", tx.company.id)
    .where("user_id", "=", user_id)
    .where("device", "in", devices)
    .execute();
}
