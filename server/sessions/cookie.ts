import type { FastifyReply } from "fastify";

/**
 * `__Host-` makes browsers take the cookie over HTTPS alone, for this host alone; they make an exception of HTTPS for
 * the machine itself. It is `Lax`: a link in a mail finds a person signed in, and a foreign page's form does not.
 */
const NAME = "__Host-lectern";
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";

/** The token of a Cookie header. */
export function readSessionCookie(header: string | undefined): string | undefined {
  const pair = header
    ?.split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${NAME}=`));
  return pair?.slice(NAME.length + 1);
}

/** Sets the cookie of a session; it ends with the session. */
export function setSessionCookie(reply: FastifyReply, token: string, maxAgeSeconds: number): void {
  reply.header("set-cookie", `${NAME}=${token}; Max-Age=${maxAgeSeconds}; ${ATTRIBUTES}`);
}

/** Takes the cookie away. */
export function clearSessionCookie(reply: FastifyReply): void {
  reply.header("set-cookie", `${NAME}=; Max-Age=0; ${ATTRIBUTES}`);
}
