import { isIPv6 } from "node:net";
import type { Config } from "../config.ts";

/** What links begin with: what is configured, or the address that it listens on. */
export function publicUrlOf(config: Config): string {
  return config.publicUrl ?? addressOf(config);
}

/** The address that it listens on. */
export function addressOf({
  host,
  port,
  tlsCertFile,
}: Pick<Config, "host" | "port" | "tlsCertFile">): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  return `${tlsCertFile === undefined ? "http" : "https"}://${name}:${port}`;
}
