import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** What one secret of the installation is used for; each use has a key of its own, derived from it. */
export type Purpose = "files" | "mail" | "single_sign_on" | "settings" | "webhooks";

/** The installation's secret: seals what must be read again, and signs addresses. */
export class Secrets {
  readonly #secret: string;
  /** Deriving a key takes ten times as long as signing with it, and a page of files has hundreds of addresses. */
  readonly #keys = new Map<Purpose, Buffer>();

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Encrypts a text; only `open` with the same purpose gives it back. */
  seal(purpose: Purpose, text: string): string {
    return seal(this.#keyOf(purpose), text).toString("base64url");
  }

  /** @returns undefined for what was not sealed here, or was changed. */
  open(purpose: Purpose, sealed: string): string | undefined {
    return open(this.#keyOf(purpose), Buffer.from(sealed, "base64url"));
  }

  /** A signature of a text, in base64url. */
  sign(purpose: Purpose, text: string): string {
    return createHmac("sha256", this.#keyOf(purpose)).update(text).digest("base64url");
  }

  /** Compares in constant time. */
  isSignedBy(purpose: Purpose, text: string, signature: string): boolean {
    const right = Buffer.from(this.sign(purpose, text));
    const given = Buffer.from(signature);
    return right.length === given.length && timingSafeEqual(right, given);
  }

  #keyOf(purpose: Purpose): Buffer {
    const known = this.#keys.get(purpose);
    if (known !== undefined) return known;
    const key = deriveKey(this.#secret, `lectern ${purpose}`);
    this.#keys.set(purpose, key);
    return key;
  }
}

/** A key for one use, from a secret (HKDF, RFC 5869). */
export function deriveKey(secret: string, use: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", use, KEY_BYTES));
}

/** Encrypts with AES-256-GCM: nonce, tag, text. */
export function seal(key: Buffer, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @returns undefined where the key is another or the bytes were changed. */
export function open(key: Buffer, bytes: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
      decipher.final(),
    ]).toString("utf8");
  } catch {
    return undefined;
  }
}
