import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import type { Exported } from "../exports/stream.ts";
import { cutCursorPage, type Position, readCursorPage } from "../http/cursor.ts";
import { invalid } from "../http/problem.ts";
import { parseMoment, utcTime } from "../time.ts";
import type { AuditFilters, AuditRow } from "./v2-schema.ts";

/** A page of what was done, the newest first. @throws Problem 422 for a cursor of another list */
export async function listAuditRows(
  tx: Tx,
  query: AuditFilters & { readonly cursor?: string; readonly limit?: number },
): Promise<{ data: AuditRow[]; next: string | null }> {
  const page = readCursorPage(query, 2);
  const rows = await selectRows(tx, query, page.after)
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, rows, { position: positionOf, show: toAuditRow });
}

/** The same rows as an export, flat. */
export const exportedColumns = [
  "id",
  "at",
  "actor_type",
  "actor_id",
  "actor_name",
  "action",
  "resource_type",
  "resource_id",
  "before",
  "after",
  "address",
  "request_id",
] as const;

/** What an export of the audit log reads. */
export function exportAuditRows(filters: AuditFilters): Exported<Position, Row> {
  return {
    read: (tx, after, limit) => selectRows(tx, filters, after).limit(limit).execute(),
    position: positionOf,
    show: (row) => ({ ...row, at: utcTime(row.at) }),
  };
}

interface Row {
  readonly id: string;
  readonly at: string;
  readonly actor_type: AuditRow["actor"]["type"];
  readonly actor_id: number | null;
  readonly actor_name: string | null;
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: number | null;
  readonly before: object | null;
  readonly after: object | null;
  readonly address: string | null;
  readonly request_id: string | null;
}

function selectRows(tx: Tx, filters: AuditFilters, after: Position | undefined) {
  let query = tx.sql
    .selectFrom("audit_log")
    .leftJoin("users", (join) =>
      join
        .on("users.company_id", "=", tx.company.id)
        .onRef("users.id", "=", "audit_log.actor_id")
        .on("audit_log.actor_type", "=", "user"),
    )
    .leftJoin("api_keys", (join) =>
      join
        .on("api_keys.company_id", "=", tx.company.id)
        .onRef("api_keys.id", "=", "audit_log.actor_id")
        .on("audit_log.actor_type", "=", "api_key"),
    )
    .select([
      "audit_log.id",
      "audit_log.at",
      sql<Row["actor_type"]>`audit_log.actor_type`.as("actor_type"),
      "audit_log.actor_id",
      sql<string | null>`coalesce(users.name, api_keys.name)`.as("actor_name"),
      "audit_log.action",
      "audit_log.resource_type",
      "audit_log.resource_id",
      sql<object | null>`audit_log.before`.as("before"),
      sql<object | null>`audit_log.after`.as("after"),
      "audit_log.address",
      "audit_log.request_id",
    ])
    .where("audit_log.company_id", "=", tx.company.id)
    .orderBy("audit_log.at", "desc")
    .orderBy("audit_log.id", "desc");
  for (const column of ["actor_type", "actor_id", "action", "resource_type", "resource_id"] as const) {
    const value = filters[`filter[${column}]`];
    if (value !== undefined) query = query.where(`audit_log.${column}`, "=", value);
  }
  const since = readMoment("filter[since]", filters["filter[since]"]);
  const until = readMoment("filter[until]", filters["filter[until]"]);
  if (since !== undefined) query = query.where("audit_log.at", ">=", since);
  if (until !== undefined) query = query.where("audit_log.at", "<", until);
  return after === undefined ? query : query.where(behind(after));
}

function behind([at, id]: Position) {
  const moment = readMoment("cursor", String(at));
  if (!UUID.test(String(id))) throw invalid({ field: "cursor", message: "is no cursor of this list" });
  return sql<boolean>`(audit_log.at, audit_log.id) < (${moment}, ${String(id)})`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function readMoment(field: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const moment = parseMoment(text);
  if (moment === undefined) throw invalid({ field, message: "names no moment that exists" });
  return moment;
}

function positionOf({ at, id }: Row): Position {
  return [at, id];
}

function toAuditRow(row: Row): AuditRow {
  const { actor_type: type, actor_id, actor_name: name, ...rest } = row;
  return { ...rest, at: utcTime(row.at), actor: { type, id: actor_id, name } };
}
