import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Door } from "./door.ts";
import type { Metrics } from "./metrics.ts";

/** What is noted of a request whose client went away before the answer; nginx began to call it so. */
const CLIENT_WENT_AWAY = 499;

/**
 * Counts each request in when it comes, and notes how it ended: in the load, the metrics and the log. The response's
 * "close" tells of every end. Fastify's onResponse does not run where the client went away, so with it the load would
 * grow by each of those, until everybody was refused.
 */
export function watchRequests(app: FastifyInstance, door: Door, metrics: Metrics): void {
  app.decorateRequest("idle", function idle<T>(this: FastifyRequest, wait: () => Promise<T>) {
    return door.idle(this, wait);
  });
  app.addHook("onRequest", (request, reply, done) => {
    door.enter();
    reply.raw.once("close", () => {
      door.leave();
      const end = describeEnd(request, reply);
      metrics.note(end);
      logEnd(request, end);
    });
    done();
  });
}

/** How a request ended. The route's pattern stands for the address, so no id and nothing searched for is in it. */
export interface End {
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly ms: number;
}

function describeEnd({ method, routeOptions }: FastifyRequest, reply: FastifyReply): End {
  const status = reply.raw.writableFinished ? reply.statusCode : CLIENT_WENT_AWAY;
  return { method, route: routeOptions.url ?? null, status, ms: Math.round(reply.elapsedTime * 1000) / 1000 };
}

/** One line a request: who called what, and how it ended. Neither a key nor a body, nor what was searched for. */
function logEnd({ log, caller }: FastifyRequest, { method, route, status, ms }: End): void {
  const company_id = caller?.company.id ?? null;
  const key = caller?.key?.prefix ?? null;
  const user_id = caller?.session?.user_id ?? null;
  log.info({ company_id, key, user_id, method, route, status, ms }, "request");
}
