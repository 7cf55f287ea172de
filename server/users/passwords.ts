import { argon2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

/** OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

const derive = promisify(argon2);

/** Hashes a password with argon2id, as a PHC string that carries its parameters. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await derive("argon2id", {
    message: password,
    nonce,
    parallelism: LANES,
    tagLength: TAG_BYTES,
    memory: MEMORY_KIB,
    passes: PASSES,
  });
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(nonce)}$${base64(tag)}`;
}

/** Base64 without padding, as PHC strings have it. */
function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
