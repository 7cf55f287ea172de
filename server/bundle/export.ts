import { sql } from "kysely";
import type { Company } from "../companies/companies.ts";
import type { Database, Tx } from "../db/db.ts";
import type { Secrets } from "../secrets.ts";
import { getLessonCompletedWebhook } from "../webhooks/contract.ts";
import { exportAssignments } from "./export-assignments.ts";
import {
  exportCourses,
  exportGroupAssignments,
  exportLessons,
  exportPaths,
  exportTags,
} from "./export-content.ts";
import { exportCustomUserFields, exportGroups, exportRoles, exportUsers } from "./export-people.ts";
import { Output } from "./output.ts";
import { exportFurther } from "./further.ts";
import { COMPANY_KEY, FORMAT, FORMAT_KEY, furtherParts } from "./parts.ts";

/**
 * Writes a company as a bundle, as it is at one moment. What an import makes of it loses nothing of the company's data;
 * its name, its plan, passwords, API keys and the audit log are not in it: those belong to an installation.
 * @param database without a time limit for statements, and what the webhook's authorization was sealed by.
 * @param write takes the next piece; the export waits for it.
 */
export async function exportBundle(
  { database, secrets }: { readonly database: Database; readonly secrets: Secrets },
  company: Company,
  write: (chunk: string) => Promise<void>,
): Promise<void> {
  await database.readSnapshot(company, async (given) => {
    // Who reads the export may be slower than the limit for a transaction that does nothing.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(given.sql);
    const { time_zone, ...settings } = await readCompany(given, secrets);
    const tx = { ...given, company: { ...company, time_zone } };
    const output = new Output(write);
    await output.value(FORMAT_KEY, FORMAT);
    await output.value(COMPANY_KEY, { time_zone, ...settings, last_ids: await readLastIds(tx) });
    await output.array("roles", exportRoles(tx));
    await output.array("custom_user_fields", exportCustomUserFields(tx));
    await output.array("users", exportUsers(tx));
    await output.array("groups", exportGroups(tx));
    await output.array("group_assignments", exportGroupAssignments(tx));
    await output.array("tags", exportTags(tx));
    await output.array("lessons", exportLessons(tx));
    await output.array("paths", exportPaths(tx));
    await output.array("courses", exportCourses(tx));
    await output.array("assignments", exportAssignments(tx));
    for (const part of furtherParts) await output.array(part, exportFurther(tx, part));
    await output.end();
  });
}

async function readCompany(tx: Tx, secrets: Secrets) {
  const { time_zone } = await tx.sql
    .selectFrom("companies")
    .select("time_zone")
    .where("company_id", "=", tx.company.id)
    .executeTakeFirstOrThrow();
  const { url, authorization } = await getLessonCompletedWebhook(tx, secrets);
  return {
    time_zone,
    lesson_completed_callback_url: url,
    lesson_completed_callback_authorization: authorization,
  };
}

/** The largest id that each kind ever had, so that the ids of what was deleted are not used again elsewhere either. */
async function readLastIds(tx: Tx): Promise<Record<string, number>> {
  const rows = await tx.sql
    .selectFrom("counters")
    .select(["kind", "last_id"])
    .where("company_id", "=", tx.company.id)
    .where("last_id", ">", 0)
    .where("kind", "not in", ["api_keys", "webhook_endpoints"])
    .orderBy("kind")
    .execute();
  // PostgreSQL's order of texts depends on a database's locale.
  return Object.fromEntries(
    rows.toSorted((a, b) => (a.kind < b.kind ? -1 : 1)).map(({ kind, last_id }) => [kind, last_id]),
  );
}
