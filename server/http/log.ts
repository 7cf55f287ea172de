import type { FastifyInstance } from "fastify";

/**
 * Logs one line for each request: who called what, and how it ended. The route's pattern stands for the address, so
 * neither a key nor what was searched for gets into the log; bodies never do.
 */
export function logRequests(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    const { caller } = request;
    request.log.info(
      {
        company_id: caller?.company.id ?? null,
        key: caller?.key.prefix ?? null,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 1000) / 1000,
      },
      "request",
    );
  });
}
