import { utcTime, utcTimeOrNull } from "../time.ts";
import type { StoredEndpoint } from "./stored.ts";
import type { Webhook } from "./v2-schema.ts";

/** What stands for a secret that is set. */
export const MASK = "***";

/** An address that more people may see: a query may hold a secret of the receiver. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

/** An endpoint as version 2 shows it. @param headerNames of its fixed headers; their values are never shown. */
export function toWebhook(endpoint: StoredEndpoint, headerNames: readonly string[]): Webhook {
  const { id, kind, url, description, types, is_enabled } = endpoint;
  return {
    id,
    kind,
    url,
    description,
    types,
    headers: Object.fromEntries(headerNames.map((name) => [name, MASK])),
    enabled: is_enabled,
    disabled_reason: endpoint.disabled_reason,
    disabled_at: utcTimeOrNull(endpoint.disabled_at),
    failing_since: utcTimeOrNull(endpoint.failing_since),
    previous_secret_until: utcTimeOrNull(endpoint.previous_secret_until),
    created_at: utcTime(endpoint.created_at),
    updated_at: utcTime(endpoint.updated_at),
  };
}
