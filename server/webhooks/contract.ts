import { lockCounters, moveCounter } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { getNewest } from "../events/feed.ts";
import { nudge } from "../events/nudges.ts";
import type { Secrets } from "../secrets.ts";
import { beginAnew } from "./claim.ts";
import { giveUpWaiting } from "./clearing.ts";
import { openHeaders } from "./message.ts";
import { makeSecret } from "./signing.ts";
import { DISABLED_BY_HAND, ENABLED, lockEndpoint, selectEndpoints, type StoredEndpoint } from "./stored.ts";

/** The contract's webhook, as the company's settings have it. */
export interface LessonCompletedWebhook {
  readonly url: string | null;
  readonly authorization: string | null;
}

/** The header that the contract lets a company choose. */
const AUTHORIZATION = "authorization";
const LESSON_COMPLETED = "lesson.completed";

/** How the settings keep what is secret: sealed, or readable until the next sweep seals it. */
export type Sealing = Secrets | "sealed by the sweep";

/** The webhook of completed lessons. An authorization that was sealed under another key counts as none. */
export async function getLessonCompletedWebhook(tx: Tx, secrets: Sealing): Promise<LessonCompletedWebhook> {
  const endpoint = await selectLessonCompleted(tx).executeTakeFirst();
  if (endpoint === undefined) return { url: null, authorization: null };
  return { url: endpoint.url, authorization: openAuthorization(endpoint, secrets) };
}

/**
 * Changes what is given of the webhook of completed lessons. One that had no address begins with what happens from now
 * on; what waits for one whose address changes goes to the new one. One that its receiver has disabled is enabled by an
 * address, also by the same; one that a person has disabled is not.
 * @param at the time that lockCounters gave for `webhook_endpoints`.
 */
export async function saveLessonCompletedWebhook(
  tx: WriteTx,
  { url, authorization }: Partial<LessonCompletedWebhook>,
  { secrets, at }: { readonly secrets: Sealing; readonly at: string },
): Promise<void> {
  const before = await selectLessonCompleted(tx).forNoKeyUpdate().executeTakeFirst();
  const position = await getNewest(tx);
  const sealed = authorization === undefined ? {} : sealAuthorization(authorization, secrets);
  if (before === undefined) {
    if (url == null && authorization == null) return;
    await insertLessonCompleted(tx, { url: url ?? null, position, ...sealed, secret: seal(secrets), at });
    return;
  }
  // Version 1 has no other way to enable it: who sets an address says that it hears again.
  const isMended = url != null && !before.is_enabled && before.disabled_reason !== DISABLED_BY_HAND;
  const isNew = url != null && url !== before.url;
  const isSetAgain = url != null && before.url === null;
  await tx.sql
    .updateTable("webhook_endpoints")
    .set({
      ...sealed,
      updated_at: at,
      ...(url !== undefined && { url }),
      ...(before.url === null && { position }),
      ...(isMended && ENABLED),
      ...((isMended || isNew) && { failing_since: null, unheard_since: null }),
    })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", before.id)
    .execute();
  if (isSetAgain) await giveUpWaiting(tx, before.id, position);
  else if (isMended || isNew) await beginAnew(tx, before);
  else return;
  await nudge(tx);
}

interface NewLessonCompleted {
  readonly url: string | null;
  readonly headers?: string | null;
  readonly plain_authorization?: string | null;
  readonly secret: string | null;
  readonly position: number;
  readonly at: string;
}

async function insertLessonCompleted(tx: WriteTx, { at, ...columns }: NewLessonCompleted): Promise<void> {
  const id = await moveCounter(tx, { kind: "webhook_endpoints", ids: 1, total: 1, at });
  await tx.sql
    .insertInto("webhook_endpoints")
    .values({
      company_id: tx.company.id,
      id,
      kind: "lesson_completed",
      description: "",
      types: [LESSON_COMPLETED],
      is_enabled: true,
      created_at: at,
      updated_at: at,
      ...columns,
    })
    .execute();
}

/** Seals the headers that are sent with each request to an endpoint; null for none. */
export function sealHeaders(headers: Readonly<Record<string, string>>, secrets: Secrets): string | null {
  return Object.keys(headers).length === 0 ? null : secrets.seal("webhooks", JSON.stringify(headers));
}

/** Seals what the former version kept readable, and gives the endpoint the secret that it did not know of. */
export async function sealEndpoint(tx: WriteTx, id: number, secrets: Secrets): Promise<void> {
  const endpoint = await lockEndpoint(tx, id);
  if (endpoint === undefined) return;
  const { plain_authorization: plain } = endpoint;
  await tx.sql
    .updateTable("webhook_endpoints")
    .set({
      secret: endpoint.secret ?? seal(secrets),
      plain_authorization: null,
      ...(plain !== null && { headers: sealHeaders({ [AUTHORIZATION]: plain }, secrets) }),
    })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
}

/**
 * Takes over what a server of the former version, which may still run, has written where that one keeps the webhook. What
 * it has not written is unknown to it, and stays.
 */
export async function adoptFormer(tx: WriteTx, secrets: Secrets): Promise<void> {
  const at = await lockCounters(tx, "webhook_endpoints");
  const former = await tx.sql
    .selectFrom("companies")
    .select([
      "lesson_completed_callback_url as url",
      "lesson_completed_callback_authorization as authorization",
    ])
    .where("company_id", "=", tx.company.id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (former.url === null && former.authorization === null) return;
  const written = {
    ...(former.url !== null && { url: former.url }),
    ...(former.authorization !== null && { authorization: former.authorization }),
  };
  await saveLessonCompletedWebhook(tx, written, { secrets, at });
  await tx.sql
    .updateTable("companies")
    .set({ lesson_completed_callback_url: null, lesson_completed_callback_authorization: null })
    .where("company_id", "=", tx.company.id)
    .execute();
}

function selectLessonCompleted(tx: Tx) {
  return selectEndpoints(tx).where("kind", "=", "lesson_completed");
}

function seal(secrets: Sealing): string | null {
  return typeof secrets === "string" ? null : secrets.seal("webhooks", makeSecret());
}

/** The authorization that somebody typed, as it is sent: as typed, and none where nothing is to be seen of it. */
export function readAuthorization(typed: string | null): string | null {
  return typed === null || typed.trim() === "" ? null : typed;
}

function sealAuthorization(typed: string | null, secrets: Sealing) {
  const authorization = readAuthorization(typed);
  if (authorization === null) return { headers: null, plain_authorization: null };
  if (typeof secrets === "string") return { headers: null, plain_authorization: authorization };
  return { headers: sealHeaders({ [AUTHORIZATION]: authorization }, secrets), plain_authorization: null };
}

function openAuthorization(endpoint: StoredEndpoint, secrets: Sealing): string | null {
  if (endpoint.plain_authorization !== null || typeof secrets === "string")
    return endpoint.plain_authorization;
  return openHeaders(endpoint, secrets)?.[AUTHORIZATION] ?? null;
}
