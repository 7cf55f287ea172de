import type { WriteTx } from "../db/db.ts";
import { differences } from "../events/record.ts";
import { toWebhook, withoutQuery } from "./show.ts";
import type { StoredEndpoint } from "./stored.ts";

/** An endpoint, and the names of its fixed headers, which are sealed with their values. */
export interface NotedEndpoint {
  readonly endpoint: StoredEndpoint;
  readonly headerNames: readonly string[];
}

/**
 * Marks an endpoint as failing when a delivery was given up or none has arrived for as long, and tells of it: once, until
 * it hears something again.
 */
export async function noteFailing(tx: WriteTx, noted: NotedEndpoint): Promise<void> {
  if (noted.endpoint.failing_since !== null) return;
  await change(tx, noted, { type: "webhook.failing", changed: { failing_since: tx.now.toISOString() } });
}

/** Disables an endpoint whose receiver wants no more, and tells of it. What waits for it stays. */
export async function noteDisabled(tx: WriteTx, noted: NotedEndpoint, reason: string): Promise<void> {
  const at = tx.now.toISOString();
  const disabled = { is_enabled: false, disabled_reason: reason, disabled_at: at };
  // Enabled again it begins anew.
  const changed = { ...disabled, updated_at: at, unheard_since: null };
  await change(tx, noted, { type: "webhook.disabled", changed });
}

type Change = Partial<
  Pick<
    StoredEndpoint,
    "failing_since" | "unheard_since" | "is_enabled" | "disabled_reason" | "disabled_at" | "updated_at"
  >
>;

async function change(
  tx: WriteTx,
  { endpoint, headerNames }: NotedEndpoint,
  { type, changed }: { readonly type: string; readonly changed: Change },
): Promise<void> {
  await tx.sql
    .updateTable("webhook_endpoints")
    .set(changed)
    .where("company_id", "=", tx.company.id)
    .where("id", "=", endpoint.id)
    .execute();
  // The feed and other webhooks are told of it, and have no need of what its query holds.
  const url = endpoint.url === null ? null : withoutQuery(endpoint.url);
  const data = toWebhook({ ...endpoint, ...changed, url }, headerNames);
  const previous = differences(toWebhook({ ...endpoint, url }, headerNames), data) ?? null;
  tx.changes.add({ type, resource_id: endpoint.id, user_id: null, data, previous });
}
