import { createHmac, randomBytes } from "node:crypto";

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;
const SECRET_PREFIX = "whsec_";

/** A new secret of an endpoint, in the form that the libraries of Standard Webhooks take. */
export function makeSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

export interface Signed {
  /** The same for each try, so that a receiver knows what it has already seen. */
  readonly id: string;
  /** When this try is made. */
  readonly at: Date;
  readonly body: string;
}

/**
 * The headers of Standard Webhooks 1.0, with a signature by each secret: while a secret is replaced there are two, and
 * a receiver that knows either is content.
 */
export function signatureHeaders(
  { id, at, body }: Signed,
  secrets: readonly string[],
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
