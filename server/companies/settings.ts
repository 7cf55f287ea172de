import type { Static } from "typebox";
import { audit } from "../db/audit.ts";
import { lockCounters } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { requireMatch } from "../http/match.ts";
import { invalid } from "../http/problem.ts";
import { moveToMorningIn } from "../mail/notices.ts";
import type { Secrets } from "../secrets.ts";
import { isTimeZone } from "../time.ts";
import type { OutgoingPolicy } from "../webhooks/address.ts";
import {
  getLessonCompletedWebhook,
  readAuthorization,
  saveLessonCompletedWebhook,
  type Sealing,
} from "../webhooks/contract.ts";
import { checkUrl as checkOutgoingUrl } from "../webhooks/url.ts";
import type { Settings, SettingsUpdate } from "./schema.ts";
import type { CompanySettings, CompanySettingsUpdate } from "./v2-schema.ts";

type Columns = Static<typeof Settings>;

/** What settings are checked and kept by. */
export interface SettingsGround {
  readonly secrets: Sealing;
  /** Where webhooks may go; without it an address is looked at only for its form. */
  readonly policy?: OutgoingPolicy;
}

/**
 * Changes the webhook setting. A key that is left out stays as it is; null or an empty text clears it, and so does a
 * blank authorization.
 * @throws Problem 400 for a URL that can't be called, or an authorization that can't stand in a header.
 */
export async function updateSettings(
  tx: WriteTx,
  body: SettingsUpdate,
  ground: SettingsGround,
): Promise<Columns> {
  const { lesson_completed_callback_url: url, lesson_completed_callback_authorization: authorization } = body;
  if (url) checkUrl(url, ground);
  if (authorization) checkHeaderValue(authorization);
  const at = await lockCounters(tx, "webhook_endpoints");
  const before = await readWebhook(tx, ground.secrets);
  const changed: Partial<Columns> = {
    ...(url !== undefined && { lesson_completed_callback_url: url || null }),
    ...(authorization !== undefined && {
      lesson_completed_callback_authorization: readAuthorization(authorization),
    }),
  };
  const after = { ...before, ...changed };
  await saveWebhook(tx, changed, { ...ground, at });
  await auditSettings(tx, before, after);
  return after;
}

/** The company's settings as version 2 shows them: the authorization as a mask. */
export async function getSettings(tx: Tx, secrets: Secrets): Promise<CompanySettings> {
  const { subdomain, ...company } = await selectSettings(tx).executeTakeFirstOrThrow();
  return toSettings(subdomain, { ...company, ...(await readWebhook(tx, secrets)) });
}

/**
 * Changes what the body names of the settings. A key that is left out stays as it is, and so does an authorization that
 * comes back as its mask; null or what is blank clears it.
 * @throws Problem 412; 422 for a time zone that does not exist, and as updateSettings has it.
 */
export async function changeSettings(
  tx: WriteTx,
  body: Static<typeof CompanySettingsUpdate>,
  ground: SettingsGround,
): Promise<CompanySettings> {
  const at = await lockCounters(
    tx,
    "webhook_endpoints",
    ...(body.time_zone === undefined ? [] : (["mails"] as const)),
  );
  const { subdomain, ...company } = await selectSettings(tx).forUpdate().executeTakeFirstOrThrow();
  const before = { ...company, ...(await readWebhook(tx, ground.secrets)) };
  requireMatch(tx, toSettings(subdomain, before), body);
  const {
    lesson_completed_callback_authorization: authorization,
    lesson_completed_callback_url: url,
    ...rest
  } = body;
  const isGiven = authorization !== undefined && authorization !== MASK;
  if (rest.time_zone !== undefined && !isTimeZone(rest.time_zone)) {
    throw invalid({ field: "time_zone", message: "must be the name of a time zone, such as Europe/Berlin" });
  }
  if (url) checkUrl(url, ground);
  if (isGiven && authorization) checkHeaderValue(authorization);
  const changed: Partial<Columns> = {
    ...(isGiven && { lesson_completed_callback_authorization: readAuthorization(authorization) }),
    ...(url !== undefined && { lesson_completed_callback_url: url || null }),
  };
  if (Object.keys(rest).length > 0) {
    await tx.sql.updateTable("companies").set(rest).where("company_id", "=", tx.company.id).execute();
  }
  if (rest.time_zone !== undefined && rest.time_zone !== company.time_zone) {
    await moveToMorningIn(tx, rest.time_zone);
  }
  await saveWebhook(tx, changed, { ...ground, at });
  const after = { ...before, ...rest, ...changed };
  await auditSettings(tx, before, after);
  return toSettings(subdomain, after);
}

async function readWebhook(tx: Tx, secrets: Sealing): Promise<Columns> {
  const { url, authorization } = await getLessonCompletedWebhook(tx, secrets);
  return { lesson_completed_callback_url: url, lesson_completed_callback_authorization: authorization };
}

async function saveWebhook(
  tx: WriteTx,
  changed: Partial<Columns>,
  { secrets, at }: SettingsGround & { readonly at: string },
): Promise<void> {
  const { lesson_completed_callback_url: url, lesson_completed_callback_authorization: authorization } =
    changed;
  if (url === undefined && authorization === undefined) return;
  await saveLessonCompletedWebhook(
    tx,
    { ...(url !== undefined && { url }), ...(authorization !== undefined && { authorization }) },
    { secrets, at },
  );
}

function toSettings(subdomain: string, settings: Omit<CompanySettings, "subdomain">): CompanySettings {
  return { subdomain, ...masked(settings) };
}

function selectSettings(tx: Tx) {
  return tx.sql
    .selectFrom("companies")
    .select(["name", "subdomain", "time_zone"])
    .where("company_id", "=", tx.company.id);
}

async function auditSettings<S extends Columns>(tx: WriteTx, before: S, after: S): Promise<void> {
  await audit(tx, {
    action: "update_company_settings",
    resource_type: "company",
    resource_id: tx.company.id,
    before: masked(before),
    after: masked(after),
    at: tx.now.toISOString(),
  });
}

function checkUrl(url: string, { policy }: SettingsGround): void {
  const field = "lesson_completed_callback_url";
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !["http:", "https:"].includes(parsed.protocol) || /[\s\p{Cc}]/u.test(url)) {
    throw invalid({ field, message: "must be an http or https address" });
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw invalid({ field, message: "can't hold credentials: put them into the authorization" });
  }
  const checked = policy && checkOutgoingUrl(url, policy);
  if (checked !== undefined && "problem" in checked) throw invalid({ field, message: checked.problem });
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
