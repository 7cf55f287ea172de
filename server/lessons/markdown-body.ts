import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { isStorable } from "../http/input.ts";
import { invalid, malformed, Problem } from "../http/problem.ts";

/** Bytes of a body that is Markdown: a lesson of the largest size, with room for how it is written. */
const MOST_MARKDOWN_BYTES = 2_097_152;

/** The text of a body that is text/markdown. @throws Problem 400, 413, 422 */
export async function readMarkdownBody(request: FastifyRequest): Promise<string> {
  const { body } = request;
  if (!(body instanceof Readable)) throw malformed("The body must be text/markdown");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > MOST_MARKDOWN_BYTES)
      throw new Problem(413, `A lesson can have at most ${MOST_MARKDOWN_BYTES} bytes as Markdown: split it`);
    chunks.push(piece);
  }
  return decodeMarkdown(Buffer.concat(chunks));
}

/** @throws Problem 400 for what is no UTF-8, 422 for characters that no text has */
export function decodeMarkdown(bytes: Buffer): string {
  const text = decode(bytes);
  if (isStorable(text)) return text;
  throw invalid({ field: "body", message: "holds a character that no text has (NUL)" });
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformed("The body is not UTF-8");
  }
}
