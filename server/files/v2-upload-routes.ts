import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { App } from "../http/app.ts";
import { compileInput } from "../http/input.ts";
import { unprocessable } from "../http/problem.ts";
import { answers, ref } from "../http/schema.ts";
import { completeUpload, finishUpload } from "./complete.ts";
import { fileWork, type FileWork } from "./depot.ts";
import { sweepEndedUpload, sweepParts } from "./end.ts";
import { putPart } from "./parts.ts";
import { createUpload, getUpload, removeUpload } from "./uploads.ts";
import type { FileOptions } from "./v2-routes.ts";
import { Deleted, File, NewUpload, PartParams, Upload, UploadParams as params } from "./v2-schema.ts";

const tags = ["Files"];
/** Who writes content and who learns uploads; both see what they uploaded, and nobody else's. */
const config = { access: "authenticated" } as const;
const upload = answers(200, ref(Upload));

/** /api/v2/uploads */
export function registerUploads(app: App, options: FileOptions): void {
  app.post(
    "/api/v2/uploads",
    {
      config,
      schema: { tags, summary: "Begin an upload", body: NewUpload, response: answers(201, ref(Upload)) },
    },
    async (request, reply) => {
      const made = await request.write((tx) => createUpload(tx, options.files, request.body));
      return reply.code(201).send(made);
    },
  );
  app.get(
    "/api/v2/uploads/:upload_id",
    { config, schema: { tags, summary: "Show an upload", params, response: upload } },
    (request) => request.read((tx) => getUpload(tx, request.params.upload_id)),
  );
  app.delete(
    "/api/v2/uploads/:upload_id",
    { config, schema: { tags, summary: "Give an upload up", params, response: answers(200, Deleted) } },
    (request) => giveUp(request, workOf(options, request), request.params.upload_id),
  );
  registerParts(app, options);
}

function registerParts(app: App, options: FileOptions): void {
  app.put(
    "/api/v2/uploads/:upload_id/parts/:part",
    {
      config: { ...config, takes: ["application/octet-stream"] },
      // The body is described, but it is a stream, and there is nothing to check in it.
      validatorCompiler: (input) => (input.httpPart === "body" ? () => true : compileInput(input)),
      schema: {
        tags,
        summary: "Send a part of an upload",
        description:
          "The body is the bytes of the part, as `application/octet-stream`. A part that is sent again is replaced.",
        params: PartParams,
        body: { content: { "application/octet-stream": { schema: Type.Unsafe<unknown>({}) } } },
        response: upload,
      },
    },
    (request) => putPart(workOf(options, request), request.params, streamOf(request.body)),
  );
  app.post(
    "/api/v2/uploads/:upload_id/complete",
    {
      config,
      schema: {
        tags,
        summary: "Complete an upload",
        description:
          "Makes a file of the parts. The answer can take as long as it takes to read them, and to rewrite a picture; " +
          "who does not get it finds `file_id` in the upload.",
        params,
        response: answers(201, ref(File)),
      },
    },
    async (request, reply) => {
      const id = request.params.upload_id;
      const work = workOf(options, request);
      const file = await completeUpload(work, id, (examined) =>
        request.write((tx) => finishUpload(tx, { depot: options.files, id, examined })),
      );
      // What can't be removed now is removed with the upload.
      await sweepParts(work, id).catch(() => undefined);
      return reply.code(201).send(file);
    },
  );
}

async function giveUp(request: FastifyRequest, work: FileWork, id: number): Promise<{ id: number }> {
  const removed = await request.write((tx) => removeUpload(tx, id));
  // The collector does it otherwise.
  await sweepEndedUpload(work, id).catch(() => undefined);
  return removed;
}

function workOf({ files, database }: FileOptions, request: FastifyRequest): FileWork {
  return fileWork(files, database, request);
}

function streamOf(body: unknown): Readable {
  if (body instanceof Readable) return body;
  throw unprocessable("Send the bytes of the part as application/octet-stream");
}
