import { randomBytes } from "node:crypto";
import { conflict } from "../http/problem.ts";
import type { Secrets } from "../secrets.ts";
import { utcTime } from "../time.ts";
import { composePing, openTarget } from "./message.ts";
import type { Outgoing } from "./outgoing.ts";
import type { StoredEndpoint } from "./stored.ts";
import type { WebhookTest } from "./v2-schema.ts";
import { whyFailed } from "./verdict.ts";

const ID_BYTES = 12;

/**
 * Sends a ping to an endpoint, enabled or not, and waits for the answer. Call it outside of transactions.
 * @throws Problem 409 where there is no address, or what is secret can't be opened.
 */
export async function ping(
  endpoint: StoredEndpoint,
  { secrets, outgoing }: { readonly secrets: Secrets; readonly outgoing: Outgoing },
): Promise<WebhookTest> {
  const at = new Date();
  if (endpoint.url === null) throw conflict("This webhook has no address: set one in the company's settings");
  const target = openTarget(endpoint, secrets, at);
  if ("reason" in target) throw conflict(target.reason);
  const message = composePing(target, `ping_${randomBytes(ID_BYTES).toString("hex")}`, at);
  const posted = await outgoing.post(message);
  const reason = whyFailed(posted);
  const isAnswered = posted.kind === "answered";
  return {
    delivered: reason === null,
    attempted_at: utcTime(at.toISOString()),
    status: isAnswered ? posted.status : null,
    duration_ms: posted.duration_ms,
    answer: isAnswered ? posted.body : null,
    reason,
  };
}
