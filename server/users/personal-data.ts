import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import type { WriteTx } from "../db/db.ts";
import { utcTime } from "../time.ts";
import { getProfile } from "./profiles.ts";
import type { PersonalData } from "./v2-schema.ts";

/** Rows of one kind that an export of a person holds: an answer stays within some ten megabytes. */
const MOST_ROWS = 10_000;

/**
 * All that is stored about one user, as the tables hold it, without what only guards an account. Who has read it stands
 * in the audit log.
 * @throws Problem 404
 */
export async function exportPersonalData(tx: WriteTx, user_id: number): Promise<Static<typeof PersonalData>> {
  const user = await getProfile(tx, user_id, "users.erase");
  const stored = [];
  for (const part of parts) {
    const rows = await readPart(tx, part, user_id);
    const { table } = part;
    stored.push({ table, rows: rows.slice(0, MOST_ROWS), truncated: rows.length > MOST_ROWS });
  }
  const at = tx.now.toISOString();
  await audit(tx, { action: "export_user", resource_type: "user", resource_id: user_id, at });
  return { exported_at: utcTime(at), user, stored };
}

/** Rows of a table that are of a user: `of` is the condition on `held`, `order` what tells the newest. */
interface Part {
  readonly table: string;
  readonly of: (tx: WriteTx, user_id: number) => RawBuilder<SqlBool>;
  readonly order: readonly string[];
}

const byUser: Part["of"] = (_tx, id) => sql`held.user_id = ${id}`;
const byAssignee: Part["of"] = (_tx, id) => sql`held.assignee_id = ${id}`;
const byOwner: Part["of"] = (_tx, id) => sql`held.owner_id = ${id}`;
const byUploader: Part["of"] = (_tx, id) => sql`held.created_by_user_id = ${id}`;
const byMaker: Part["of"] = (_tx, id) => sql`held.made_by_user_id = ${id}`;
const byAssignment: Part["of"] = (tx, id) => sql`held.assignment_id in (
  select assignments.id from assignments
  where assignments.company_id = ${tx.company.id} and assignments.assignee_id = ${id})`;
const byAttempt: Part["of"] = (tx, id) => sql`held.attempt_id in (
  select attempts.id from attempts where attempts.company_id = ${tx.company.id} and attempts.user_id = ${id})`;
const byBulk: Part["of"] = (tx, id) => sql`held.resource_id = ${id} and held.job_id in (
  select bulk_jobs.id from bulk_jobs where bulk_jobs.company_id = ${tx.company.id} and bulk_jobs.kind = 'users')`;
const byAddress: Part["of"] = (tx, id) => sql`held.email_key in (
  select users.email_key from users where users.company_id = ${tx.company.id} and users.id = ${id})`;
const byAudit: Part["of"] = (_tx, id) => sql`(held.actor_type = 'user' and held.actor_id = ${id}
  or held.resource_type = 'user' and held.resource_id = ${id})`;

/** Every table that says something about a user, but for `users` and their custom fields. A test looks for others. */
export const parts: readonly Part[] = [
  { table: "passwords", of: byUser, order: ["user_id"] },
  { table: "sessions", of: byUser, order: ["id"] },
  { table: "sign_in_links", of: byUser, order: ["id"] },
  { table: "sign_in_devices", of: byUser, order: ["last_seen_at", "device"] },
  { table: "memberships", of: byUser, order: ["group_id", "role"] },
  { table: "assignments", of: byAssignee, order: ["id"] },
  { table: "assignment_results", of: byAssignment, order: ["assignment_id"] },
  { table: "lesson_progress", of: byUser, order: ["assignment_id", "lesson_id"] },
  { table: "lesson_completions", of: byUser, order: ["lesson_id"] },
  { table: "attempts", of: byUser, order: ["id"] },
  { table: "attempt_answers", of: byAttempt, order: ["attempt_id", "question_id"] },
  { table: "certificates", of: byUser, order: ["id"] },
  { table: "library_uses", of: byUser, order: ["assignable_type", "assignable_id"] },
  { table: "lessons", of: byOwner, order: ["id"] },
  { table: "paths", of: byOwner, order: ["id"] },
  { table: "courses", of: byOwner, order: ["id"] },
  { table: "content_authors", of: byUser, order: ["content_type", "content_id"] },
  { table: "files", of: byUploader, order: ["id"] },
  { table: "uploads", of: byUploader, order: ["id"] },
  { table: "api_keys", of: byMaker, order: ["id"] },
  { table: "bulk_rows", of: byBulk, order: ["job_id", "row"] },
  { table: "events", of: byUser, order: ["id"] },
  { table: "mails", of: byUser, order: ["id"] },
  { table: "mail_notices", of: byUser, order: ["created_at", "key"] },
  { table: "mail_preferences", of: byUser, order: ["category"] },
  { table: "mail_addresses_refused", of: byAddress, order: ["email_key"] },
  { table: "audit_log", of: byAudit, order: ["at", "id"] },
];

/** Columns that say nothing about a person: whose company it is, hashes of what opens their account, and chance. */
const UNSAID = ["company_id", "hash", "seed"];

/** The newest rows, with one to spare. Not at once but one part after the other: it is one connection's memory. */
async function readPart(tx: WriteTx, { table, of, order }: Part, user_id: number): Promise<object[]> {
  const by = order.map((column) => sql`held.${sql.ref(column)} desc`);
  const { rows } = await sql<{ row: object }>`
    select to_jsonb(held) - ${UNSAID}::text[] as row
    from ${sql.table(table)} as held
    where held.company_id = ${tx.company.id} and ${of(tx, user_id)}
    order by ${sql.join(by)}
    limit ${MOST_ROWS + 1}`.execute(tx.sql);
  return rows.map(({ row }) => row);
}
