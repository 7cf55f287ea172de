import type { Database } from "../db/db.ts";
import type { App } from "../http/app.ts";
import { assignmentColumns, exportAssignments } from "./assignments.ts";
import { exportResults, resultColumns } from "./results.ts";
import { exportAnswer as response } from "./schema.ts";
import { sendExport } from "./send.ts";
import { exportUsers, userColumns } from "./users.ts";
import { AssignmentExportQuery, ResultsQuery, UserExportQuery } from "./v2-schema.ts";

/** /api/v2/users/export, /api/v2/assignments/export and /api/v2/results/export */
export function registerExports(app: App, { database }: { readonly database: Database }): void {
  app.get(
    "/api/v2/users/export",
    {
      config: { access: "users.read", answersOther: true },
      schema: {
        tags: ["Users"],
        summary: "Export users as CSV or NDJSON",
        querystring: UserExportQuery,
        response,
      },
    },
    (request, reply) => {
      sendExport({ request, reply }, database, {
        name: "users",
        columns: userColumns,
        query: request.query,
        exported: exportUsers(request.query),
      });
    },
  );
  app.get(
    "/api/v2/assignments/export",
    {
      config: { access: "assignments.read", answersOther: true },
      schema: {
        tags: ["Assignments"],
        summary: "Export assignments as CSV or NDJSON",
        querystring: AssignmentExportQuery,
        response,
      },
    },
    (request, reply) => {
      sendExport({ request, reply }, database, {
        name: "assignments",
        columns: assignmentColumns,
        query: request.query,
        exported: exportAssignments(request.query),
      });
    },
  );
  registerResults(app, database);
}

function registerResults(app: App, database: Database): void {
  app.get(
    "/api/v2/results/export",
    {
      config: { access: "reports.read", answersOther: true },
      schema: {
        tags: ["Assignments"],
        summary: "Export results as CSV or NDJSON",
        description:
          "Every round of an assignment that was completed (`round`; `earlier_round` where it was assigned anew since), and every attempt at a lesson that has ended (`attempt`).",
        querystring: ResultsQuery,
        response,
      },
    },
    (request, reply) => {
      sendExport({ request, reply }, database, {
        name: "results",
        columns: resultColumns,
        query: request.query,
        exported: exportResults(request.query),
      });
    },
  );
}
