import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Database } from "../db/db.ts";
import { isLoopback } from "./door.ts";
import { notFound } from "./problem.ts";

export interface HealthOptions {
  readonly database: Database;
  /** The metrics of all processes, in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  readonly metricsPublic: boolean;
}

/** /healthz, /readyz and /metrics, which go on in maintenance. */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  const schema = { hide: true };
  app.get("/healthz", { schema }, () => ({ status: "ok" }));
  app.get("/readyz", { schema }, async (_request, reply) => {
    try {
      await options.database.global((db) => db.selectFrom("migrations").select("name").limit(1).execute());
      return { status: "ready" };
    } catch {
      return reply.code(503).header("retry-after", "5").send({ status: "unready", reason: "the database is away" });
    }
  });
  app.get("/metrics", { schema }, async (request, reply) => {
    if (!options.metricsPublic && !isFromHere(request)) throw notFound("Page");
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(await options.metrics());
  });
}

/** A proxy on the machine also calls from loopback, but says for whom. */
function isFromHere(request: FastifyRequest): boolean {
  const { remoteAddress = "" } = request.socket;
  return isLoopback(remoteAddress) && request.headers["x-forwarded-for"] === undefined;
}
