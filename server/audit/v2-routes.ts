import type { Database } from "../db/db.ts";
import { exportAnswer } from "../exports/schema.ts";
import { sendExport } from "../exports/send.ts";
import type { App } from "../http/app.ts";
import { listOf } from "../http/cursor.ts";
import { answers, ref } from "../http/schema.ts";
import { exportAuditRows, exportedColumns, listAuditRows } from "./audit-log.ts";
import { AuditExportQuery, AuditQuery, AuditRow } from "./v2-schema.ts";

const tags = ["Audit log"];

/** /api/v2/audit_log */
export function registerAuditV2(app: App, { database }: { readonly database: Database }): void {
  app.get(
    "/api/v2/audit_log",
    {
      config: { access: "audit.read" },
      schema: {
        tags,
        summary: "List who did what and when, the newest first",
        querystring: AuditQuery,
        response: answers(200, listOf(ref(AuditRow))),
      },
    },
    (request) => request.read((tx) => listAuditRows(tx, request.query)),
  );
  app.get(
    "/api/v2/audit_log/export",
    {
      config: { access: "audit.read", answersOther: true },
      schema: {
        tags,
        summary: "Export who did what and when, the newest first",
        querystring: AuditExportQuery,
        response: exportAnswer,
      },
    },
    (request, reply) => {
      const { format, bom, ...filters } = request.query;
      sendExport({ request, reply }, database, {
        name: "audit_log",
        columns: exportedColumns,
        query: { ...(format && { format }), ...(bom && { bom }) },
        exported: exportAuditRows(filters),
      });
    },
  );
}
