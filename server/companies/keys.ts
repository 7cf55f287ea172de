import type { Static } from "typebox";
import { getTotal } from "../db/counters.ts";
import type { Tx, WriteTx } from "../db/db.ts";
import { cutCursorPage, idAfter, readCursorPage } from "../http/cursor.ts";
import { conflict, invalid, notFound } from "../http/problem.ts";
import { grantsOfRole, parseGrant, toGrantText } from "../privileges/privileges.ts";
import { requireToHave } from "../roles/limits.ts";
import { readGrants } from "../roles/roles.ts";
import { parseMoment, utcTime, utcTimeOrNull } from "../time.ts";
import { createApiKey, revokeApiKey } from "./api-keys.ts";
import type { ApiKeyItem, ApiKeyQuery, MadeApiKey, NewApiKey } from "./v2-schema.ts";

/** More keys in use than scripts and connectors need; beyond it somebody makes a key for each call. */
const MOST_KEYS = 1_000;

/** A page of the company's keys, by id. @throws Problem 422 for a cursor of another list */
export async function listKeys(
  tx: Tx,
  query: Static<typeof ApiKeyQuery>,
): Promise<{ data: ApiKeyItem[]; next: string | null }> {
  const page = readCursorPage(query);
  const { "filter[revoked]": revoked } = query;
  let select = selectKeys(tx).where("id", ">", idAfter(page) ?? 0);
  if (revoked !== undefined) select = select.where("revoked_at", revoked ? "is not" : "is", null);
  const rows = await select
    .orderBy("id")
    .limit(page.limit + 1)
    .execute();
  return cutCursorPage(page, rows, { position: ({ id }) => [id], show: toItem });
}

/**
 * Makes a key. It is the company's: it goes on when who made it is archived or gone.
 * @throws Problem 422 for a privilege that does not exist or is a person's alone, and for an end in the past; 403 for
 * what the caller lacks; 409 for one key too many.
 */
export async function makeKey(
  tx: WriteTx,
  { name, ...body }: Static<typeof NewApiKey>,
): Promise<Static<typeof MadeApiKey>> {
  const privileges = readPrivileges(tx, body.privileges);
  const expires_at = readEnd(tx, body.expires_at ?? null);
  const { id, key } = await createApiKey(tx, {
    name: name.trim(),
    made_by_user_id: tx.actor.user_id,
    privileges,
    expires_at,
  });
  // After its counter is locked, so that of two at once one is the last.
  if ((await getTotal(tx, "api_keys")) > MOST_KEYS) {
    throw conflict(`A company can have ${MOST_KEYS} keys: revoke one that is not used`);
  }
  const row = await selectKeys(tx).where("id", "=", id).executeTakeFirstOrThrow();
  return { ...toItem(row), key };
}

/** Ends a key for ever. @throws Problem 404, also for one that was revoked before. */
export async function endKey(tx: WriteTx, id: number): Promise<{ id: number }> {
  if (!(await revokeApiKey(tx, id))) throw notFound("API key");
  return { id };
}

function selectKeys(tx: Tx) {
  return tx.sql
    .selectFrom("api_keys")
    .select([
      "id",
      "name",
      "prefix",
      "privileges",
      "made_by_user_id",
      "created_at",
      "expires_at",
      "last_used_at",
      "revoked_at",
    ])
    .where("company_id", "=", tx.company.id);
}

function toItem(row: ApiKeyItem): ApiKeyItem {
  return {
    ...row,
    created_at: utcTime(row.created_at),
    expires_at: utcTimeOrNull(row.expires_at),
    last_used_at: utcTimeOrNull(row.last_used_at),
    revoked_at: utcTimeOrNull(row.revoked_at),
  };
}

/** What the key is to do, as it is stored. A key is nobody: what reaches one's own or one's groups reaches nothing. */
function readPrivileges(tx: WriteTx, texts: readonly string[] | null): string[] | null {
  if (texts === null) {
    requireToHave(tx.viewer, grantsOfRole("admin"));
    return null;
  }
  const grants = readGrants(texts);
  const wrong = texts.flatMap((text, index) => (parseGrant(text)?.scope === "all" ? [] : [index]));
  if (wrong.length > 0) {
    const message = "reaches what is a person's: a key is nobody, so it can have it for all or not at all";
    throw invalid(...wrong.map((index) => ({ field: `privileges[${index}]`, message })));
  }
  requireToHave(tx.viewer, grants);
  return grants.map(toGrantText);
}

function readEnd(tx: WriteTx, text: string | null): string | null {
  if (text === null) return null;
  const moment = parseMoment(text);
  if (moment === undefined || Date.parse(utcTime(moment)) <= tx.now.getTime()) {
    throw invalid({ field: "expires_at", message: "must be in the future" });
  }
  return moment;
}
