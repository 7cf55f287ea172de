import type { FastifyRequest } from "fastify";
import type { Privilege } from "../privileges/privileges.ts";
import { forbidden } from "./problem.ts";

/** What a caller needs for a route: a privilege; to be signed in or have a key; or nothing at all. */
export type Access = Privilege | "authenticated" | "public";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Who may call. Every route under /api says so; a test walks them. */
    readonly access?: Access;
    /** Media types of bodies other than JSON and forms, which reach the handler as streams. */
    readonly takes?: readonly string[];
    /** How often one network address may ask for a public route in a minute, where it is not what all others have. */
    readonly requestsPerMinute?: number;
    /** The answer is no JSON, or not always: Accept is the handler's business. */
    readonly answersOther?: true;
    /** The answer carries an ETag that If-Match understands; see match.ts. */
    readonly editable?: true;
    /** The caller's session ends or is another with the answer: what is believed of its cookie is forgotten. */
    readonly changesSession?: true;
  }
}

/**
 * Refuses who lacks the privilege of the route that answers.
 * @throws Problem 403 that names it.
 */
export function checkAccess(request: FastifyRequest): void {
  const { access } = request.routeOptions.config;
  if (access === undefined) throw new Error(`${request.routeOptions.url} does not say who may call it`);
  if (access === "public" || access === "authenticated") return;
  if (request.viewer.scope(access) !== undefined) return;
  throw forbidden(`This needs the privilege ${access}: ask an administrator for it`);
}

/**
 * Refuses a change that a page of another origin has a browser send along with our cookie: a browser says the origin of
 * such a request. Who comes without a cookie shows a key, which no browser adds by itself.
 * @throws Problem 403
 */
export function checkOrigin(request: FastifyRequest): void {
  if (request.caller?.session == null || ["GET", "HEAD", "OPTIONS"].includes(request.method)) return;
  requireOwnOrigin(request);
}

/**
 * Refuses what a page of another origin has a browser send. Routes that set a cookie call it too: nobody is to be signed
 * in as somebody else by a page that they look at.
 * @throws Problem 403
 */
export function requireOwnOrigin(request: FastifyRequest): void {
  const { origin, "sec-fetch-site": site } = request.headers;
  const own = `${request.protocol}://${request.host}`;
  if (
    (origin === undefined || origin === own) &&
    (site === undefined || site === "same-origin" || site === "none")
  )
    return;
  throw forbidden("This change was asked for by a page of another site: make it on this one");
}
