import { isIPv4 } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { companyOfPublicRequest } from "../companies/of-request.ts";
import type { Database } from "../db/db.ts";
import { nobody } from "../privileges/privileges.ts";
import { checkAccess } from "./access.ts";
import type { Authenticator, Caller } from "./auth.ts";
import { companyBucket, type RateLimiter, type Verdict } from "./limits.ts";
import { forbidden, notAcceptable, rateLimited, unavailable } from "./problem.ts";

/** Requests under way in one process. More would only wait for the database, so they are told to come back. */
const MOST_UNDER_WAY = 500;
const RETRY_AFTER_OVERLOAD_SECONDS = 1;
const RETRY_AFTER_MAINTENANCE_SECONDS = 30;
/** A person clicks and types less than this, saving each answer; a script in a browser that goes wild does not. */
const REQUESTS_PER_MINUTE_OF_A_PERSON = 1_200;
/** A process leases a hundredth of it at a time, so that not each answer that somebody saves is a write of its own. */
const LEASES_OF_A_PERSON = 100;
/** What needs no sign-in: a class room behind one address signs in at once. */
const REQUESTS_PER_MINUTE_OF_AN_ADDRESS = 600;

export interface DoorOptions {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly database: Database;
  readonly publicUrl: string;
  readonly maintenance: { readonly isOn: boolean };
  readonly allowPlainHttp: boolean;
}

/** What every request under /api passes, in the contract's order, before its address is even looked at. */
export class Door {
  readonly #options: DoorOptions;
  #underWay = 0;

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  /**
   * Admits a request and notes who calls.
   * @throws Problem 403 (transport), 503, 406, 401, 403 (rate limit, plan), in this order.
   */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    this.#checkTransport(request);
    if (this.#options.maintenance.isOn) {
      throw unavailable("Offline for maintenance: try again later", RETRY_AFTER_MAINTENANCE_SECONDS);
    }
    if (this.#underWay > MOST_UNDER_WAY) {
      throw unavailable("Too many requests at once: try again", RETRY_AFTER_OVERLOAD_SECONDS);
    }
    checkFormat(request);
    if (request.routeOptions.config?.access === "public") return this.#admitAnybody(request, reply);
    const caller = await this.#options.authenticator.authenticate(request);
    request.caller = caller;
    await this.#limit(reply, limitOf(caller));
    checkPlan(caller);
  }

  /** Forgets what is believed of who sent this request: what it ended has ended with the answer. */
  forget(request: FastifyRequest): void {
    this.#options.authenticator.forget(request);
  }

  /** Counts a request in; the answer's end counts it out. */
  enter(): void {
    this.#underWay += 1;
  }

  leave(): void {
    this.#underWay -= 1;
  }

  /**
   * Counts a request out while it waits for something that takes nothing of the server. Who calls may have lost their
   * key, their session or a privilege meanwhile, so they are looked up again.
   * @throws Problem 401, 403
   */
  async idle<T>(request: FastifyRequest, wait: () => Promise<T>): Promise<T> {
    this.leave();
    const result = await wait().finally(() => this.enter());
    request.caller = await this.#options.authenticator.authenticate(request);
    checkPlan(request.caller);
    checkAccess(request);
    return result;
  }

  /** Lets in who need not say who they are; the address or the host names the company. @throws Problem 404 */
  async #admitAnybody(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { requestsPerMinute } = request.routeOptions.config;
    // A route with a limit of its own is counted apart: pictures must not keep a class from signing in.
    const bucket = requestsPerMinute === undefined ? "public" : `public/${request.routeOptions.url}`;
    const limit = requestsPerMinute ?? REQUESTS_PER_MINUTE_OF_AN_ADDRESS;
    await this.#limit(reply, { bucket: `${bucket}:${request.ip}`, limit });
    const company = await companyOfPublicRequest(this.#options, request);
    request.caller = { company, key: null, session: null, viewer: nobody };
  }

  async #limit(reply: FastifyReply, { bucket, limit, leases }: Limit): Promise<void> {
    const verdict = await this.#options.limiter.take(bucket, limit, leases);
    showLimit(reply, verdict);
    if (!verdict.admitted) throw rateLimited(verdict.resetSeconds);
  }

  #checkTransport(request: FastifyRequest): void {
    if (request.protocol === "https" || this.#options.allowPlainHttp) return;
    const { localAddress = "" } = request.socket;
    if (!isLoopback(localAddress))
      throw forbidden("Use HTTPS. The key that was just sent could be read: make a new one");
  }
}

function checkPlan({ company, key }: Caller): void {
  if (key !== null && !company.has_api)
    throw forbidden("The API is not part of this company's plan: an operator can switch it on");
}

/** A company's keys share the contract's limit; people have one each, so that learners never wait for a script. */
function limitOf({ company, session }: Caller): Limit {
  if (session === null) return { bucket: companyBucket(company), limit: company.requests_per_minute };
  return {
    bucket: `person:${company.id}/${session.user_id}`,
    limit: REQUESTS_PER_MINUTE_OF_A_PERSON,
    leases: LEASES_OF_A_PERSON,
  };
}

/** What a request is counted in. */
interface Limit {
  readonly bucket: string;
  readonly limit: number;
  readonly leases?: number;
}

/** Whether an address is the machine's own, for which plain HTTP is safe. */
export function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, "");
  return plain === "::1" || (isIPv4(plain) && plain.startsWith("127."));
}

function checkFormat(request: FastifyRequest): void {
  if (request.routeOptions.config?.answersOther === true) return;
  const [path = ""] = request.originalUrl.split("?");
  const extension = /\.([A-Za-z][A-Za-z0-9]*)$/.exec(path)?.[1];
  if (extension !== undefined && extension !== "json") throw notAcceptable();
  if (!acceptsJson(request.headers.accept)) throw notAcceptable();
}

/** Whether an Accept header admits JSON: the most specific range that covers it counts (RFC 9110, 12.5.1). */
function acceptsJson(accept = ""): boolean {
  if (accept === "" || accept === "*/*" || accept === "application/json") return true;
  const ranges = accept
    .toLowerCase()
    .split(",")
    .map((range) => range.split(";").map((part) => part.trim()));
  for (const wanted of ["application/json", "application/*", "*/*"]) {
    const range = ranges.find(([type]) => type === wanted);
    if (range !== undefined) return !range.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  }
  return false;
}

/** The fields of the IETF draft "RateLimit header fields for HTTP". */
function showLimit(reply: FastifyReply, { limit, remaining, resetSeconds }: Verdict): void {
  reply.header("ratelimit-policy", `"company";q=${limit};w=60`);
  reply.header("ratelimit", `"company";r=${remaining};t=${resetSeconds}`);
}
