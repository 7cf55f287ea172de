import { isIP } from "node:net";
import { whyForbidden, type OutgoingPolicy } from "./address.ts";

/** The longest address in characters: what servers and proxies take for sure. */
export const MOST_URL_CHARACTERS = 2000;

/**
 * Ports on which something other than HTTP listens, such as mail (25) and SSH (22), and could be talked into
 * something: those that browsers refuse (https://fetch.spec.whatwg.org/#bad-port).
 */
const REFUSED_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

const NO_HOST = "must have a valid host in it";

/**
 * Reads the address that requests shall be sent to. Gives it parsed, with a host of foreign letters in ASCII and the
 * query as typed; or what is wrong with it, to be shown behind the field's name ("must not have spaces in it").
 * A name is looked up only when a request is sent, so what it leads to is checked then; an address in figures is checked here.
 */
export function checkUrl(url: string, policy: OutgoingPolicy): { url: URL } | { problem: string } {
  const problem = problemAsTyped(url, policy);
  if (problem !== undefined) return { problem };
  const parsed = URL.parse(url);
  if (parsed === null || parsed.hostname === "") return { problem: NO_HOST };
  if (REFUSED_PORTS.has(Number(parsed.port || "443"))) {
    return { problem: `must not lead to port ${parsed.port}, which is for something other than webhooks` };
  }
  const forbidden = literalAddresses(parsed.hostname)
    .map((address) => ({ address, kind: whyForbidden(address, policy) }))
    .find(({ kind }) => kind !== undefined);
  if (forbidden !== undefined) return { problem: `must not lead to ${forbidden.address}, ${forbidden.kind}` };
  return { url: parsed };
}

/** What can only be seen before parsing, which forgives a lot: it drops tabs, turns \ into / and takes https:host. */
function problemAsTyped(url: string, policy: OutgoingPolicy): string | undefined {
  if (url.length > MOST_URL_CHARACTERS) return `must be at most ${MOST_URL_CHARACTERS} characters long`;
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(url)) return "must not have spaces, control characters or backslashes in it";
  const authority =
    /^https:\/\/([^/?#]*)/i.exec(url) ?? (policy.allowsHttp && /^http:\/\/([^/?#]*)/i.exec(url));
  if (!authority)
    return policy.allowsHttp ? "must begin with https:// or http://" : "must begin with https://";
  if (authority[1]?.includes("@"))
    return "must not have a user name or password in it; use the authorization or headers";
  // The parser would take what comes behind the third slash for the host.
  return authority[1] === "" ? NO_HOST : undefined;
}

/** The addresses of a host that needs no DNS: the one it is, or this machine's for localhost and what is below (RFC 6761). */
export function literalAddresses(hostname: string): string[] {
  const bare = hostname.replace(/^\[|\]$/g, "");
  if (isIP(bare) !== 0) return [bare];
  return /(^|\.)localhost\.?$/i.test(hostname) ? ["127.0.0.1", "::1"] : [];
}
