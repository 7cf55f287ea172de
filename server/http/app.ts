import accepts from "@fastify/accepts";
import cors from "@fastify/cors";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyServerOptions } from "fastify";
import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Database } from "../db/db.ts";
import { markAnswers } from "./answer.ts";
import { Authenticator } from "./auth.ts";
import { MOST_BODY_BYTES, readBodies } from "./body.ts";
import { Door } from "./door.ts";
import { components, registerFeatures } from "./features.ts";
import { type HealthOptions, registerHealth } from "./health.ts";
import { compileInput } from "./input.ts";
import type { RateLimiter } from "./limits.ts";
import { logRequests } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { describeApi } from "./openapi.ts";
import { answerClientError, answerError } from "./problem.ts";
import { decorateRequests } from "./request.ts";
import { RouteTable } from "./route-table.ts";

export type App = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>;

export interface AppOptions {
  readonly database: Database;
  readonly limiter: RateLimiter;
  readonly maintenance: { readonly isOn: boolean };
  readonly publicUrl: string;
  readonly trustedProxies: readonly string[];
  readonly allowPlainHttp: boolean;
  readonly corsOrigins: readonly string[];
  readonly logger: NonNullable<FastifyServerOptions["logger"]>;
  readonly metrics: Metrics;
  readonly health: Pick<HealthOptions, "metrics" | "metricsPublic">;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** Time limits, so that no client holds a connection or a slot for ever. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** An id in an address may be as long as an address can be: it is told what is wrong, not that nothing is there. */
const MOST_PARAMETER_CHARACTERS = 16_384;

/** The whole HTTP service. It is not listening yet; `routeTable` holds what it serves. */
export async function buildApp(options: AppOptions): Promise<{ app: App; routeTable: RouteTable }> {
  const routeTable = new RouteTable();
  const app: App = fastify({
    ...serverOptions(options),
    rewriteUrl: ({ method = "GET", url = "/" }) => routeTable.resolve(method, url),
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.server.headersTimeout = HEADERS_TIMEOUT_MS;

  app.setValidatorCompiler(compileInput);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request) => {
    throw routeTable.missing(request.url);
  });
  routeTable.collect(app);
  await app.register(accepts);
  if (options.corsOrigins.length > 0) await app.register(cors, { origin: [...options.corsOrigins] });
  readBodies(app);
  decorateRequests(app, options.database);
  markAnswers(app);
  guard(app, options);
  options.metrics.watch(app);
  logRequests(app);
  registerHealth(app, { ...options.health, database: options.database });
  await describeApi(app);
  for (const component of components) app.addSchema(component);
  registerFeatures(app);
  return { app, routeTable };
}

/** Puts the door before everything under /api, known address or not. */
function guard(app: App, options: AppOptions): void {
  const door = new Door({ ...options, authenticator: new Authenticator(options) });
  app.addHook("onRequest", async (request, reply) => {
    door.enter();
    if (request.url === "/api" || request.url.startsWith("/api/")) await door.admit(request, reply);
  });
  app.addHook("onResponse", async () => door.leave());
}

function serverOptions(options: AppOptions): FastifyServerOptions<Server> {
  const requestIdPrefix = randomBytes(6).toString("base64url");
  let requests = 0;
  return {
    logger: options.logger,
    ...(options.tls && { https: options.tls }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => `${requestIdPrefix}-${(requests += 1).toString(36)}`,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    bodyLimit: MOST_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MOST_PARAMETER_CHARACTERS },
    clientErrorHandler: answerClientError,
  };
}
