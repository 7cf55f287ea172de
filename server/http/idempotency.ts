import { createHash, createHmac } from "node:crypto";
import { pipeline, Readable, Transform, type TransformCallback } from "node:stream";
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
/** How many keys that have expired go with each new one: more than one, so that they never gather. */
const SWEPT_AT_ONCE = 5;
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

/**
 * The Idempotency-Key of a write in version 2; undefined where there is none, and for what only reads, however it notes
 * that it did. @throws Problem 422
 */
export function readIdempotencyKey(request: FastifyRequest): IdempotentRequest | undefined {
  const key = request.headers["idempotency-key"];
  const isWrite = request.method !== "GET" && request.method !== "HEAD";
  if (key === undefined || !isWrite || !isOfVersion2(request.url)) return undefined;
  if (typeof key !== "string" || key === "" || key.length > MOST_KEY_CHARACTERS || !isStorable(key)) {
    throw invalid({ field: "Idempotency-Key", message: `must have 1 to ${MOST_KEY_CHARACTERS} characters` });
  }
  if (keyed.has(request)) throw new Error(`${request.url} writes twice: one answer can't be kept for both`);
  keyed.add(request);
  const { type, id } = request.actor;
  const asked = JSON.stringify([request.method, request.url, describeBody(request) ?? null]);
  return { key, caller: `${type}/${id}`, fingerprint: createHmac("sha256", key).update(asked).digest() };
}

/** The requests whose write has begun. */
const keyed = new WeakSet<FastifyRequest>();

function describeBody({ body, headers }: FastifyRequest): unknown {
  if (!(body instanceof Readable)) return body;
  // One that is not read to its end before the write is told apart by its length alone.
  return (body instanceof DigestedBody ? body.digest : undefined) ?? headers["content-length"];
}

/** Lets a body through that comes as a stream, and takes its digest where its request is to have its effect once. */
export function digestBody({ headers }: FastifyRequest, body: Readable): Readable {
  if (headers["idempotency-key"] === undefined) return body;
  // Who reads it meets the error of a body that is cut off.
  return pipeline(body, new DigestedBody(), () => undefined);
}

class DigestedBody extends Transform {
  readonly #hash = createHash("sha256");
  #digest: string | undefined;

  /** Undefined until the body has come to its end. */
  get digest(): string | undefined {
    return this.#digest;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk);
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    this.#digest = this.#hash.digest("base64url");
    done();
  }
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
    .set({ answer: seal(sealing, JSON.stringify({ answer })) })
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
    await sql`set local lock_timeout to default`.execute(tx.sql);
    if (claimed !== undefined) await sweep(tx);
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

/** What was stored before this time is forgotten. */
function expiry({ now }: WriteTx): string {
  return new Date(now.getTime() - IDEMPOTENCY_HOURS * 3_600_000).toISOString();
}

async function deleteExpired(tx: WriteTx, { caller }: IdempotentRequest, hash: Buffer): Promise<void> {
  await tx.sql
    .deleteFrom("idempotency_keys")
    .where("company_id", "=", tx.company.id)
    .where("caller", "=", caller)
    .where("hash", "=", hash)
    .where("created_at", "<", expiry(tx))
    .execute();
}

/** Removes some keys that have expired, whosever they are; another request may have those in hand that are skipped. */
async function sweep(tx: WriteTx): Promise<void> {
  await sql`
    delete from idempotency_keys
    where company_id = ${tx.company.id} and (caller, hash) in (
      select caller, hash from idempotency_keys
      where company_id = ${tx.company.id} and created_at < ${expiry(tx)}
      order by created_at
      limit ${SWEPT_AT_ONCE}
      for update skip locked
    )`.execute(tx.sql);
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
  return JSON.parse(answer).answer;
}
