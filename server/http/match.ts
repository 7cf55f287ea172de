import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { WriteTx } from "../db/db.ts";
import { Problem } from "./problem.ts";

/** The strong ETag of what people edit: of what its answer says, whatever way the answer is written. */
export function etagOf(resource: object): string {
  return `"${createHash("sha1").update(JSON.stringify(resource)).digest("base64url")}"`;
}

/** Puts the ETag on answers of routes with `config.editable`: show it, and what a change of it answers. */
export function markEditable(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    if (route.config?.editable === true) {
      route.preSerialization = [route.preSerialization ?? [], showState].flat();
    }
  });
}

async function showState(_request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload === "object" && payload !== null) reply.header("etag", etagOf(payload));
  return payload;
}

/**
 * Makes sure that a change was made from the state that is there now, where the request names the state with If-Match.
 * Call it after the counters are locked, so that nobody changes it in between.
 * @param current what GET would answer now.
 * @throws Problem 412 that shows both: what was to be written, and what is there.
 */
export function requireMatch(tx: WriteTx, current: object, yours: object): void {
  const { if_match } = tx.actor;
  if (if_match === undefined || if_match.trim() === "*") return;
  const etag = etagOf(current);
  // If-Match compares strongly (RFC 9110, 13.1.1): a weak tag matches nothing.
  if (if_match.split(",").some((tag) => tag.trim() === etag)) return;
  throw new Problem(412, "Somebody has changed this since you read it: look at both, and send yours again", {
    members: { current, current_etag: etag, yours },
  });
}
