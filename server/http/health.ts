import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Database } from "../db/db.ts";
import { listMigrations } from "../db/migrate.ts";
import { isLoopback } from "./door.ts";
import { notFound } from "./problem.ts";

export interface HealthOptions {
  readonly database: Database;
  /** The metrics of all processes, in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  readonly metricsPublic: boolean;
}

const RETRY_AFTER_SECONDS = 5;

/** /healthz, /readyz and /metrics, which go on in maintenance. */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  const schema = { hide: true };
  app.get("/healthz", { schema }, () => ({ status: "ok" }));
  app.get("/readyz", { schema }, async (_request, reply) => {
    const reason = await whyUnready(options.database);
    if (reason === undefined) return { status: "ready" };
    return reply
      .code(503)
      .header("retry-after", String(RETRY_AFTER_SECONDS))
      .send({ status: "unready", reason });
  });
  app.get("/metrics", { schema }, async (request, reply) => {
    if (!options.metricsPublic && !isFromHere(request)) throw notFound("This address is");
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(await options.metrics());
  });
}

/** A database that is newer than this process is as good: the next version may have been started beside it. */
async function whyUnready(database: Database): Promise<string | undefined> {
  try {
    const rows = await database.global((db) => db.selectFrom("migrations").select("name").execute());
    const applied = new Set(rows.map(({ name }) => name));
    const missing = (await listMigrations()).filter((name) => !applied.has(name));
    return missing.length === 0 ? undefined : `the database lacks ${missing.join(", ")}: run lectern migrate`;
  } catch {
    return "the database is away";
  }
}

/** A proxy on the machine also calls from loopback, but says for whom. */
function isFromHere(request: FastifyRequest): boolean {
  const { remoteAddress = "" } = request.socket;
  return isLoopback(remoteAddress) && request.headers["x-forwarded-for"] === undefined;
}
