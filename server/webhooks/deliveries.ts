import { type RawBuilder, sql } from "kysely";
import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { getNewest, getPosition } from "../events/feed.ts";
import { nudge } from "../events/nudges.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { invalid, notFound, unprocessable } from "../http/problem.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import { whenLeasesEnd } from "./claim.ts";
import { checkGivenUp } from "./clearing.ts";
import { getEndpoint } from "./endpoints.ts";
import { isWanted } from "./fan-out.ts";
import { lockEndpoint, type StoredEndpoint } from "./stored.ts";
import type {
  DeliveryQuery,
  Resend,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryDetail,
} from "./v2-schema.ts";

/** Deliveries that one request can set going again: about a second's work. */
const MOST_RESENT = 100_000;
/** Attempts that are shown of one delivery, the latest: it may have been sent again often. */
const MOST_SHOWN_ATTEMPTS = 100;

/** A page of a webhook's deliveries, the newest events first. @throws Problem 404; 422 for a cursor of another list */
export async function listDeliveries(
  tx: Tx,
  webhook_id: number,
  query: Static<typeof DeliveryQuery>,
): Promise<{ data: WebhookDelivery[]; next: string | null }> {
  const endpoint = await getEndpoint(tx, webhook_id);
  const page = readCursorPage(query);
  const { "filter[status]": status } = query;
  let rows = selectDeliveries(tx, webhook_id).where(
    "event_id",
    "<",
    idAfter(page) ?? Number.MAX_SAFE_INTEGER,
  );
  if (status !== undefined) rows = rows.where("status", "=", status);
  const found = await rows
    .orderBy("event_id", "desc")
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, found, {
    position: ({ event_id }) => [event_id],
    show: (row) => toDelivery(row, endpoint),
  });
}

/** One delivery with how its tries went, the latest first. @throws Problem 404 */
export async function getDelivery(
  tx: Tx,
  { webhook_id, event_id }: { readonly webhook_id: number; readonly event_id: number },
): Promise<WebhookDeliveryDetail> {
  const endpoint = await getEndpoint(tx, webhook_id);
  const row = await selectDeliveries(tx, webhook_id).where("event_id", "=", event_id).executeTakeFirst();
  if (row === undefined) throw notFound("Delivery");
  const log = await tx.sql
    .selectFrom("webhook_attempts")
    .select(["number", "attempted_at", "status", "duration_ms", "answer", "reason", "next_try_at"])
    .where("company_id", "=", tx.company.id)
    .where("endpoint_id", "=", webhook_id)
    .where("event_id", "=", event_id)
    .orderBy("number", "desc")
    .limit(MOST_SHOWN_ATTEMPTS)
    .execute();
  return { ...toDelivery(row, endpoint), log: log.map(toAttempt) };
}

/**
 * Sends events again: one, a range, or what was given up, the oldest MOST_RESENT of it. What waits for its next try is
 * sent now, and what is on its way already, or within a minute, is left as it is.
 * @throws Problem 404; 409 for what is still being given up; 422 for a body that names none or several of these, an event
 * that is not for this webhook or that it has not come to yet, and for a range that ends before it begins or is longer
 * than can be sent at once.
 */
export async function resend(tx: WriteTx, webhook_id: number, body: Resend): Promise<{ queued: number }> {
  const endpoint = await lockEndpoint(tx, webhook_id);
  if (endpoint === undefined) throw notFound("Webhook");
  const queued = await queueAgain(tx, endpoint, body);
  const at = tx.now.toISOString();
  await audit(tx, {
    action: "resend_webhook",
    resource_type: "webhook",
    resource_id: webhook_id,
    after: { ...body, queued },
    at,
  });
  await nudge(tx);
  return { queued };
}

async function queueAgain(tx: WriteTx, endpoint: StoredEndpoint, body: Resend): Promise<number> {
  const { event_id, from_event_id: from, to_event_id: to, failed } = body;
  const isRange = from !== undefined && to !== undefined;
  if ([event_id !== undefined, from !== undefined || to !== undefined, failed].filter(Boolean).length !== 1) {
    throw unprocessable("Give one of: event_id; from_event_id with to_event_id; failed");
  }
  checkGivenUp(endpoint, event_id ?? from ?? 1);
  if (failed) return queueFailed(tx, endpoint.id);
  if (event_id !== undefined) {
    const events = await queueEvents(tx, endpoint, { from: event_id, to: event_id });
    if (events.found === 0) {
      throw invalid({ field: "event_id", message: await whyNotSent(tx, endpoint, event_id) });
    }
    return events.queued;
  }
  if (!isRange) throw unprocessable("Give both from_event_id and to_event_id");
  if (from > to) throw invalid({ field: "to_event_id", message: "must not be less than from_event_id" });
  if (to - from >= MOST_RESENT) {
    throw invalid({ field: "to_event_id", message: `must be less than ${MOST_RESENT} after from_event_id` });
  }
  return (await queueEvents(tx, endpoint, { from, to })).queued;
}

async function whyNotSent(tx: Tx, endpoint: StoredEndpoint, event_id: number): Promise<string> {
  if (event_id <= endpoint.position || event_id > (await getNewest(tx)))
    return "is no event of this webhook's types that the feed keeps";
  const yet = "is one that this webhook has not come to yet";
  if (endpoint.url === null) return `${yet}, as it has no address: set one, then ask again`;
  const when = endpoint.is_enabled ? "soon" : "once it is enabled again";
  return `${yet}: where it is of its types, it is sent ${when}`;
}

/** What the feed has dropped stays given up: it would fail at once, and be in the way of what can be sent. */
async function queueFailed(tx: WriteTx, endpoint_id: number): Promise<number> {
  const { position, oldest } = await getPosition(tx);
  const { rows } = await sql`
    update webhook_deliveries
    set status = 'waiting', tries = 0, due_at = ${tx.now.toISOString()}
    where company_id = ${tx.company.id} and endpoint_id = ${endpoint_id} and status = 'failed'
      and event_id = any(array(
        select event_id
        from webhook_deliveries
        where company_id = ${tx.company.id} and endpoint_id = ${endpoint_id} and status = 'failed'
          and event_id >= ${oldest ?? position + 1}
        order by event_id
        limit ${MOST_RESENT}
      ))
    returning event_id`.execute(tx.sql);
  return rows.length;
}

/** @returns how many events there are, and how many of them were not on their way already. */
async function queueEvents(
  tx: WriteTx,
  { id, types, position }: StoredEndpoint,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<{ found: number; queued: number }> {
  // What the webhook has not come to yet it will send by itself.
  const isAsked: RawBuilder<boolean> = sql`
    events.company_id = ${tx.company.id} and events.id >= ${from} and events.id <= ${Math.min(to, position)}
      and ${isWanted(types)}`;
  const { rows: found } = await sql<{ total: number }>`
    select count(*) as total from events where ${isAsked}`.execute(tx.sql);
  const { rows } = await sql`
    insert into webhook_deliveries (company_id, endpoint_id, event_id, occurred_at, status, tries, attempts, due_at)
    select company_id, ${id}::bigint, id, occurred_at, 'waiting', 0, 0, ${tx.now.toISOString()}::timestamptz
    from events
    where ${isAsked}
    on conflict (company_id, endpoint_id, event_id) do update
    set status = 'waiting', tries = 0, due_at = excluded.due_at, delivered_at = null
    where webhook_deliveries.status <> 'waiting' or webhook_deliveries.due_at > ${whenLeasesEnd(tx)}::timestamptz
    returning event_id`.execute(tx.sql);
  return { found: found[0]?.total ?? 0, queued: rows.length };
}

interface DeliveryRow {
  readonly event_id: number;
  readonly type: string | null;
  readonly occurred_at: string;
  readonly status: WebhookDelivery["status"];
  readonly attempts: number;
  readonly due_at: string | null;
  readonly delivered_at: string | null;
}

function selectDeliveries(tx: Tx, webhook_id: number) {
  return tx.sql
    .selectFrom("webhook_deliveries")
    .select((eb) => [
      "event_id",
      "occurred_at",
      "status",
      "attempts",
      "due_at",
      "delivered_at",
      eb
        .selectFrom("events")
        .select("type")
        .where("events.company_id", "=", tx.company.id)
        .whereRef("events.id", "=", "webhook_deliveries.event_id")
        .whereRef("events.occurred_at", "=", "webhook_deliveries.occurred_at")
        .as("type"),
    ])
    .where("company_id", "=", tx.company.id)
    .where("endpoint_id", "=", webhook_id);
}

/** What waits for an endpoint that is disabled is not tried before somebody enables it, and what is given up never. */
function toDelivery(
  { due_at, occurred_at, delivered_at, ...row }: DeliveryRow,
  { is_enabled, url, given_up_through }: StoredEndpoint,
): WebhookDelivery {
  const isTried = is_enabled && url !== null && row.event_id > given_up_through;
  return {
    ...row,
    occurred_at: utcTime(occurred_at),
    next_try_at: isTried ? utcTimeOrNull(due_at) : null,
    delivered_at: utcTimeOrNull(delivered_at),
  };
}

function toAttempt({ attempted_at, next_try_at, ...row }: WebhookAttempt): WebhookAttempt {
  return { ...row, attempted_at: utcTime(attempted_at), next_try_at: utcTimeOrNull(next_try_at) };
}
