import type { Database } from "../db/db.ts";
import { type ApiKey, findCaller, touchApiKey } from "../companies/api-keys.ts";
import type { Company } from "../companies/companies.ts";
import type { RateLimiter } from "./limits.ts";
import { rateLimited, unauthorized } from "./problem.ts";

/** Who calls: a key, and the company that it belongs to. A key acts as an administrator of its company. */
export interface Caller {
  readonly company: Company;
  readonly key: ApiKey;
}

/** A revoked key is refused within a second everywhere, so what is known of a key is believed for less. */
const BELIEVED_MS = 500;
/** More keys than call within half a second; beyond it the oldest are forgotten. */
const MOST_REMEMBERED = 10_000;
/** Wrong credentials that one address may send in a minute. A key can't be guessed; this spares the database. */
const MOST_FAILURES_PER_MINUTE = 1_000;
/** How often the time of a key's last use is written. */
const LAST_USE_STEP_MS = 60_000;

export interface AuthenticatorOptions {
  readonly database: Database;
  readonly limiter: RateLimiter;
  readonly publicUrl: string;
}

/** Tells who calls by the Authorization header. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #believed = new Map<
    string,
    { readonly caller: Promise<Caller | undefined>; readonly until: number }
  >();
  readonly #blocked = new Map<string, number>();
  readonly #lastUses = new Map<string, number>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /**
   * @param header the Authorization header.
   * @param address of the client, for the limit of failures.
   * @throws Problem 401, or 403 when the address has failed too often.
   */
  async authenticate(header: string | undefined, address: string): Promise<Caller> {
    if (header === undefined) throw unauthorized();
    const caller = await this.#find(header, address);
    if (caller === undefined) throw await this.#refuse(address);
    this.#noteUse(caller);
    return caller;
  }

  #find(header: string, address: string): Promise<Caller | undefined> {
    const now = performance.now();
    const known = this.#believed.get(header);
    if (known !== undefined && known.until > now) return known.caller;
    const blockedUntil = this.#blocked.get(address) ?? 0;
    if (blockedUntil > now) throw rateLimited(Math.ceil((blockedUntil - now) / 1000));
    const credentials = readBasic(header);
    if (credentials === undefined) return Promise.resolve(undefined);
    const caller = findCaller(this.#options.database, credentials, this.#options.publicUrl);
    remember(this.#believed, header, { caller, until: now + BELIEVED_MS });
    caller.catch(() => this.#believed.delete(header));
    return caller;
  }

  async #refuse(address: string): Promise<Error> {
    const verdict = await this.#options.limiter.take(`address:${address}`, MOST_FAILURES_PER_MINUTE);
    if (verdict.admitted) return unauthorized();
    remember(this.#blocked, address, performance.now() + verdict.resetSeconds * 1000);
    return rateLimited(verdict.resetSeconds);
  }

  #noteUse({ company, key }: Caller): void {
    const name = `${company.id}/${key.id}`;
    const now = performance.now();
    if (now - (this.#lastUses.get(name) ?? -LAST_USE_STEP_MS) < LAST_USE_STEP_MS) return;
    remember(this.#lastUses, name, now);
    const actor = { type: "api_key", id: key.id, user_id: null, request_id: null } as const;
    // Not waited for: an answer must not depend on it, and the next minute writes it again.
    this.#options.database.write(company, actor, (tx) => touchApiKey(tx, key.id)).catch(() => undefined);
  }
}

/** Sets an entry, and forgets the oldest one past the bound. */
function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  const [oldest] = map.keys();
  if (oldest !== undefined && map.size > MOST_REMEMBERED) map.delete(oldest);
}

/**
 * `Basic base64(subdomain:key)`; some clients add an empty third part, `subdomain:key:`. What is far longer than a key
 * is not read, as what is read is remembered.
 */
function readBasic(header: string): { subdomain: string; key: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_-]{1,1000}={0,2}) *$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const [subdomain, key, rest, more] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  if (subdomain === undefined || key === undefined || more !== undefined) return undefined;
  return rest === undefined || rest === "" ? { subdomain, key } : undefined;
}
