import { createHash, randomBytes } from "node:crypto";
import { lockCounters, moveCounter } from "../db/counters.ts";
import type { Database, Tx, WriteTx } from "../db/db.ts";
import { audit } from "../db/audit.ts";
import { utcTime, utcTimeOrNull } from "../time.ts";
import { holdMaker } from "../users/hold.ts";
import { type Company, companyOfId, findCompany } from "./companies.ts";

const PREFIX = "lectern_";
const KEY_BYTES = 32;
/** As much of a key as is stored and shown: enough to tell keys apart, too little to guess the rest. */
const SHOWN_CHARACTERS = PREFIX.length + 4;

/** A key that may call the API, as the request knows it. */
export interface ApiKey {
  readonly id: number;
  readonly prefix: string;
  readonly made_by_user_id: number | null;
  /** What it may do; null for everything. */
  readonly privileges: string[] | null;
}

/** The key itself, shown once, and what is stored of it. */
export interface NewKey {
  readonly key: string;
  readonly prefix: string;
  readonly hash: Buffer;
}

export function generateKey(): NewKey {
  const key = PREFIX + randomBytes(KEY_BYTES).toString("base64url");
  return { key, prefix: key.slice(0, SHOWN_CHARACTERS), hash: hashKey(key) };
}

/** A key is 256 random bits, so one round of SHA-256 keeps it as well as a slow hash would. */
export function hashKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

/**
 * Finds who may call with a key, and with the company's subdomain where the way to sign in has one.
 * @returns undefined when the key is unknown, revoked or another company's.
 */
export async function findCaller(
  database: Database,
  { subdomain, key }: { readonly subdomain: string | undefined; readonly key: string },
  publicUrl: string,
): Promise<{ company: Company; key: ApiKey } | undefined> {
  const owner = await database.global((db) =>
    db
      .selectFrom("api_key_hashes")
      .select(["company", "api_key_id"])
      .where("hash", "=", hashKey(key))
      .executeTakeFirst(),
  );
  if (owner === undefined) return undefined;
  return database.read(companyOfId(owner.company), async (tx) => {
    const [company, found] = await Promise.all([
      findCompany(tx, publicUrl),
      findActiveKey(tx, owner.api_key_id),
    ]);
    if (company === undefined || found === undefined) return undefined;
    if (subdomain !== undefined && company.subdomain !== subdomain.toLowerCase()) return undefined;
    return { company, key: found };
  });
}

async function findActiveKey(tx: Tx, id: number): Promise<ApiKey | undefined> {
  return tx.sql
    .selectFrom("api_keys")
    .select(["id", "prefix", "made_by_user_id", "privileges"])
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", tx.now.toISOString())]))
    .executeTakeFirst();
}

/** A key to be made: what is left out of `privileges` and `expires_at` is everything, and for ever. */
export interface KeyToMake {
  readonly name: string;
  readonly made_by_user_id: number | null;
  readonly privileges?: string[] | null;
  readonly expires_at?: string | null;
}

/** Stores a new key of the company. The plain key is in the answer and nowhere else. */
export async function createApiKey(
  tx: WriteTx,
  { name, made_by_user_id, privileges = null, expires_at = null }: KeyToMake,
): Promise<NewKey & { id: number; created_at: string }> {
  const at = await lockCounters(tx, "api_keys");
  const id = await moveCounter(tx, { kind: "api_keys", ids: 1, total: 1, at });
  const made = generateKey();
  await tx.sql
    .insertInto("api_keys")
    .values({
      company_id: tx.company.id,
      id,
      name,
      prefix: made.prefix,
      made_by_user_id: await holdMaker(tx, made_by_user_id),
      privileges,
      expires_at,
      created_at: at,
    })
    .execute();
  await tx.sql
    .insertInto("api_key_hashes")
    .values({ hash: made.hash, company: tx.company.id, api_key_id: id })
    .execute();
  await audit(tx, {
    action: "create_api_key",
    resource_type: "api_key",
    resource_id: id,
    after: { name, prefix: made.prefix, privileges, expires_at },
    at,
  });
  return { id, created_at: at, ...made };
}

/**
 * Ends a key: every process refuses it within a second.
 * @returns false when the company has no such key in use.
 */
export async function revokeApiKey(tx: WriteTx, id: number): Promise<boolean> {
  const at = await lockCounters(tx, "api_keys");
  const revoked = await tx.sql
    .updateTable("api_keys")
    .set({ revoked_at: at })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .returning("prefix")
    .executeTakeFirst();
  if (revoked === undefined) return false;
  await moveCounter(tx, { kind: "api_keys", total: -1, at });
  await tx.sql
    .deleteFrom("api_key_hashes")
    .where("company", "=", tx.company.id)
    .where("api_key_id", "=", id)
    .execute();
  await audit(tx, {
    action: "revoke_api_key",
    resource_type: "api_key",
    resource_id: id,
    before: { prefix: revoked.prefix },
    at,
  });
  return true;
}

/** A key as an administrator may see it: never the key itself. */
export interface ApiKeyListItem {
  readonly id: number;
  readonly name: string;
  readonly prefix: string;
  readonly made_by_user_id: number | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

/** All keys that the company ever had, by id. */
export async function listApiKeys(tx: Tx): Promise<ApiKeyListItem[]> {
  const rows = await tx.sql
    .selectFrom("api_keys")
    .select(["id", "name", "prefix", "made_by_user_id", "created_at", "last_used_at", "revoked_at"])
    .where("company_id", "=", tx.company.id)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    ...row,
    created_at: utcTime(row.created_at),
    last_used_at: utcTimeOrNull(row.last_used_at),
    revoked_at: utcTimeOrNull(row.revoked_at),
  }));
}

/** Notes that a key was used. Called at most once a minute for each key and process. */
export async function touchApiKey(tx: WriteTx, id: number): Promise<void> {
  await tx.sql
    .updateTable("api_keys")
    .set({ last_used_at: tx.now.toISOString() })
    .where("company_id", "=", tx.company.id)
    .where("id", "=", id)
    .execute();
}
