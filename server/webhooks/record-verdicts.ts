import { sql } from "kysely";
import type { WriteTx } from "../db/db.ts";
import { noteDisabled, type NotedEndpoint, noteFailing } from "./notices.ts";
import { WHOLE_SCHEDULE_MS } from "./schedule.ts";
import { lockEndpoint, type StoredEndpoint, useIndexes } from "./stored.ts";
import type { Verdict } from "./verdict.ts";

/** How tries went, and since when the endpoint has heard nothing; null while it does not count as dead. */
export interface Tried {
  readonly verdicts: readonly Verdict[];
  readonly unheardSince: Date | null;
}

/**
 * Writes how tries went: the deliveries, the log, and what it means for the endpoint, in one transaction. What was
 * meanwhile taken up by somebody else is theirs to write.
 * @param known the endpoint as it was when the deliveries were taken up. Its row is written only when it goes dead, fails,
 * is disabled or is back: the others that go on with it would wait for that.
 * @returns since when it is noted to have heard nothing, and to fail.
 */
export async function recordVerdicts(
  tx: WriteTx,
  { endpoint: known, headerNames }: NotedEndpoint,
  { verdicts, unheardSince }: Tried,
): Promise<Hearing> {
  const isToLock = mayChange(tx, known, { verdicts, unheardSince });
  // Before its deliveries, as everybody locks them.
  const endpoint = isToLock ? await lockEndpoint(tx, known.id) : undefined;
  await useIndexes(tx);
  const recorded = await updateDeliveries(tx, known.id, verdicts);
  const ours = verdicts.filter(({ event_id }) => recorded.has(event_id));
  if (ours.length === 0) return endpoint ?? known;
  await insertAttempts(tx, known.id, ours);
  if (endpoint === undefined) return known;
  const noted = { endpoint, headerNames };
  // Who has set another address does not mean the one that wants no more.
  const gone = ours.find(({ isGone, url }) => isGone && url === endpoint.url);
  if (gone !== undefined && endpoint.is_enabled) await noteDisabled(tx, noted, gone.reason ?? "");
  if (ours.some(isHeard)) await noteHearing(tx, endpoint);
  else if (gone === undefined) {
    if (ours.some(isLost) || isOutOfTime(tx, endpoint)) await noteFailing(tx, noted);
    else if (unheardSince !== null) await noteUnheard(tx, endpoint, unheardSince);
  }
  return (await lockEndpoint(tx, known.id)) ?? known;
}

/** What is noted of how an endpoint hears. */
export type Hearing = Pick<StoredEndpoint, "failing_since" | "unheard_since" | "unheard_since_ms">;

function mayChange(tx: WriteTx, known: StoredEndpoint, { verdicts, unheardSince }: Tried): boolean {
  if (verdicts.some(({ isGone }) => isGone) || verdicts.some(isLost)) return true;
  if (verdicts.some(isHeard)) return known.failing_since !== null || known.unheard_since !== null;
  return (unheardSince !== null && known.unheard_since === null) || isOutOfTime(tx, known);
}

function isHeard({ status }: Verdict): boolean {
  return status === "delivered";
}

function isLost({ isGivenUp }: Verdict): boolean {
  return isGivenUp;
}

/** With many events that wait none may come to its last try for weeks: what counts is how long none has arrived. */
function isOutOfTime(tx: WriteTx, { failing_since, unheard_since_ms: since }: StoredEndpoint): boolean {
  return failing_since === null && since !== null && tx.now.getTime() - since > WHOLE_SCHEDULE_MS;
}

async function updateDeliveries(
  tx: WriteTx,
  endpoint_id: number,
  verdicts: readonly Verdict[],
): Promise<Set<number>> {
  const ids = verdicts.map(({ event_id }) => event_id);
  const { rows } = await sql<{ event_id: number }>`
    update webhook_deliveries
    set status = tried.status, tries = tried.tries, attempts = tried.number, due_at = tried.due_at,
      delivered_at = tried.delivered_at
    from unnest(
      ${ids}::bigint[],
      ${verdicts.map(({ status }) => status)}::text[],
      ${verdicts.map(({ tries }) => tries)}::integer[],
      ${verdicts.map(({ number }) => number)}::integer[],
      ${verdicts.map(({ nextTryAt }) => nextTryAt?.toISOString() ?? null)}::timestamptz[],
      ${verdicts.map(({ status, at }) => (status === "delivered" ? at.toISOString() : null))}::timestamptz[]
    ) as tried (event_id, status, tries, number, due_at, delivered_at)
    where webhook_deliveries.company_id = ${tx.company.id} and webhook_deliveries.endpoint_id = ${endpoint_id}
      and webhook_deliveries.event_id = any(${ids}::bigint[]) and webhook_deliveries.event_id = tried.event_id
      and webhook_deliveries.attempts = tried.number - 1
    returning webhook_deliveries.event_id`.execute(tx.sql);
  return new Set(rows.map(({ event_id }) => event_id));
}

async function insertAttempts(tx: WriteTx, endpoint_id: number, verdicts: readonly Verdict[]): Promise<void> {
  await sql`
    insert into webhook_attempts (company_id, endpoint_id, event_id, number, attempted_at, status, duration_ms, answer,
      reason, next_try_at)
    select ${tx.company.id}::bigint, ${endpoint_id}::bigint, tried.*
    from unnest(
      ${verdicts.map(({ event_id }) => event_id)}::bigint[],
      ${verdicts.map(({ number }) => number)}::integer[],
      ${verdicts.map(({ at }) => at.toISOString())}::timestamptz[],
      ${verdicts.map(({ posted }) => (posted.kind === "answered" ? posted.status : null))}::integer[],
      ${verdicts.map(({ posted }) => posted.duration_ms)}::integer[],
      ${verdicts.map(({ posted }) => (posted.kind === "answered" ? posted.body : null))}::text[],
      ${verdicts.map(({ reason }) => reason)}::text[],
      ${verdicts.map(({ nextTryAt, isGone }) => (isGone ? null : (nextTryAt?.toISOString() ?? null)))}::timestamptz[]
    ) as tried
    on conflict (company_id, endpoint_id, event_id, number) do nothing`.execute(tx.sql);
}

/** An endpoint that has heard something fails no longer. */
async function noteHearing(tx: WriteTx, endpoint: StoredEndpoint): Promise<void> {
  if (endpoint.failing_since === null && endpoint.unheard_since === null) return;
  await tx.sql
    .updateTable("webhook_endpoints")
    .set({ failing_since: null, unheard_since: null })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", endpoint.id)
    .execute();
}

async function noteUnheard(tx: WriteTx, endpoint: StoredEndpoint, since: Date): Promise<void> {
  if (endpoint.unheard_since !== null) return;
  await tx.sql
    .updateTable("webhook_endpoints")
    .set({ unheard_since: since.toISOString() })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", endpoint.id)
    .execute();
}
