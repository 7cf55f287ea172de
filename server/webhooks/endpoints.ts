import { audit } from "../db/audit.ts";
import { getTotal, lockCounters, moveCounter } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { getNewest, getPosition } from "../events/feed.ts";
import { nudge } from "../events/nudges.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { requireMatch } from "../http/match.ts";
import { conflict, invalid, notFound } from "../http/problem.ts";
import type { Secrets } from "../secrets.ts";
import type { OutgoingPolicy } from "./address.ts";
import { beginAnew } from "./claim.ts";
import { checkGivenUp, removeEndpoint } from "./clearing.ts";
import { sealHeaders } from "./contract.ts";
import { readHeaders } from "./headers.ts";
import { openHeaders } from "./message.ts";
import { toWebhook } from "./show.ts";
import { makeSecret } from "./signing.ts";
import { DISABLED_BY_HAND, ENABLED, lockEndpoint, selectEndpoints, type StoredEndpoint } from "./stored.ts";
import { checkUrl } from "./url.ts";
import type { MadeWebhook, NewWebhook, Webhook, WebhookUpdate } from "./v2-schema.ts";

/** Each costs a row for each of its events. */
const MOST_WEBHOOKS = 50;
/** For how long the former secret signs beside a new one: a day to bring the new one to the receivers. */
const ROTATION_MS = 86_400_000;

/** What endpoints are kept and checked by. */
export interface WebhookGround {
  readonly secrets: Secrets;
  readonly policy: OutgoingPolicy;
}

/** A page of the company's webhooks, by id. @throws Problem 422 for a cursor of another list */
export async function listWebhooks(
  tx: Tx,
  query: { cursor?: string; limit?: number },
  secrets: Secrets,
): Promise<{ data: Webhook[]; next: string | null }> {
  const page = readCursorPage(query);
  const rows = await selectEndpoints(tx)
    .where("id", ">", idAfter(page) ?? 0)
    .orderBy("id")
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, rows, { position: ({ id }) => [id], show: (row) => show(row, secrets) });
}

/** One webhook. @throws Problem 404 */
export async function getWebhook(tx: Tx, id: number, secrets: Secrets): Promise<Webhook> {
  return show(await getEndpoint(tx, id), secrets);
}

/** One webhook as it is stored. @throws Problem 404 */
export async function getEndpoint(tx: Tx, id: number): Promise<StoredEndpoint> {
  const endpoint = await selectEndpoints(tx).where("id", "=", id).executeTakeFirst();
  if (endpoint === undefined) throw notFound("Webhook");
  return endpoint;
}

/**
 * Makes a webhook, which hears of what happens from now on. Its secret is in the answer, and in none that follows.
 * @throws Problem 422 for an address or a header that can't be; 409 for one webhook too many.
 */
export async function createWebhook(
  tx: WriteTx,
  body: NewWebhook,
  { secrets, policy }: WebhookGround,
): Promise<MadeWebhook> {
  checkAddress(body.url, policy);
  const headers = readHeaders(body.headers ?? {});
  const at = await lockCounters(tx, "webhook_endpoints");
  if ((await getTotal(tx, "webhook_endpoints")) >= MOST_WEBHOOKS) {
    throw conflict(`A company can have ${MOST_WEBHOOKS} webhooks: delete one that is not used`);
  }
  const secret = makeSecret();
  const id = await moveCounter(tx, { kind: "webhook_endpoints", ids: 1, total: 1, at });
  await tx.sql
    .insertInto("webhook_endpoints")
    .values({
      company_id: tx.company.id,
      id,
      kind: "events",
      url: body.url,
      types: body.types,
      description: body.description ?? "",
      position: await getNewest(tx),
      created_at: at,
      updated_at: at,
      secret: secrets.seal("webhooks", secret),
      headers: sealHeaders(headers, secrets),
      ...enabling(body.enabled ?? true, at),
    })
    .execute();
  const after = await getWebhook(tx, id, secrets);
  await audit(tx, { action: "create_webhook", resource_type: "webhook", resource_id: id, after, at });
  return { ...after, secret };
}

/**
 * Changes what the body names of a webhook.
 * @throws Problem 404; 409 for what only the company's settings can change, and to go on with what is still being given
 * up; 412; 422 as createWebhook has it.
 */
export async function updateWebhook(
  tx: WriteTx,
  { id, body }: { readonly id: number; readonly body: WebhookUpdate },
  { secrets, policy }: WebhookGround,
): Promise<Webhook> {
  const at = await lockCounters(tx, "webhook_endpoints");
  const endpoint = await lockEndpoint(tx, id);
  if (endpoint === undefined) throw notFound("Webhook");
  const before = show(endpoint, secrets);
  requireMatch(tx, before, body);
  checkKind(endpoint, body);
  if (body.url !== undefined) checkAddress(body.url, policy);
  if (body.go_on_after !== undefined) checkGivenUp(endpoint, body.go_on_after + 1);
  const headers = body.headers && readHeaders(body.headers, openHeaders(endpoint, secrets));
  const isSwitched = body.enabled !== undefined && body.enabled !== endpoint.is_enabled;
  const { url = endpoint.url, description = endpoint.description, types = endpoint.types } = body;
  await tx.sql
    .updateTable("webhook_endpoints")
    .set({
      url,
      description,
      types: [...types],
      updated_at: at,
      ...(headers && { headers: sealHeaders(headers, secrets) }),
      ...(isSwitched && enabling(body.enabled === true, at)),
      ...(body.go_on_after !== undefined && { position: await checkPosition(tx, body.go_on_after) }),
    })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
  if (isSwitched && body.enabled === true) await beginAnew(tx, endpoint);
  const after = await getWebhook(tx, id, secrets);
  await audit(tx, { action: "update_webhook", resource_type: "webhook", resource_id: id, before, after, at });
  await nudge(tx);
  return after;
}

/** Deletes a webhook with its deliveries and its log. @throws Problem 404; 409 for the one of the company's settings */
export async function deleteWebhook(tx: WriteTx, id: number, secrets: Secrets): Promise<{ id: number }> {
  const at = await lockCounters(tx, "webhook_endpoints");
  const endpoint = await lockEndpoint(tx, id);
  if (endpoint === undefined) throw notFound("Webhook");
  if (endpoint.kind === "lesson_completed") throw ofSettings("clear its address");
  const before = show(endpoint, secrets);
  await removeEndpoint(tx, id, at);
  await moveCounter(tx, { kind: "webhook_endpoints", total: -1, at });
  await audit(tx, { action: "delete_webhook", resource_type: "webhook", resource_id: id, before, at });
  await nudge(tx);
  return { id };
}

/**
 * Gives a webhook a new secret. For a day the former one signs too, so that no delivery is lost while receivers learn
 * the new one. @throws Problem 404
 */
export async function rotateSecret(tx: WriteTx, id: number, secrets: Secrets): Promise<MadeWebhook> {
  const at = await lockCounters(tx, "webhook_endpoints");
  const endpoint = await lockEndpoint(tx, id);
  if (endpoint === undefined) throw notFound("Webhook");
  // One that was sealed under another key signs nothing any more.
  const former = endpoint.secret && secrets.open("webhooks", endpoint.secret) && endpoint.secret;
  const secret = makeSecret();
  await tx.sql
    .updateTable("webhook_endpoints")
    .set({
      secret: secrets.seal("webhooks", secret),
      previous_secret: former || null,
      previous_secret_until: former ? new Date(tx.now.getTime() + ROTATION_MS).toISOString() : null,
      updated_at: at,
    })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
  const after = await getWebhook(tx, id, secrets);
  const before = show(endpoint, secrets);
  await audit(tx, {
    action: "rotate_webhook_secret",
    resource_type: "webhook",
    resource_id: id,
    before,
    after,
    at,
  });
  return { ...after, secret };
}

function show(endpoint: StoredEndpoint, secrets: Secrets): Webhook {
  const plain = endpoint.plain_authorization === null ? [] : ["authorization"];
  return toWebhook(endpoint, [...Object.keys(openHeaders(endpoint, secrets) ?? {}), ...plain]);
}

function enabling(isEnabled: boolean, at: string) {
  return isEnabled ? ENABLED : { is_enabled: false, disabled_reason: DISABLED_BY_HAND, disabled_at: at };
}

function checkAddress(url: string, policy: OutgoingPolicy): void {
  const checked = checkUrl(url, policy);
  if ("problem" in checked) throw invalid({ field: "url", message: checked.problem });
}

function checkKind({ kind }: StoredEndpoint, { url, types, headers }: WebhookUpdate): void {
  if (kind === "events" || (url ?? types ?? headers) === undefined) return;
  throw ofSettings("change its address and authorization");
}

function ofSettings(what: string) {
  return conflict(`This webhook is the one of the company's settings: ${what} there`);
}

async function checkPosition(tx: WriteTx, position: number): Promise<number> {
  const { position: newest, oldest } = await getPosition(tx);
  if (position > newest)
    throw invalid({ field: "go_on_after", message: `is no event yet: the newest is ${newest}` });
  const earliest = (oldest ?? newest + 1) - 1;
  if (position < earliest) {
    const kept = oldest === null ? "none is kept" : `the oldest that is kept is ${oldest}`;
    const message = `is followed by events that are no longer kept: ${kept}, so give ${earliest} or more`;
    throw invalid({ field: "go_on_after", message });
  }
  return position;
}
