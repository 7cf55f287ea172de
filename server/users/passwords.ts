import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { unavailable } from "../http/problem.ts";

/** OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/**
 * Hashes that one process has in hand. Node works at four at a time; more than these would keep everything else that
 * waits for its threads, such as reading files, for seconds.
 */
const MOST_UNDER_WAY = 100;
const RETRY_AFTER_SECONDS = 2;

const derive = promisify(argon2);
let underWay = 0;

/** Hashes a password with argon2id, as a PHC string that carries its parameters. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await deriveTag(password, { nonce, memory: MEMORY_KIB, passes: PASSES, lanes: LANES });
  return `${HEAD}${base64(nonce)}$${base64(tag)}`;
}

/**
 * Compares a password with a stored hash, in constant time.
 * @param stored undefined where there is none: it takes as long as where there is one, and nothing matches.
 * @returns outdated for a right one whose hash was made with other parameters than now: hash it anew.
 * @throws Problem 503 when too many are compared at once.
 */
export async function verifyPassword(
  password: string,
  stored: string | undefined,
): Promise<"right" | "outdated" | "wrong"> {
  const { tag, ...parameters } = parse(stored ?? NOBODYS);
  const derived = await deriveTag(password, parameters);
  const matches = derived.length === tag.length && timingSafeEqual(derived, tag);
  if (!matches || stored === undefined) return "wrong";
  return stored.startsWith(HEAD) ? "right" : "outdated";
}

const HEAD = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$`;
const NOBODYS = `${HEAD}${base64(randomBytes(SALT_BYTES))}$${base64(randomBytes(TAG_BYTES))}`;
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

interface Parameters {
  readonly nonce: Buffer;
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
}

function parse(stored: string): Parameters & { readonly tag: Buffer } {
  const [, memory, passes, lanes, nonce, tag] = PHC.exec(stored) ?? [];
  if (nonce === undefined || tag === undefined) throw new Error("a stored password is no argon2id hash");
  return {
    memory: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    nonce: Buffer.from(nonce, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}

/** The same letters can be typed in several ways, which NFKC makes one (NIST SP 800-63B). */
async function deriveTag(password: string, { nonce, memory, passes, lanes }: Parameters): Promise<Buffer> {
  if (underWay >= MOST_UNDER_WAY) {
    throw unavailable("Too many passwords are being checked: try again", RETRY_AFTER_SECONDS);
  }
  underWay += 1;
  try {
    return await derive("argon2id", {
      message: password.normalize("NFKC"),
      nonce,
      parallelism: lanes,
      tagLength: TAG_BYTES,
      memory,
      passes,
    });
  } finally {
    underWay -= 1;
  }
}

/** Base64 without padding, as PHC strings have it. */
function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
