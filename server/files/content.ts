import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Tx } from "../db/db.ts";
import { notFound, Problem } from "../http/problem.ts";
import { readRange } from "./range.ts";
import type { ByteRange } from "./store.ts";
import type { Depot } from "./depot.ts";
import { readStored, type Stored } from "./stored.ts";

/** What an address shows, with all that it takes to send it. */
export interface Content extends Stored {
  readonly name: string;
  readonly kind: string;
  readonly media_type: string;
  readonly sha256: Buffer;
}

/** Finds a content of a file for who has its signed address. @throws Problem 404 */
export async function getContent(tx: Tx, file_id: number, variant: string): Promise<Content> {
  const content = await tx.sql
    .selectFrom("file_contents")
    .innerJoin("files", (join) =>
      join
        .onRef("files.company_id", "=", "file_contents.company_id")
        .onRef("files.id", "=", "file_contents.file_id"),
    )
    .innerJoin("file_blobs", (join) =>
      join
        .onRef("file_blobs.company_id", "=", "file_contents.company_id")
        .onRef("file_blobs.upload_id", "=", "file_contents.upload_id")
        .onRef("file_blobs.sha256", "=", "file_contents.sha256"),
    )
    .select(["name", "kind", "media_type", "size", "part_size", "stored_as"])
    .select(["file_blobs.sha256", "file_blobs.upload_id"])
    .where("file_contents.company_id", "=", tx.company.id)
    .where("files.company_id", "=", tx.company.id)
    .where("file_blobs.company_id", "=", tx.company.id)
    .where("file_contents.file_id", "=", file_id)
    .where("file_contents.variant", "=", variantOf(variant))
    .executeTakeFirst();
  if (content === undefined) throw notFound("File");
  return content;
}

/** Sends a content, or the range of it that is asked for, as it comes from the store. */
export function sendContent(
  depot: Depot,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  content: Content,
): FastifyReply {
  const etag = `"${content.sha256.toString("hex")}"`;
  describe(reply, content).header("etag", etag);
  if (isKnown(request, etag)) return reply.code(304).send();
  const { size } = content;
  const range = isCurrent(request, etag) ? readRange(request.headers.range, size) : undefined;
  if (range === "unsatisfiable") {
    throw new Problem(416, `This file has ${size} bytes`, {
      headers: { "content-range": `bytes */${size}` },
    });
  }
  if (range !== undefined)
    reply.code(206).header("content-range", `bytes ${range.start}-${range.end}/${size}`);
  const sent: ByteRange = range ?? { start: 0, end: size - 1 };
  reply.header("content-length", sent.end - sent.start + 1);
  // Fastify would read to its end, and throw away, what it does not send.
  if (request.method === "HEAD") return reply.send(Readable.from([]));
  return reply.send(readStored(depot.store, { ...content, company_id: request.company.id }, sent));
}

function variantOf(size: string): "original" | "320" | "960" | "1920" {
  return size === "320" || size === "960" || size === "1920" ? size : "original";
}

/**
 * What every answer with a content carries. A browser takes it for nothing but its media type, runs nothing in it, and
 * shows in our name only what can't do anything.
 */
function describe(reply: FastifyReply, { name, kind, media_type }: Content): FastifyReply {
  const disposition = isSafeToShow(kind, media_type) ? "inline" : "attachment";
  const charset = media_type.startsWith("text/") ? "; charset=utf-8" : "";
  return reply.headers({
    "content-type": `${media_type}${charset}`,
    "content-disposition": `${disposition}; ${fileName(name)}`,
    "accept-ranges": "bytes",
    "cache-control": "private, max-age=3600",
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-site",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
}

function isSafeToShow(kind: string, media_type: string): boolean {
  if (kind === "image" || kind === "video" || kind === "audio") return true;
  return media_type === "text/plain" || media_type === "text/vtt";
}

/** A name in ASCII for old programs, and the real one for others (RFC 6266, RFC 5987). */
function fileName(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const tags = headers["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags !== undefined && (tags.includes("*") || tags.includes(etag));
}

/** Whether a range may be given: If-Range names the content that the client has a part of. We give no dates. */
function isCurrent({ headers }: FastifyRequest, etag: string): boolean {
  const tag = headers["if-range"];
  return tag === undefined || tag === etag;
}
