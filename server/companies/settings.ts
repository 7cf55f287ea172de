import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import type { WriteTx } from "../db/db.ts";
import { invalid } from "../http/problem.ts";
import type { Settings, SettingsUpdate } from "./schema.ts";

type Columns = Static<typeof Settings>;

/**
 * Changes the webhook setting. A key that is left out stays as it is; null or an empty text clears it.
 * @throws Problem 400 for a URL that can't be called, or an authorization that can't stand in a header.
 */
export async function updateSettings(tx: WriteTx, body: SettingsUpdate): Promise<Columns> {
  const { lesson_completed_callback_url: url, lesson_completed_callback_authorization: authorization } = body;
  if (url) checkUrl(url);
  if (authorization) checkHeaderValue(authorization);
  const before = await lockSettings(tx);
  const after: Columns = {
    lesson_completed_callback_url: url === undefined ? before.lesson_completed_callback_url : url || null,
    lesson_completed_callback_authorization:
      authorization === undefined ? before.lesson_completed_callback_authorization : authorization || null,
  };
  await tx.sql.updateTable("companies").set(after).where("company_id", "=", tx.company.id).execute();
  await audit(tx, {
    action: "update_company_settings",
    resource_type: "company",
    resource_id: tx.company.id,
    before: masked(before),
    after: masked(after),
    at: tx.now.toISOString(),
  });
  return after;
}

async function lockSettings(tx: WriteTx): Promise<Columns> {
  return tx.sql
    .selectFrom("companies")
    .select(["lesson_completed_callback_url", "lesson_completed_callback_authorization"])
    .where("company_id", "=", tx.company.id)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

function checkUrl(url: string): void {
  const field = "lesson_completed_callback_url";
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !["http:", "https:"].includes(parsed.protocol) || /[\s\p{Cc}]/u.test(url)) {
    throw invalid({ field, message: "must be an http or https address" });
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw invalid({ field, message: "can't hold credentials: put them into the authorization" });
  }
}

/** What would end the header and begin another is refused, and so is what a header can't carry. */
function checkHeaderValue(value: string): void {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
    throw invalid({
      field: "lesson_completed_callback_authorization",
      message: "must be one line of characters that a header can carry",
    });
  }
}

/** The audit tells that the authorization changed, not what it is. */
function masked(settings: Columns): Columns {
  const { lesson_completed_callback_authorization: secret } = settings;
  return { ...settings, lesson_completed_callback_authorization: secret === null ? null : "***" };
}
