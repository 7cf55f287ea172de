import { errors } from "undici";

/** A connection that can't be made, with a message that the person who set up the webhook reads in its log. */
export class NotConnected extends Error {
  override name = "NotConnected";
  readonly isRefusedAddress: boolean;

  constructor(reason: string, why?: "refused address") {
    super(reason);
    this.isRefusedAddress = why === "refused address";
  }
}

const CLOSED = "The connection was closed before an answer came";
const UNREACHABLE = "The network has no way to the address";

/** What went wrong, by the code that Node, OpenSSL, the HTTP parser or undici gave it. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The connection was refused",
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ETIMEDOUT: "The address didn't answer the attempt to connect",
  CERT_HAS_EXPIRED: "The certificate has expired",
  CERT_NOT_YET_VALID: "The certificate isn't valid yet",
  CERT_REVOKED: "The certificate has been revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The certificate is self-signed, so no known authority vouches for it",
  SELF_SIGNED_CERT_IN_CHAIN: "The certificate was made by an authority that isn't known here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The certificate was made by an authority that isn't known here",
  UNABLE_TO_GET_ISSUER_CERT: "The certificate was made by an authority that isn't known here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "The certificate can't be verified: the server doesn't send the certificates between its own and a known authority's",
  ERR_SSL_WRONG_VERSION_NUMBER:
    "No TLS is spoken there: the address may have to begin with http://, or name another port",
  ERR_SSL_PACKET_LENGTH_TOO_LONG:
    "No TLS is spoken there: the address may have to begin with http://, or name another port",
  HPE_HEADER_OVERFLOW: "The answer's headers are too large",
  // undici takes an answer with the status 101, which nobody has asked for, for an error of its own.
  ERR_ASSERTION: "The answer is none to a POST: it wants to speak another protocol (101)",
  UND_ERR_INVALID_ARG: "A header has a name or value that can't be sent",
  UND_ERR_HEADERS_OVERFLOW: "The answer's headers are too large",
};

/**
 * What a person is told of a request that failed: a sentence without a full stop. Takes whatever was thrown.
 * It never holds what was sent: a header's value may be a secret.
 */
export function readFailure(error: unknown): { reason: string; is_refused_address: boolean } {
  if (error instanceof NotConnected)
    return { reason: error.message, is_refused_address: error.isRefusedAddress };
  return { reason: reasonOf(error), is_refused_address: false };
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return wrongName(error);
  if (error instanceof errors.HTTPParserError) return REASONS[code] ?? "The answer isn't HTTP";
  if (code.startsWith("ERR_SSL_") || code === "EPROTO") {
    return REASONS[code] ?? `No agreement on how to encrypt was reached (${code})`;
  }
  return REASONS[code] ?? `The request failed (${code})`;
}

function wrongName(error: unknown): string {
  const host = error instanceof Error && "host" in error ? String(error.host) : "this host";
  return `The certificate is for another name than ${host}`;
}
