import type { FastifyReply, FastifyRequest } from "fastify";
import { audit } from "../db/audit.ts";
import type { Database } from "../db/db.ts";
import { type Format, mediaTypes } from "./csv.ts";
import { type Exported, streamExport } from "./stream.ts";

/** An export as a route asks for it: `name` becomes the file's, such as `users.csv`. */
export interface SendRequest<P, R> {
  readonly name: string;
  readonly columns: readonly string[];
  readonly query: { readonly format?: Format; readonly bom?: boolean };
  readonly exported: Exported<P, R> | readonly Exported<P, R>[];
}

/**
 * Answers with an export as a file to download. Who takes what away stands in the audit log.
 * @throws Problem 503 while too many exports run.
 */
export function sendExport<P, R>(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  database: Database,
  { name, columns, query, exported }: SendRequest<P, R>,
): FastifyReply {
  const { format = "csv", bom = false } = query;
  const { company, viewer, actor } = request;
  const asked = Object(request.query);
  const note = () =>
    database.write(company, actor, (tx) =>
      audit(tx, {
        action: "export",
        resource_type: name,
        resource_id: null,
        after: asked,
        at: tx.now.toISOString(),
      }),
    );
  const stream = streamExport(database, { company, viewer, format, bom, columns, note }, exported);
  return reply
    .type(mediaTypes[format])
    .header("content-disposition", `attachment; filename="${name}.${format}"`)
    .send(stream);
}
