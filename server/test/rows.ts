import { lockCounters, moveCounter } from "../db/counters.ts";
import type { WriteTx } from "../db/db.ts";
import type { Content } from "./content.ts";
import { type FileIds, fillFiles } from "./file-rows.ts";
import { fillWebhooks, type WebhookIds } from "./webhook-rows.ts";

/**
 * Puts a row into every table that the API of version 1 does not fill, so that the walks over tables find something
 * there to see through, in both companies under the same ids.
 */
export async function fillTables(tx: WriteTx, given: Given): Promise<FilledIds> {
  const people = ["sessions", "sign_in_links", "bulk_jobs"] as const;
  const files = ["file_bytes", "files", "uploads"] as const;
  const at = await lockCounters(
    tx,
    "attempts",
    "certificates",
    "mails",
    "webhook_endpoints",
    ...people,
    ...files,
  );
  const take = (kind: "attempts" | "bulk_jobs" | "certificates" | "sessions" | "sign_in_links") =>
    moveCounter(tx, { kind, ids: 1, total: 1, at });
  const ids = {
    attempt_id: await take("attempts"),
    job_id: await take("bulk_jobs"),
    certificate_id: await take("certificates"),
    session_id: await take("sessions"),
  };
  await fillPeople(tx, given, { ...ids, link_id: await take("sign_in_links"), at });
  await fillContent(tx, given, at);
  await fillLearning(tx, given, { ...ids, at });
  const mail_id = await moveCounter(tx, { kind: "mails", ids: 1, total: 0, at });
  await fillMails(tx, given, { mail_id, at });
  return { ...ids, mail_id, ...(await fillFiles(tx, given, at)), ...(await fillWebhooks(tx, given, at)) };
}

export interface FilledIds extends FileIds, WebhookIds {
  readonly attempt_id: number;
  readonly job_id: number;
  readonly certificate_id: number;
  readonly session_id: number;
  readonly mail_id: number;
}

/** What is there before. */
type Given = Pick<Content, "mark" | "user_id" | "role_id" | "lesson_id" | "path_id">;
const HASH_BYTES = 32;

async function fillPeople(
  tx: WriteTx,
  { user_id, role_id, mark }: Given,
  { session_id, link_id, job_id, at }: { session_id: number; link_id: number; job_id: number; at: string },
): Promise<void> {
  const company_id = tx.company.id;
  const hash = Buffer.alloc(HASH_BYTES, `${mark}${session_id}`);
  const later = "2100-01-01T00:00:00Z";
  await tx.sql
    .insertInto("sessions")
    .values({
      company_id,
      id: session_id,
      hash,
      user_id,
      created_at: at,
      last_seen_at: at,
      expires_at: later,
    })
    .execute();
  await tx.sql
    .insertInto("sign_in_links")
    .values({ company_id, id: link_id, kind: "invitation", user_id, asked_at: at, hash, expires_at: later })
    .execute();
  await tx.sql
    .insertInto("sign_in_devices")
    .values({ company_id, user_id, device: mark, first_seen_at: at, last_seen_at: at })
    .onConflict((conflict) => conflict.columns(["company_id", "user_id", "device"]).doNothing())
    .execute();
  await tx.sql
    .insertInto("identity_providers")
    .values({
      ...{ company_id, issuer: "https://id.example.com", client_id: mark, makes_users: false },
      ...{ new_user_role_id: role_id, allows_passwords: true, updated_at: at },
    })
    .onConflict((conflict) => conflict.column("company_id").doNothing())
    .execute();
  await tx.sql
    .insertInto("idempotency_keys")
    .values({ company_id, caller: `user/${user_id}`, hash, fingerprint: hash, created_at: at })
    .execute();
  await tx.sql
    .insertInto("bulk_jobs")
    .values({
      ...{ company_id, id: job_id, kind: "users", mode: "row_by_row", dry_run: true, status: "done" },
      ...{ total: 1, done: 1, actor: "{}", created_at: at, finished_at: at },
    })
    .execute();
  await tx.sql
    .insertInto("bulk_rows")
    .values({ company_id, job_id, row: 1, given: JSON.stringify({ name: mark }), outcome: "created" })
    .execute();
}

const NO_CHANGE = {
  lesson: JSON.stringify({ settings: [], content: [] }),
  path: JSON.stringify({ settings: [], contents: [] }),
};
const pathSettings = {
  description: "",
  language: "en",
  enforced_order: false,
  public: false,
  is_certification: false,
  valid_months: null,
  valid_until_day: null,
  renewal_days: 30,
  counts_elsewhere: true,
  tag_ids: [],
};

async function fillContent(
  tx: WriteTx,
  { user_id, lesson_id, path_id, mark }: Given,
  at: string,
): Promise<void> {
  const company_id = tx.company.id;
  const lesson = { title: `${mark} lesson`, language: "en", retake_score: 80 } as const;
  const content = JSON.stringify({ sections: [] });
  await tx.sql
    .insertInto("lesson_drafts")
    .values({ company_id, lesson_id, ...lesson, public: true, content, updated_at: at })
    .execute();
  await tx.sql
    .insertInto("lesson_versions")
    .values({
      company_id,
      lesson_id,
      number: 1,
      ...lesson,
      content,
      diff: NO_CHANGE.lesson,
      published_at: at,
    })
    .execute();
  const path = {
    company_id,
    path_id,
    settings: JSON.stringify({ ...pathSettings, title: mark }),
    contents: "[]",
  };
  await tx.sql
    .insertInto("path_drafts")
    .values({ ...path, updated_at: at })
    .execute();
  await tx.sql
    .insertInto("path_versions")
    .values({ ...path, number: 1, diff: NO_CHANGE.path, published_at: at })
    .execute();
  for (const [table, id] of [
    ["lessons", lesson_id],
    ["paths", path_id],
  ] as const) {
    await tx.sql
      .updateTable(table)
      .set({ published_version: 1 })
      .where("company_id", "=", company_id)
      .where("id", "=", id)
      .execute();
  }
  const thing = { company_id, content_type: "Lesson", content_id: lesson_id } as const;
  await tx.sql
    .insertInto("content_authors")
    .values({ ...thing, user_id })
    .execute();
  await tx.sql
    .insertInto("search_documents")
    .values({ ...thing, language: "en", words: "amber:1" })
    .execute();
}

async function fillMails(
  tx: WriteTx,
  { user_id, mark }: Given,
  { mail_id, at }: { mail_id: number; at: string },
): Promise<void> {
  const company_id = tx.company.id;
  await tx.sql
    .insertInto("mail_state")
    .values({ company_id, position: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx.sql
    .insertInto("mails")
    .values({
      ...{
        company_id,
        id: mail_id,
        user_id,
        kind: "assigned",
        is_gathered: true,
        queue: 2,
        status: "sent",
        tries: 1,
      },
      ...{ message_id: `<${mark}.${mail_id}@example.com>`, created_at: at, sent_at: at, address: mark },
    })
    .execute();
  await tx.sql
    .insertInto("mail_notices")
    .values({
      ...{
        company_id,
        key: `filled/${mail_id}`,
        user_id,
        kind: "assigned",
        pace: "soon",
        facts: "{}",
        mail_id,
      },
      ...{ created_at: at, send_at: at },
    })
    .execute();
  await tx.sql
    .insertInto("mail_addresses_refused")
    .values({ company_id, email_key: `${mark}@example.com`, reason: "refused", refused_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx.sql
    .insertInto("mail_preferences")
    .values({ company_id, user_id, category: "reminders" })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function fillLearning(
  tx: WriteTx,
  { user_id, lesson_id, path_id, mark }: Given,
  { attempt_id, certificate_id, at }: { attempt_id: number; certificate_id: number; at: string },
): Promise<void> {
  const company_id = tx.company.id;
  await tx.sql
    .insertInto("attempts")
    .values({
      ...{ company_id, id: attempt_id, user_id, lesson_id, version: 1, round: 1, status: "ended", seed: "s" },
      ...{ seconds_spent: 1, last_active_at: at, started_at: at, finished_at: at, seed: mark },
    })
    .execute();
  await tx.sql
    .insertInto("attempt_answers")
    .values({
      ...{ company_id, attempt_id, question_id: "q1", answer: JSON.stringify(mark), revision: 1 },
      ...{ is_final: false, saved_at: at },
    })
    .execute();
  await tx.sql
    .insertInto("certificates")
    .values({
      ...{ company_id, id: certificate_id, number: `${mark}-${certificate_id}`, user_id, path_id },
      ...{ assignment_id: 1, user_name: mark, path_title: mark, issued_at: at },
    })
    .execute();
}
