import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Company } from "../companies/companies.ts";
import type { Actor, Database, Tx, WriteTx } from "../db/db.ts";
import type { Viewer } from "../privileges/privileges.ts";
import type { Caller } from "./auth.ts";
import { answerOnce, readIdempotencyKey } from "./idempotency.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who calls; null outside /api and before the door has admitted the request. */
    caller: Caller | null;
    /** The company that the request acts for. */
    readonly company: Company;
    readonly actor: Actor;
    /** How far the caller's privileges reach. */
    readonly viewer: Viewer;
    /** Runs the reading of this request, for its company. */
    read<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
    /**
     * Runs the write of this request: one transaction, committed before the answer. What it resolves with is the
     * answer: under an Idempotency-Key it is kept with the write, and given again to who repeats the request.
     */
    write<T>(run: (tx: WriteTx) => Promise<T>): Promise<T>;
    /**
     * Waits for something that takes nothing of the server: meanwhile the request doesn't count as under way.
     * @throws Problem 401, 403 where the caller has lost what they may meanwhile.
     */
    idle<T>(wait: () => Promise<T>): Promise<T>;
  }
}

/** Gives requests their company and their way to the database. */
export function decorateRequests(app: FastifyInstance, database: Database): void {
  app.decorateRequest("caller", null);
  app.decorateRequest("company", {
    getter(this: FastifyRequest): Company {
      return callerOf(this).company;
    },
  });
  app.decorateRequest("viewer", {
    getter(this: FastifyRequest): Viewer {
      return callerOf(this).viewer;
    },
  });
  app.decorateRequest("actor", {
    getter(this: FastifyRequest): Actor {
      return actorOf(this, callerOf(this));
    },
  });
  app.decorateRequest("read", function read<T>(this: FastifyRequest, run: (tx: Tx) => Promise<T>) {
    return database.read(this.company, run, this.viewer);
  });
  app.decorateRequest("write", function write<T>(this: FastifyRequest, run: (tx: WriteTx) => Promise<T>) {
    const key = readIdempotencyKey(this);
    return database.write(
      this.company,
      this.actor,
      key === undefined ? run : (tx) => answerOnce(tx, key, () => run(tx)),
    );
  });
}

function actorOf(request: FastifyRequest, { key, session, viewer }: Caller): Actor {
  const from = {
    request_id: request.id,
    address: request.ip,
    viewer,
    if_match: request.headers["if-match"],
  };
  if (key !== null) return { type: "api_key", id: key.id, user_id: key.made_by_user_id, ...from };
  const user_id = session?.user_id ?? null;
  return { type: "user", id: user_id, user_id, ...from };
}

function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`${request.url} was let in without a caller`);
  return request.caller;
}
