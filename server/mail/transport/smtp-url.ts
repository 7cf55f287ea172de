import { parseConnectionUrl, type ConnectionUrlOptions } from "nodemailer/lib/shared";
import { OperatorError } from "../../operator-error.ts";

/**
 * Reads `smtp://` and `smtps://` URLs as nodemailer does. Encryption is used wherever the server offers it, and its
 * certificate is checked. A password goes to another machine only encrypted, unless the URL itself says otherwise
 * (`?requireTLS=false`, `?ignoreTLS=true`): whoever sits between could take the offer of encryption out.
 * @throws OperatorError when the URL names no mail server
 */
export function readSmtpUrl(smtpUrl: string): ConnectionUrlOptions {
  const server = parseConnectionUrl(smtpUrl);
  if (!/^smtps?:\/\//i.test(smtpUrl) || server.host === undefined)
    throw new OperatorError(
      "SMTP_URL must look like smtp://user:password@mail.example.com:587 or smtps://…:465.",
    );
  const spoken = "requireTLS" in server || "ignoreTLS" in server || "opportunisticTLS" in server;
  const needsTls = server.auth !== undefined && server.secure !== true && !spoken && !isLoopback(server.host);
  return needsTls ? { ...server, requireTLS: true } : server;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
