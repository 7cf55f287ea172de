import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Config } from "../config.ts";
import { OperatorError } from "../operator-error.ts";
import { isLoopback } from "../http/door.ts";

export interface Tls {
  readonly cert: string;
  readonly key: string;
}

/**
 * Checks, before anything starts, that no key will travel in the clear.
 * @returns the certificate to serve with, where one is configured.
 * @throws OperatorError when plain HTTP would be open to other machines, or the certificate can't be used.
 */
export async function openTransport(config: Config): Promise<Tls | undefined> {
  const { host, tlsCertFile, tlsKeyFile } = config;
  if (tlsCertFile !== undefined && tlsKeyFile !== undefined) return readTls(tlsCertFile, tlsKeyFile);
  if (isLoopback(host) || config.allowPlainHttp || config.trustedProxies.length > 0) return undefined;
  throw new OperatorError(
    `HOST=${host} is open to other machines, where plain HTTP would show API keys to the network. ` +
      "Set TLS_CERT_FILE and TLS_KEY_FILE, or TRUSTED_PROXIES to the proxy that ends TLS, or ALLOW_PLAIN_HTTP=true on a closed network.",
  );
}

async function readTls(certFile: string, keyFile: string): Promise<Tls> {
  const tls = { cert: await readPem("TLS_CERT_FILE", certFile), key: await readPem("TLS_KEY_FILE", keyFile) };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new OperatorError(`TLS_CERT_FILE and TLS_KEY_FILE can't be used together: ${String(error)}`, {
      cause: error,
    });
  }
  return tls;
}

async function readPem(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new OperatorError(`${variable}=${file} can't be read: ${String(error)}`, { cause: error });
  }
}
