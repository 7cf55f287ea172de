import { sql } from "kysely";
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

/** Writes the audit rows of many changes with one statement. */
export async function auditAll(tx: WriteTx, deeds: readonly Deed[]): Promise<void> {
  if (deeds.length === 0) return;
  const { type, id, request_id, address = null } = tx.actor;
  await sql`
    insert into audit_log (company_id, at, actor_type, actor_id, request_id, address, action, resource_type,
      resource_id, before, after)
    select ${tx.company.id}, at, ${type}, ${id}::bigint, ${request_id}::text, ${address}::text, action,
      resource_type, resource_id, before, after
    from unnest(
      ${deeds.map(({ at }) => at)}::timestamptz[],
      ${deeds.map(({ action }) => action)}::text[],
      ${deeds.map(({ resource_type }) => resource_type)}::text[],
      ${deeds.map(({ resource_id }) => resource_id)}::bigint[],
      ${deeds.map(({ before }) => json(before))}::jsonb[],
      ${deeds.map(({ after }) => json(after))}::jsonb[]
    ) as deed (at, action, resource_type, resource_id, before, after)
    returning resource_id`.execute(tx.sql);
}

function json(state: object | null | undefined): string | null {
  return state == null ? null : JSON.stringify(state);
}
