import cors, { type FastifyCorsOptions } from "@fastify/cors";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
} from "fastify";
import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Database } from "../db/db.ts";
import { markAnswers } from "./answer.ts";
import { Authenticator } from "./auth.ts";
import { MOST_BODY_BYTES, readBodies } from "./body.ts";
import { Door } from "./door.ts";
import { components, registerFeatures } from "./features.ts";
import { type HealthOptions, registerHealth } from "./health.ts";
import { checkQuery, compileInput } from "./input.ts";
import type { RateLimiter } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import { describeApi } from "./openapi.ts";
import { checkAccess, checkOrigin } from "./access.ts";
import { markEditable } from "./match.ts";
import { answerClientError, answerError, malformed } from "./problem.ts";
import { decorateRequests } from "./request.ts";
import { RouteTable } from "./route-table.ts";
import type { Depot } from "../files/depot.ts";
import type { Secrets } from "../secrets.ts";
import type { OutgoingPolicy } from "../webhooks/address.ts";
import type { Outgoing } from "../webhooks/outgoing.ts";
import { compileSerializer } from "./serializer.ts";
import { watchRequests } from "./watch.ts";

export type App = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface AppOptions {
  readonly database: Database;
  readonly limiter: RateLimiter;
  readonly maintenance: { readonly isOn: boolean };
  readonly publicUrl: string;
  readonly secrets: Secrets;
  readonly files: Depot;
  /** Where webhooks may go, and what sends them. */
  readonly policy: OutgoingPolicy;
  readonly outgoing: Outgoing;
  readonly trustedProxies: readonly string[];
  readonly allowPlainHttp: boolean;
  readonly corsOrigins: readonly string[];
  readonly logger: NonNullable<FastifyServerOptions["logger"]>;
  readonly metrics: Metrics;
  readonly health: Pick<HealthOptions, "metrics" | "metricsPublic">;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly timeLimits?: TimeLimits;
}

/** How long a client may take, so that none holds a connection for ever. */
export interface TimeLimits {
  readonly headersMs: number;
  /** For the whole request, headers and body. */
  readonly requestMs: number;
  /** For a connection between two requests. */
  readonly idleMs: number;
}

/** A connection may idle for longer than the minute that proxies keep theirs, so that it never ends under a request. */
const timeLimits: TimeLimits = { headersMs: 10_000, requestMs: 30_000, idleMs: 65_000 };
/** A connection on which nothing moves, as its client does not read. Longer than the others, which tell the client. */
const STALLED_TIMEOUT_MS = 60_000;
/** How often they are looked at. */
const LOOK_AT_CONNECTIONS_EVERY_MS = 1_000;
/** An id in an address may be as long as an address can be: it is told what is wrong, not that nothing is there. */
const MOST_PARAMETER_CHARACTERS = 16_384;

/** The whole HTTP service. It is not listening yet; `routeTable` holds what it serves. */
export async function buildApp(options: AppOptions): Promise<{ app: App; routeTable: RouteTable }> {
  const routeTable = new RouteTable();
  const app: App = fastify({
    ...serverOptions(options),
    rewriteUrl: ({ method = "GET", url = "/" }) => routeTable.resolve(method, url),
  }).withTypeProvider<TypeBoxTypeProvider>();
  // Each route names them: for the application as a whole, every route would be given a copy of all components.
  app.addHook("onRoute", (route) => {
    route.validatorCompiler ??= compileInput;
    route.serializerCompiler ??= compileSerializer;
    checkQuery(route);
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request) => {
    throw routeTable.missing(request.url);
  });
  routeTable.collect(app);
  const door = new Door({ ...options, authenticator: new Authenticator(options) });
  watchRequests(app, door, options.metrics);
  if (options.corsOrigins.length > 0) await app.register(cors, corsOptions(options.corsOrigins));
  readBodies(app);
  decorateRequests(app, options.database);
  markAnswers(app);
  markEditable(app);
  guard(app, door, routeTable);
  registerHealth(app, { ...options.health, database: options.database });
  await describeApi(app);
  for (const component of components) app.addSchema(component);
  registerFeatures(app, options);
  return { app, routeTable };
}

/** Puts the door before everything under /api, known address or not. */
function guard(app: App, door: Door, routeTable: RouteTable): void {
  // Node would answer them by itself, with a status and nothing else.
  app.server.on("checkExpectation", (request, response) => app.routing(request, response));
  app.addHook("onRequest", async (request, reply) => {
    checkHeaders(request);
    if (isOfApi(request.url) || isOfApi(request.routeOptions.url)) await door.admit(request, reply);
    // Before a body is read: that there is nothing to send it to comes first.
    if (request.is404) throw routeTable.missing(request.url);
    if (request.caller !== null) checkOrigin(request);
  });
  // After the input is read: what is malformed is said first.
  app.addHook("preHandler", (request, _reply, done) => {
    if (request.caller !== null) checkAccess(request);
    done();
  });
  app.addHook("onRoute", (route) => {
    if (route.config?.changesSession !== true) return;
    route.onSend = [route.onSend ?? [], async (request: FastifyRequest) => door.forget(request)].flat();
  });
}

/**
 * Makes sure that HTTP/1.1 has the Host that it demands (RFC 9112, 3.2), and that nothing is expected but what Node has
 * done by now.
 * @throws Problem 400
 */
function checkHeaders({ raw, headers }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === "1.1")
    throw malformed("The request has no Host header: HTTP/1.1 asks for one");
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect))
    throw malformed("The request expects what no server here knows: leave the Expect header out");
}

function isOfApi(url = ""): boolean {
  return url === "/api" || url.startsWith("/api/");
}

/** What a page of another origin may do and see. The key comes in a header, so no cookies are let through. */
function corsOptions(origins: readonly string[]): FastifyCorsOptions {
  return {
    origin: [...origins],
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    exposedHeaders: ["ETag", "Link", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"],
    // Otherwise an OPTIONS that is no preflight is answered in plain text.
    strictPreflight: false,
  };
}

function serverOptions(options: AppOptions): FastifyServerOptions {
  const { headersMs, requestMs, idleMs } = options.timeLimits ?? timeLimits;
  const connections = {
    headersTimeout: headersMs,
    connectionsCheckingInterval: LOOK_AT_CONNECTIONS_EVERY_MS,
    // Who sends none is told so as with any other error: checkHeaders.
    requireHostHeader: false,
  };
  const requestIdPrefix = randomBytes(6).toString("base64url");
  let requests = 0;
  return {
    logger: options.logger,
    ...(options.tls === undefined ? { http: connections } : { https: { ...connections, ...options.tls } }),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    genReqId: () => `${requestIdPrefix}-${(requests += 1).toString(36)}`,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    bodyLimit: MOST_BODY_BYTES,
    requestTimeout: requestMs,
    connectionTimeout: STALLED_TIMEOUT_MS,
    keepAliveTimeout: idleMs,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MOST_PARAMETER_CHARACTERS },
    clientErrorHandler: answerClientError,
  };
}
