import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Company } from "../companies/companies.ts";
import type { Actor, Database, Tx, WriteTx } from "../db/db.ts";
import type { Caller } from "./auth.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who calls; null outside /api and before the door has admitted the request. */
    caller: Caller | null;
    /** The company that the request acts for. */
    readonly company: Company;
    readonly actor: Actor;
    /** Runs the reading of this request, for its company. */
    read<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
    /** Runs the write of this request: one transaction, committed before the answer. */
    write<T>(run: (tx: WriteTx) => Promise<T>): Promise<T>;
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
  app.decorateRequest("actor", {
    getter(this: FastifyRequest): Actor {
      const { key } = callerOf(this);
      return { type: "api_key", id: key.id, user_id: key.made_by_user_id, request_id: this.id };
    },
  });
  app.decorateRequest("read", function read<T>(this: FastifyRequest, run: (tx: Tx) => Promise<T>) {
    return database.read(this.company, run);
  });
  app.decorateRequest("write", function write<T>(this: FastifyRequest, run: (tx: WriteTx) => Promise<T>) {
    return database.write(this.company, this.actor, run);
  });
}

function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`${request.url} was let in without a caller`);
  return request.caller;
}
