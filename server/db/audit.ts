import type { WriteTx } from "./db.ts";

/** What was done to what. `before` and `after` hold what changed, in the words of the API. */
export interface Deed {
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: number | null;
  readonly before?: object | null;
  readonly after?: object | null;
  readonly at: string;
}

/** Writes the audit row of a change, in the change's own transaction: neither is there without the other. */
export async function audit(tx: WriteTx, deed: Deed): Promise<void> {
  await tx.sql
    .insertInto("audit_log")
    .values({
      company_id: tx.company.id,
      at: deed.at,
      actor_type: tx.actor.type,
      actor_id: tx.actor.id,
      request_id: tx.actor.request_id,
      address: tx.actor.address ?? null,
      action: deed.action,
      resource_type: deed.resource_type,
      resource_id: deed.resource_id,
      before: json(deed.before),
      after: json(deed.after),
    })
    .execute();
}

function json(state: object | null | undefined): string | null {
  return state == null ? null : JSON.stringify(state);
}
