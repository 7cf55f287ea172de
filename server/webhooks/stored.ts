import { sql } from "kysely";
import type { Tx } from "../db/db.ts";

/** The reason of an endpoint that a person has disabled; any other is its receiver's. */
export const DISABLED_BY_HAND = "It was disabled by hand";

/** What is stored of an endpoint that is enabled: it begins anew, whatever it was disabled for. */
export const ENABLED = {
  is_enabled: true,
  disabled_reason: null,
  disabled_at: null,
  unheard_since: null,
} as const;

/** An endpoint as it is stored: what is secret is sealed. */
export interface StoredEndpoint {
  readonly id: number;
  readonly kind: "lesson_completed" | "events";
  readonly url: string | null;
  readonly description: string;
  readonly types: string[];
  readonly secret: string | null;
  readonly previous_secret: string | null;
  readonly previous_secret_until: string | null;
  /** The same in milliseconds since 1970. */
  readonly previous_until_ms: number | null;
  readonly headers: string | null;
  readonly plain_authorization: string | null;
  readonly is_enabled: boolean;
  readonly disabled_reason: string | null;
  readonly disabled_at: string | null;
  readonly failing_since: string | null;
  /** Since when it has heard nothing, while it counts as dead. */
  readonly unheard_since: string | null;
  /** The same in milliseconds since 1970. */
  readonly unheard_since_ms: number | null;
  readonly position: number;
  /** What waits of events up to this one is given up: nobody takes it up or sends it again. 0 for none. */
  readonly given_up_through: number;
  /** When it last began anew: what was due by then and still waits counts its tries from there. */
  readonly begun_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The endpoints of the company, whole; without those that were deleted and whose rows are still being cleared. */
export function selectEndpoints(tx: Tx) {
  return tx.sql
    .selectFrom("webhook_endpoints")
    .select([
      "id",
      "kind",
      "url",
      "description",
      "types",
      "secret",
      "previous_secret",
      "previous_secret_until",
      "headers",
      "plain_authorization",
      "is_enabled",
      "disabled_reason",
      "disabled_at",
      "failing_since",
      "unheard_since",
      "position",
      "given_up_through",
      "begun_at",
      "created_at",
      "updated_at",
      sql<number | null>`(extract(epoch from previous_secret_until) * 1000)::float8`.as("previous_until_ms"),
      sql<number | null>`(extract(epoch from unheard_since) * 1000)::float8`.as("unheard_since_ms"),
    ])
    .where("company_id", "=", tx.company.id)
    .where("deleted_at", "is", null);
}

/**
 * Has this transaction find rows by indexes alone. A connection keeps the plan that it made while a table was small, and
 * would read the table whole with it when a bulk change has filled that, until PostgreSQL looks at it again.
 */
export async function useIndexes(tx: Tx): Promise<void> {
  await sql`set local enable_seqscan = off`.execute(tx.sql);
}

/** One endpoint, kept from changes by others until the transaction ends. Lock it before its deliveries. */
export async function lockEndpoint(tx: Tx, id: number): Promise<StoredEndpoint | undefined> {
  return selectEndpoints(tx).where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
}
