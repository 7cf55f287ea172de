import { Type } from "typebox";
import type { Database } from "../db/db.ts";
import type { App } from "../http/app.ts";
import { answers, ref } from "../http/schema.ts";
import { checkAddress } from "./address.ts";
import { getContent, sendContent } from "./content.ts";
import type { Depot } from "./depot.ts";
import { deleteFile, getFile, listFiles } from "./files.ts";
import { registerUploads } from "./v2-upload-routes.ts";
import { ContentParams, ContentQuery, Deleted, File, FileList, FileParams, FileQuery } from "./v2-schema.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Where files are, and who signs their addresses. */
    readonly files: Depot;
  }
}

export interface FileOptions {
  readonly database: Database;
  readonly files: Depot;
}

/** A class behind one address opens a lesson with dozens of pictures at once. */
const REQUESTS_PER_MINUTE = 10_000;

const tags = ["Files"];
/** Who writes content and who learns uploads; both see what they uploaded, and nobody else's. */
const config = { access: "authenticated" } as const;

/** /api/v2/files and /api/v2/uploads */
export function registerFiles(app: App, options: FileOptions): void {
  app.decorateRequest("files", { getter: () => options.files });
  registerUploads(app, options);
  app.get(
    "/api/v2/files",
    {
      config,
      schema: { tags, summary: "List files", querystring: FileQuery, response: answers(200, FileList) },
    },
    (request) => request.read((tx) => listFiles(tx, request.files, request.query)),
  );
  app.get(
    "/api/v2/files/:file_id",
    {
      config,
      schema: { tags, summary: "Show a file", params: FileParams, response: answers(200, ref(File)) },
    },
    (request) => request.read((tx) => getFile(tx, request.files, request.params.file_id)),
  );
  app.delete(
    "/api/v2/files/:file_id",
    {
      config,
      schema: { tags, summary: "Delete a file", params: FileParams, response: answers(200, Deleted) },
    },
    (request) => request.write((tx) => deleteFile(tx, request.params.file_id)),
  );
  app.get(
    "/api/v2/companies/:subdomain/files/:file_id/content",
    {
      config: { access: "public", answersOther: true, requestsPerMinute: REQUESTS_PER_MINUTE },
      schema: {
        tags,
        summary: "Get what is in a file",
        description: "At the signed address that a file shows as its `url`. Takes `Range`.",
        params: ContentParams,
        querystring: ContentQuery,
        response: content,
      },
    },
    async (request, reply) => {
      const { file_id } = request.params;
      const { size: variant = "original", expires, signature } = request.query;
      const found = await request.read((tx) => {
        checkAddress(request.files, tx, { file_id, variant, expires, signature });
        return getContent(tx, file_id, variant);
      });
      return sendContent(request.files, { request, reply }, found);
    },
  );
}

const bytes = { content: { "application/octet-stream": { schema: Type.Unsafe<unknown>({}) } } };
const content = {
  200: { description: "What is in the file, as its own media type.", ...bytes },
  206: { description: "The range that was asked for.", ...bytes },
};
