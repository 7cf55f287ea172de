import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { FastifyRequest } from "fastify";
import type { RateLimiter } from "../http/limits.ts";
import { rateLimited } from "../http/problem.ts";

/** Tries at one account from one network. Nobody can use up those of another network, so nobody locks others out. */
const TRIES_PER_MINUTE_AT_AN_ACCOUNT = 5;
/** Wrong tries from one network at whatever accounts. A class that signs in at once mistypes less than this. */
const FAILURES_PER_MINUTE_OF_A_NETWORK = 60;
/** Networks that are known to have failed too often; beyond it the oldest are forgotten. */
const MOST_REMEMBERED = 10_000;

/** What limits the guessing of passwords and links. One for each process; what it counts is counted over all. */
export class SignInLimits {
  readonly #limiter: RateLimiter;
  readonly #blockedUntil = new Map<string, number>();

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /**
   * Counts a try at an account, before anything is looked up: it is refused alike whether there is such an account.
   * @throws Problem 429
   */
  async countTry({ company, ip }: FastifyRequest, account: string): Promise<void> {
    const network = networkOf(ip);
    const waitMs = (this.#blockedUntil.get(network) ?? 0) - performance.now();
    if (waitMs > 0) throw rateLimited(Math.ceil(waitMs / 1000));
    const name = createHash("sha256").update(account).digest("base64url");
    const bucket = `sign-in:${company.id}/${name}@${network}`;
    const verdict = await this.#limiter.take(bucket, TRIES_PER_MINUTE_AT_AN_ACCOUNT);
    if (!verdict.admitted) throw rateLimited(verdict.resetSeconds);
  }

  /** Counts a try that was wrong; of too many the network waits for the rest of a minute. */
  async countFailure({ ip }: FastifyRequest): Promise<void> {
    const network = networkOf(ip);
    const bucket = `sign-in-failures:${network}`;
    const verdict = await this.#limiter.take(bucket, FAILURES_PER_MINUTE_OF_A_NETWORK);
    if (verdict.admitted) return;
    this.#blockedUntil.set(network, performance.now() + verdict.resetSeconds * 1000);
    const [oldest] = this.#blockedUntil.keys();
    if (oldest !== undefined && this.#blockedUntil.size > MOST_REMEMBERED) this.#blockedUntil.delete(oldest);
  }
}

/** Who has one IPv6 address has 2^64 of them, so those with the same first half count as one. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, "")}]`);
  const [head = "", tail] = hostname.slice(1, -1).split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const after = tail?.split(":").filter((group) => group !== "") ?? [];
  const zeros = Array.from({ length: 8 - groups.length - after.length }, () => "0");
  const all = [...groups, ...zeros, ...after];
  // An IPv4 address that is written as one of IPv6 stays an address.
  if (all.slice(0, 6).join(":") === "0:0:0:0:0:ffff") return all.join(":");
  return `${all.slice(0, 4).join(":")}::/64`;
}
