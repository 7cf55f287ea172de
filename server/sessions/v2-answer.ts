import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static } from "typebox";
import type { Tx } from "../db/db.ts";
import { forbidden } from "../http/problem.ts";
import { setSessionCookie } from "./cookie.ts";
import { getSignedInUser } from "./me.ts";
import { ABSOLUTE_LIMIT_SECONDS, type StartedSession } from "./start.ts";
import type { SignedIn } from "./v2-schema.ts";

/** A request and the reply to it, which a cookie needs both of. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A session that has begun and its person: what a write that signs in resolves with, so that a repetition answers it too. */
export async function withUser(tx: Tx, user_id: number, { id, ...started }: StartedSession) {
  return { session_id: id, ...started, user: await getSignedInUser(tx, user_id) };
}

/** Puts the session's token into the cookie, and the rest into the answer. */
export function answerStarted(
  reply: FastifyReply,
  { token, ...answer }: Static<typeof SignedIn> & { readonly token: string },
): Static<typeof SignedIn> {
  setSessionCookie(reply, token, ABSOLUTE_LIMIT_SECONDS);
  return answer;
}

/** The session of who calls. @throws Problem 403 for a key. */
export function requirePerson({ caller }: FastifyRequest) {
  if (caller?.session == null) throw forbidden("Only a person has sessions and a password: sign in");
  return caller.session;
}
