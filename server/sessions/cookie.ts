import type { FastifyReply } from "fastify";

/**
 * `__Host-` makes browsers take the cookie over HTTPS alone, for this host alone; they make an exception of HTTPS for
 * the machine itself. It is `Lax`: a link in a mail finds a person signed in, and a foreign page's form does not.
 */
const NAME = "__Host-lectern";
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";

/** The token of a Cookie header. */
export function readSessionCookie(header: string | undefined): string | undefined {
  return readCookie(header, NAME);
}

/** The value of one of the cookies of a Cookie header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const pair = header
    ?.split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

/** Sets the cookie of a session; it ends with the session. */
export function setSessionCookie(reply: FastifyReply, token: string, maxAgeSeconds: number): void {
  setCookie(reply, { name: NAME, value: token, maxAgeSeconds });
}

/** Takes the cookie away. */
export function clearSessionCookie(reply: FastifyReply): void {
  setCookie(reply, { name: NAME, value: "", maxAgeSeconds: 0 });
}

/** Sets a cookie that no script reads. Its name begins with `__Host-`. */
export function setCookie(
  reply: FastifyReply,
  { name, value, maxAgeSeconds }: { name: `__Host-${string}`; value: string; maxAgeSeconds: number },
): void {
  reply.header("set-cookie", `${name}=${value}; Max-Age=${maxAgeSeconds}; ${ATTRIBUTES}`);
}
