import { moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import { Secrets } from "../secrets.ts";
import { makeSecret } from "../webhooks/signing.ts";
import { TEST_SECRET } from "./server.ts";

/** The ids of a webhook and of an event that was sent to it. */
export interface WebhookIds {
  readonly webhook_id: number;
  readonly event_id: number;
}

/** The first event of every company that has anything. */
const EVENT_ID = 1;

/** Puts a row into every table of webhooks. The counter of webhooks has to be locked. */
export async function fillWebhooks(
  tx: WriteTx,
  { mark }: { readonly mark: string },
  at: string,
): Promise<WebhookIds> {
  const company_id = tx.company.id;
  const webhook_id = await moveCounter(tx, { kind: "webhook_endpoints", ids: 1, total: 1, at });
  const secret = new Secrets(TEST_SECRET).seal("webhooks", makeSecret());
  await tx.sql
    .insertInto("webhook_endpoints")
    .values({
      ...{ company_id, id: webhook_id, kind: "events", types: ["user.*"], secret, is_enabled: true },
      // Nothing can be sent to this port.
      ...{
        url: `http://127.0.0.1:9/${mark}`,
        description: mark,
        position: 0,
        created_at: at,
        updated_at: at,
      },
    })
    .execute();
  const delivery = { company_id, endpoint_id: webhook_id, event_id: EVENT_ID };
  await tx.sql
    .insertInto("webhook_deliveries")
    .values({ ...delivery, occurred_at: at, status: "failed", tries: 10, attempts: 1 })
    .execute();
  await tx.sql
    .insertInto("webhook_attempts")
    .values({
      ...delivery,
      number: 1,
      attempted_at: at,
      status: 500,
      duration_ms: 1,
      answer: mark,
      reason: mark,
    })
    .execute();
  return { webhook_id, event_id: EVENT_ID };
}
