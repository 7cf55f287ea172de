import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { requireMatch } from "../http/match.ts";
import { invalid } from "../http/problem.ts";
import { isTimeZone } from "../time.ts";
import type { Settings, SettingsUpdate } from "./schema.ts";
import type { CompanySettings, CompanySettingsUpdate } from "./v2-schema.ts";

type Columns = Static<typeof Settings>;

/**
 * Changes the webhook setting. A key that is left out stays as it is; null or an empty text clears it.
 * @throws Problem 400 for a URL that can't be called, or an authorization that can't stand in a header.
 */
export async function updateSettings(tx: WriteTx, body: SettingsUpdate): Promise<Columns> {
  const { lesson_completed_callback_url: url, lesson_completed_callback_authorization: authorization } = body;
  if (url) checkUrl(url);
  if (authorization) checkHeaderValue(authorization);
  const before = await tx.sql
    .selectFrom("companies")
    .select(["lesson_completed_callback_url", "lesson_completed_callback_authorization"])
    .where("company_id", "=", tx.company.id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const after: Columns = {
    lesson_completed_callback_url: url === undefined ? before.lesson_completed_callback_url : url || null,
    lesson_completed_callback_authorization:
      authorization === undefined ? before.lesson_completed_callback_authorization : authorization || null,
  };
  await saveSettings(tx, before, after);
  return after;
}

/** The company's settings as version 2 shows them: the authorization as a mask. */
export async function getSettings(tx: Tx): Promise<CompanySettings> {
  const { subdomain, ...settings } = await selectSettings(tx).executeTakeFirstOrThrow();
  return toSettings(subdomain, settings);
}

/**
 * Changes what the body names of the settings. A key that is left out stays as it is, and so does an authorization that
 * comes back as its mask; null clears it.
 * @throws Problem 412; 422 for a time zone that does not exist, and as updateSettings has it.
 */
export async function changeSettings(
  tx: WriteTx,
  body: Static<typeof CompanySettingsUpdate>,
): Promise<CompanySettings> {
  const { subdomain, ...before } = await selectSettings(tx).forUpdate().executeTakeFirstOrThrow();
  requireMatch(tx, toSettings(subdomain, before), body);
  const { lesson_completed_callback_authorization: authorization, ...rest } = body;
  const isGiven = authorization !== undefined && authorization !== MASK;
  if (rest.time_zone !== undefined && !isTimeZone(rest.time_zone)) {
    throw invalid({ field: "time_zone", message: "must be the name of a time zone, such as Europe/Berlin" });
  }
  if (rest.lesson_completed_callback_url) checkUrl(rest.lesson_completed_callback_url);
  if (isGiven && authorization) checkHeaderValue(authorization);
  const after = {
    ...before,
    ...rest,
    ...(isGiven && { lesson_completed_callback_authorization: authorization || null }),
    ...(rest.lesson_completed_callback_url === "" && { lesson_completed_callback_url: null }),
  };
  await saveSettings(tx, before, after);
  return toSettings(subdomain, after);
}

function toSettings(subdomain: string, settings: Omit<CompanySettings, "subdomain">): CompanySettings {
  return { subdomain, ...masked(settings) };
}

function selectSettings(tx: Tx) {
  return tx.sql
    .selectFrom("companies")
    .select([
      "name",
      "subdomain",
      "time_zone",
      "lesson_completed_callback_url",
      "lesson_completed_callback_authorization",
    ])
    .where("company_id", "=", tx.company.id);
}

async function saveSettings<S extends Columns>(tx: WriteTx, before: S, after: S): Promise<void> {
  await tx.sql.updateTable("companies").set(after).where("company_id", "=", tx.company.id).execute();
  await audit(tx, {
    action: "update_company_settings",
    resource_type: "company",
    resource_id: tx.company.id,
    before: masked(before),
    after: masked(after),
    at: tx.now.toISOString(),
  });
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

/** What stands for a secret that is set. */
const MASK = "***";

/** The audit and version 2 tell that there is an authorization, not what it is. */
function masked<S extends Columns>(settings: S): S {
  const { lesson_completed_callback_authorization: secret } = settings;
  return { ...settings, lesson_completed_callback_authorization: secret === null ? null : MASK };
}
