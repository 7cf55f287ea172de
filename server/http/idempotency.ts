import { createHash, createHmac } from "node:crypto";
import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { sql } from "kysely";
import { DatabaseError } from "pg";
import type { WriteTx } from "../db/db.ts";
import { deriveKey, open, seal } from "../secrets.ts";
import { isStorable } from "./input.ts";
import { conflict, invalid, unprocessable } from "./problem.ts";
import { isOfVersion2 } from "./versions.ts";

/** For how long a repeated request is given the first one's answer. */
export const IDEMPOTENCY_HOURS = 24;
const MOST_KEY_CHARACTERS = 255;
/** How long a request waits for one with the same key that is under way, before it is told so. */
const WAIT_MS = 100;
/** PostgreSQL's lock_not_available. */
const LOCK_TIMEOUT = "55P03";

/** A request that is to have its effect once, however often it is sent. */
export interface IdempotentRequest {
  readonly key: string;
  /** Who sends it: two callers may choose the same key. */
  readonly caller: string;
  /**
   * What the request asks for; another one under the same key is a mistake. It is made under the key, as a body may hold a
   * password, which nobody who reads the database is to guess from it.
   */
  readonly fingerprint: Buffer;
}

/** The Idempotency-Key of a write in version 2; undefined where there is none. @throws Problem 422 */
export function readIdempotencyKey(request: FastifyRequest): IdempotentRequest | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined || !isOfVersion2(request.url)) return undefined;
  if (typeof key !== "string" || key === "" || key.length > MOST_KEY_CHARACTERS || !isStorable(key)) {
    throw invalid({ field: "Idempotency-Key", message: `must have 1 to ${MOST_KEY_CHARACTERS} characters` });
  }
  const { type, id } = request.actor;
  // A body that comes as a stream is told apart by its length alone.
  const body = request.body instanceof Readable ? request.headers["content-length"] : request.body;
  const asked = JSON.stringify([request.method, request.url, body ?? null]);
  return { key, caller: `${type}/${id}`, fingerprint: createHmac("sha256", key).update(asked).digest() };
}

/**
 * Runs a write once: its answer is stored in its own transaction, so it is there exactly if the write is, also after a
 * crash between the commit and the answer. What failed has left nothing and is tried anew. The answer is sealed under
 * the key itself, of which only a hash is stored: who reads the database finds no secret that an answer has shown.
 * @throws Problem 409 while the first request is under way, 422 for another request under the same key.
 */
export async function answerOnce<T>(
  tx: WriteTx,
  request: IdempotentRequest,
  run: () => Promise<T>,
): Promise<T> {
  const hash = createHash("sha256").update(request.key).digest();
  const isFirst = await claim(tx, request, hash);
  const sealing = deriveKey(request.key, "lectern idempotency");
  if (!isFirst) return findAnswer(tx, request, { hash, sealing });
  const answer = await run();
  await tx.sql
    .updateTable("idempotency_keys")
    .set({ answer: seal(sealing, JSON.stringify(answer)) })
    .where("company_id", "=", tx.company.id)
    .where("caller", "=", request.caller)
    .where("hash", "=", hash)
    .execute();
  return answer;
}

/** Whether the key is new. Where another transaction has it in hand, its end would be waited for: not for long. */
async function claim(tx: WriteTx, request: IdempotentRequest, hash: Buffer): Promise<boolean> {
  const { caller, fingerprint } = request;
  try {
    await sql`set local lock_timeout = ${sql.lit(WAIT_MS)}`.execute(tx.sql);
    await deleteExpired(tx, request, hash);
    const claimed = await tx.sql
      .insertInto("idempotency_keys")
      .values({ company_id: tx.company.id, caller, hash, fingerprint, created_at: tx.now.toISOString() })
      .onConflict((oc) => oc.columns(["company_id", "caller", "hash"]).doNothing())
      .returning("caller")
      .executeTakeFirst();
    await sql`set local lock_timeout = 0`.execute(tx.sql);
    return claimed !== undefined;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === LOCK_TIMEOUT) {
      throw conflict(
        "A request with this Idempotency-Key is under way: wait for its answer, or send it again",
      );
    }
    throw error;
  }
}

async function deleteExpired(tx: WriteTx, { caller }: IdempotentRequest, hash: Buffer): Promise<void> {
  const before = new Date(tx.now.getTime() - IDEMPOTENCY_HOURS * 3_600_000).toISOString();
  await tx.sql
    .deleteFrom("idempotency_keys")
    .where("company_id", "=", tx.company.id)
    .where("caller", "=", caller)
    .where("hash", "=", hash)
    .where("created_at", "<", before)
    .execute();
}

async function findAnswer<T>(
  tx: WriteTx,
  { caller, fingerprint }: IdempotentRequest,
  { hash, sealing }: { readonly hash: Buffer; readonly sealing: Buffer },
): Promise<T> {
  const stored = await tx.sql
    .selectFrom("idempotency_keys")
    .select(["fingerprint", "answer"])
    .where("company_id", "=", tx.company.id)
    .where("caller", "=", caller)
    .where("hash", "=", hash)
    .executeTakeFirst();
  if (stored === undefined || !stored.fingerprint.equals(fingerprint)) {
    throw unprocessable(
      "This Idempotency-Key was sent with another request: choose a new key for each request",
    );
  }
  const answer = stored.answer === null ? undefined : open(sealing, stored.answer);
  if (answer === undefined) throw new Error("the stored answer can't be opened");
  return JSON.parse(answer);
}
