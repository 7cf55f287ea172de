import type { Secrets } from "../secrets.ts";
import { utcTime } from "../time.ts";
import { toContractPayload } from "./contract-payload.ts";
import type { OutgoingMessage } from "./outgoing.ts";
import { signatureHeaders } from "./signing.ts";
import type { StoredEndpoint } from "./stored.ts";

/** Whom receivers see in their logs. */
const USER_AGENT = "Lectern-Webhooks/1";

/** Where to send to, with what is secret readable. It is kept no longer than the sending takes. */
export interface Target {
  readonly id: number;
  readonly kind: StoredEndpoint["kind"];
  readonly url: string;
  readonly secrets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** An event to be sent. `data` and `previous` are JSON as it is stored: nothing is lost by reading and writing it. */
export interface SentEvent {
  readonly id: number;
  readonly type: string;
  readonly occurred_at: string;
  readonly data: string;
  readonly previous: string | null;
}

/** Why nothing can be sent to an endpoint, and what to do, for people. */
export interface Unopened {
  readonly reason: string;
}

const SETTING_UP: Unopened = { reason: "This webhook is still being set up: try again in a minute" };
const SECRET: Unopened = { reason: "Its secret can't be opened, as SECRET_KEY has changed: rotate it" };
const HEADERS: Unopened = {
  reason: "Its headers can't be opened, as SECRET_KEY has changed: give them anew",
};
const AUTHORIZATION: Unopened = {
  reason:
    "Its Authorization value can't be opened, as SECRET_KEY has changed: give it anew in the company's settings",
};

/**
 * Opens what is secret of an endpoint.
 * @param now until when the former secret signs too.
 */
export function openTarget(endpoint: StoredEndpoint, secrets: Secrets, now: Date): Target | Unopened {
  const { id, kind, url, secret, previous_secret, previous_until_ms } = endpoint;
  if (url === null || secret === null) return SETTING_UP;
  const isRotating = previous_secret !== null && (previous_until_ms ?? 0) > now.getTime();
  const opened = [secret, ...(isRotating ? [previous_secret] : [])].map((one) =>
    secrets.open("webhooks", one),
  );
  const known = opened.filter((one) => one !== undefined);
  if (known.length !== opened.length) return SECRET;
  const headers = openHeaders(endpoint, secrets);
  if (headers === undefined) return kind === "lesson_completed" ? AUTHORIZATION : HEADERS;
  return { id, kind, url, secrets: known, headers };
}

/** The fixed headers of an endpoint; undefined where they can't be opened. */
export function openHeaders(
  { headers }: Pick<StoredEndpoint, "headers">,
  secrets: Secrets,
): Record<string, string> | undefined {
  if (headers === null) return {};
  const opened = secrets.open("webhooks", headers);
  if (opened === undefined) return undefined;
  const read: unknown = JSON.parse(opened);
  return Object.fromEntries(Object.entries(Object(read)).map(([name, value]) => [name, String(value)]));
}

/** The request that tells an endpoint of an event. The contract's takes the payload alone, without what we put around it. */
export function composeEvent(
  company_id: number,
  target: Target,
  event: SentEvent,
  at: Date,
): OutgoingMessage {
  const { id, type, occurred_at, data, previous } = event;
  const body =
    target.kind === "lesson_completed"
      ? toContractPayload(data)
      : `{"id":${id},"type":${JSON.stringify(type)},"occurred_at":"${utcTime(occurred_at)}","data":${data},"previous":${previous}}`;
  return compose(target, { id: `evt_${company_id}_${id}`, at, body }, `${company_id}/${target.id}`);
}

/** A request that only tries whether an endpoint hears. */
export function composePing(target: Target, id: string, at: Date): OutgoingMessage {
  const body = JSON.stringify({ type: "ping", occurred_at: utcTime(at.toISOString()), data: {} });
  return compose(target, { id, at, body }, id);
}

function compose(
  { url, secrets, headers }: Target,
  signed: { readonly id: string; readonly at: Date; readonly body: string },
  lane: string,
): OutgoingMessage {
  return {
    url,
    lane,
    body: signed.body,
    headers: {
      ...headers,
      "content-type": "application/json; charset=utf-8",
      "user-agent": USER_AGENT,
      ...signatureHeaders(signed, secrets),
    },
  };
}
