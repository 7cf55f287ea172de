import type { Database } from "../db/db.ts";
import { sendExport } from "../exports/send.ts";
import { exportAnswer } from "../exports/schema.ts";
import type { App } from "../http/app.ts";
import { answers, ref } from "../http/schema.ts";
import { cancelJob, createJob, getJob, listJobs, privilegeOf } from "./jobs.ts";
import { MOST_BULK_BYTES, readGiven } from "./read.ts";
import { exportResults, listResults, resultColumns } from "./results.ts";
import { type BulkKind, bulkKinds } from "./rows.ts";
import {
  BulkBody,
  BulkJob,
  BulkJobs,
  BulkJobsQuery,
  BulkQuery,
  BulkResults,
  BulkResultsQuery,
  JobParams as params,
} from "./v2-schema.ts";

const tags = ["Jobs"];
const job = answers(200, ref(BulkJob));
/** What one may see of jobs is told by the privilege of their kind, or by having made them. */
const config = { access: "authenticated" } as const;

const meanings = {
  users:
    "Each row has what a user has, custom_user_fields too (in CSV as columns custom_user_fields[<id or name>]). Who has the ext_uid, or else the email, is changed; otherwise somebody is made.",
  memberships:
    "Each row has group_id or group_name; user_id, email or ext_uid; role (member or manager), and remove.",
  assignments:
    "Each row has user_id, email or ext_uid; assignable_type and assignable_id; due_by, and remove.",
} as const satisfies Record<BulkKind, string>;

/** /api/v2/users/bulk, /api/v2/memberships/bulk, /api/v2/assignments/bulk and /api/v2/jobs */
export function registerBulk(app: App, { database }: { readonly database: Database }): void {
  for (const kind of bulkKinds) registerBulkOf(app, kind);
  registerJobs(app);
  app.get(
    "/api/v2/jobs/:job_id/results",
    {
      config: { ...config, answersOther: true },
      schema: {
        tags,
        summary: "List what became of a job's rows",
        params,
        querystring: BulkResultsQuery,
        response: {
          200: {
            description: exportAnswer[200].description,
            content: { "application/json": { schema: BulkResults }, ...exportAnswer[200].content },
          },
        },
      },
    },
    async (request, reply) => {
      const { format = "json", bom = false } = request.query;
      const { job_id } = request.params;
      if (format === "json") return request.read((tx) => listResults(tx, job_id, request.query));
      await request.read((tx) => getJob(tx, job_id));
      return sendExport({ request, reply }, database, {
        name: `job-${job_id}`,
        columns: resultColumns,
        query: { format, bom },
        exported: exportResults(job_id, request.query),
      });
    },
  );
}

function registerBulkOf(app: App, kind: BulkKind): void {
  app.post(
    `/api/v2/${kind}/bulk`,
    {
      bodyLimit: MOST_BULK_BYTES,
      config: { access: privilegeOf[kind], takes: ["text/csv", "application/x-ndjson"] },
      schema: {
        tags,
        summary: `Change up to 10,000 ${kind} at once, as a job`,
        description: `${meanings[kind]} JSON as described, or CSV or NDJSON with mode and dry_run in the address.`,
        querystring: BulkQuery,
        body: { content: { "application/json": { schema: BulkBody } } },
        response: { 202: { description: "Noted: the job is worked off by itself.", ...ref(BulkJob) } },
      },
    },
    async (request, reply) => {
      const { body, query, headers } = request;
      const given = await readGiven(kind, { body, query, type: headers["content-type"] ?? "" });
      const made = await request.write((tx) => createJob(tx, kind, given));
      return reply.code(202).send(made);
    },
  );
}

function registerJobs(app: App): void {
  app.get(
    "/api/v2/jobs",
    {
      config,
      schema: {
        tags,
        summary: "List bulk jobs",
        querystring: BulkJobsQuery,
        response: answers(200, BulkJobs),
      },
    },
    (request) => request.read((tx) => listJobs(tx, request.query)),
  );
  app.get(
    "/api/v2/jobs/:job_id",
    { config, schema: { tags, summary: "Show how far a job is", params, response: job } },
    (request) => request.read((tx) => getJob(tx, request.params.job_id)),
  );
  app.post(
    "/api/v2/jobs/:job_id/cancel",
    { config, schema: { tags, summary: "Cancel a job", params, response: job } },
    (request) => request.write((tx) => cancelJob(tx, request.params.job_id)),
  );
}
