import { kinds, lockCounters } from "../db/counters.ts";
import type { Database } from "../db/db.ts";
import type { Company } from "./companies.ts";
import { commandActor } from "./create.ts";
import { companyBucket } from "../http/limits.ts";

/** Every table of a company, those that others refer to last. A test compares it with the catalogue. */
export const tablesInOrderOfDeletion = [
  "audit_log",
  "webhook_attempts",
  "webhook_deliveries",
  "webhook_endpoints",
  "mail_notices",
  "mails",
  "mail_addresses_refused",
  "mail_preferences",
  "mail_state",
  "overdue_notices",
  "events",
  "bulk_rows",
  "bulk_jobs",
  "certificates",
  "attempt_answers",
  "attempts",
  "search_documents",
  "content_authors",
  "path_versions",
  "path_drafts",
  "lesson_versions",
  "lesson_drafts",
  "idempotency_keys",
  "identity_providers",
  "sign_in_links",
  "sign_in_devices",
  "sessions",
  "file_references",
  "file_contents",
  "file_blobs",
  "files",
  "upload_parts",
  "uploads",
  "library_uses",
  "assignment_results",
  "lesson_completions",
  "lesson_progress",
  "due_dates",
  "assignments",
  "group_assignments",
  "taggings",
  "course_lessons",
  "courses",
  "path_items",
  "paths",
  "lessons",
  "assignables",
  "tags",
  "memberships",
  "groups",
  "api_keys",
  "custom_user_field_values",
  "custom_user_fields",
  "passwords",
  "users",
  "roles",
  "list_blocks",
  "counters",
  "companies",
] as const;

/**
 * Deletes a company and everything of it, in one transaction. The others are untouched; its number is not used again.
 * @param database of the owner: the serving role may not delete what was audited.
 */
export async function deleteCompany(database: Database, company: Company): Promise<void> {
  await database.write(company, commandActor, async (tx) => {
    await lockCounters(tx, ...kinds.filter((kind) => kind !== "events"));
    // Who notes that a webhook fails holds its row while they wait for the counter of events.
    await tx.sql
      .selectFrom("webhook_endpoints")
      .select("id")
      .where("company_id", "=", company.id)
      .orderBy("id")
      .forUpdate()
      .execute();
    await lockCounters(tx, "events");
    await tx.sql.deleteFrom("api_key_hashes").where("company", "=", company.id).execute();
    await tx.sql.deleteFrom("rate_windows").where("bucket", "=", companyBucket(company)).execute();
    await tx.sql.deleteFrom("subdomains").where("company", "=", company.id).execute();
    for (const table of tablesInOrderOfDeletion) {
      await tx.sql.deleteFrom(table).where("company_id", "=", company.id).execute();
    }
  });
}
