import type { WriteTx } from "../db/db.ts";

/** Somebody who stays until the transaction ends. */
export interface HeldUser {
  readonly id: number;
  readonly archived_at: string | null;
  readonly anonymized_at: string | null;
}

/**
 * Keeps people from being deleted and made anonymous until the transaction ends, so that it may write rows that name
 * them, although it locks no counter that who deletes them locks. Counters are locked before it, never after: who
 * deletes somebody holds theirs, and waits for this.
 * @returns those who are there, by id, as they are now: one who was being deleted is waited for, and is not among them.
 */
export async function holdUsers(tx: WriteTx, ids: readonly number[]): Promise<HeldUser[]> {
  return tx.sql
    .selectFrom("users")
    .select(["id", "archived_at", "anonymized_at"])
    .where("company_id", "=", tx.company.id)
    .where((eb) => eb("id", "=", eb.fn.any(eb.val([...new Set(ids)]))))
    .orderBy("id")
    .forKeyShare()
    .execute();
}

/** Whom a new row may name as its maker: nobody, where that is nobody or they were deleted in this moment. */
export async function holdMaker(tx: WriteTx, user_id: number | null): Promise<number | null> {
  if (user_id === null) return null;
  const [user] = await holdUsers(tx, [user_id]);
  return user?.id ?? null;
}
