import type { FastifyRequest } from "fastify";
import type { Database } from "../db/db.ts";
import { type ApiKey, findCaller, touchApiKey } from "../companies/api-keys.ts";
import type { Company } from "../companies/companies.ts";
import { type Viewer, viewerOfGrants } from "../privileges/privileges.ts";
import { findSignedIn, type Session } from "../sessions/find.ts";
import { touchSession } from "../sessions/touch.ts";
import { readSessionCookie } from "../sessions/cookie.ts";
import type { RateLimiter } from "./limits.ts";
import { rateLimited, unauthorized } from "./problem.ts";
import { isOfVersion2 } from "./versions.ts";

/** Who calls: a key or a person who is signed in, and the company that they belong to. */
export interface Caller {
  readonly company: Company;
  readonly key: ApiKey | null;
  readonly session: Session | null;
  /** How far their privileges reach. */
  readonly viewer: Viewer;
}

/** A revoked key is refused within a second everywhere, so what is known of a caller is believed for less. */
const BELIEVED_MS = 500;
/** More callers than call within half a second; beyond it the oldest are forgotten. */
const MOST_REMEMBERED = 10_000;
/** Wrong credentials that one address may send in a minute. A key can't be guessed; this spares the database. */
const MOST_FAILURES_PER_MINUTE = 1_000;
/** How often the time of a last use is written. */
const LAST_USE_STEP_MS = 60_000;

export interface AuthenticatorOptions {
  readonly database: Database;
  readonly limiter: RateLimiter;
  readonly publicUrl: string;
}

/** What a request shows of who calls: an Authorization header, or the cookie of a session. */
interface Credentials {
  /** Names them in what is remembered. They are read when they are looked up, and not for each request. */
  readonly text: string;
  /** Gives undefined at once for what can't be read. */
  find(options: AuthenticatorOptions): Promise<Caller | undefined> | undefined;
}

/** What was found of credentials. */
interface Belief {
  readonly caller: Promise<Caller | undefined>;
  readonly until: number;
  /** Whether they were right when they were last looked up. */
  isRight: boolean;
}

/** Tells who calls. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #believed = new Map<string, Belief>();
  readonly #blocked = new Map<string, number>();
  readonly #lastUses = new Map<string, number>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** @throws Problem 401, or 403 when the address has failed too often. */
  async authenticate(request: FastifyRequest): Promise<Caller> {
    const credentials = readCredentials(request);
    if (credentials === undefined) throw unauthorized();
    const caller = await this.#find(credentials, request.ip);
    if (caller === undefined) throw await this.#refuse(request.ip);
    this.#noteUse(caller);
    return caller;
  }

  /** Forgets what is believed of a session's cookie, as after signing out. */
  forget(request: FastifyRequest): void {
    const credentials = readCredentials(request);
    if (credentials !== undefined) this.#believed.delete(credentials.text);
  }

  #find(credentials: Credentials, address: string): Promise<Caller | undefined> {
    const now = performance.now();
    const { text } = credentials;
    const known = this.#believed.get(text);
    if (known !== undefined && known.until > now) return known.caller;
    const blockedUntil = this.#blocked.get(address) ?? 0;
    // Whoever guesses from an address that many share, as behind a proxy, keeps out nobody who was let in lately.
    if (blockedUntil > now && known?.isRight !== true) {
      throw rateLimited(Math.ceil((blockedUntil - now) / 1000));
    }
    const caller = credentials.find(this.#options);
    if (caller === undefined) return Promise.resolve(undefined);
    const belief: Belief = { caller, until: now + BELIEVED_MS, isRight: known?.isRight === true };
    remember(this.#believed, text, belief);
    caller.then(
      (found) => (belief.isRight = found !== undefined),
      () => this.#believed.delete(text),
    );
    return caller;
  }

  async #refuse(address: string): Promise<Error> {
    const verdict = await this.#options.limiter.take(`address:${address}`, MOST_FAILURES_PER_MINUTE);
    if (verdict.admitted) return unauthorized();
    remember(this.#blocked, address, performance.now() + verdict.resetSeconds * 1000);
    return rateLimited(verdict.resetSeconds);
  }

  #noteUse({ company, key, session }: Caller): void {
    const name = key === null ? `${company.id}/session/${session?.id}` : `${company.id}/${key.id}`;
    const now = performance.now();
    if (now - (this.#lastUses.get(name) ?? -LAST_USE_STEP_MS) < LAST_USE_STEP_MS) return;
    remember(this.#lastUses, name, now);
    const actor = { type: "command", id: null, user_id: null, request_id: null } as const;
    // Not waited for: an answer must not depend on it, and the next minute writes it again.
    this.#options.database
      .write(company, actor, async (tx) => {
        if (key !== null) await touchApiKey(tx, key.id);
        if (session !== null) await touchSession(tx, session.id);
      })
      .catch(() => undefined);
  }
}

/** Version 1 takes Basic alone, as its contract says. In version 2 a header, where there is one, comes before a cookie. */
function readCredentials(request: FastifyRequest): Credentials | undefined {
  const { authorization } = request.headers;
  const isV2 = isOfVersion2(request.url);
  if (authorization !== undefined) {
    if (!isV2 && !/^basic /i.test(authorization)) return unreadable;
    const find = (options: AuthenticatorOptions) => {
      const read = readBasic(authorization) ?? readBearer(authorization);
      return read && findKey(options, read);
    };
    return { text: authorization, find };
  }
  const token = isV2 ? readSessionCookie(request.headers.cookie) : undefined;
  return token === undefined
    ? undefined
    : { text: `session ${token}`, find: (options) => findPerson(options, token) };
}

/** Nothing is remembered under no text. */
const unreadable: Credentials = { text: "", find: () => undefined };

async function findKey(
  { database, publicUrl }: AuthenticatorOptions,
  credentials: { readonly subdomain: string | undefined; readonly key: string },
): Promise<Caller | undefined> {
  const found = await findCaller(database, credentials, publicUrl);
  return found && { ...found, session: null, viewer: viewerOfGrants(null, found.key.privileges) };
}

async function findPerson(
  { database, publicUrl }: AuthenticatorOptions,
  token: string,
): Promise<Caller | undefined> {
  const found = await findSignedIn(database, token, publicUrl);
  return found && { ...found, key: null };
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

/** `Bearer <key>`: the key alone names its company. */
function readBearer(header: string): { subdomain: undefined; key: string } | undefined {
  const key = /^bearer +([A-Za-z0-9_-]{1,200}) *$/i.exec(header)?.[1];
  return key === undefined ? undefined : { subdomain: undefined, key };
}
