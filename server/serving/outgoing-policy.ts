import { BlockList, isIP } from "node:net";
import type { Config } from "../config.ts";
import type { OutgoingPolicy } from "../webhooks/address.ts";

const LOOPBACK_NETWORKS = ["127.0.0.0/8", "::1/128"];

type Configured = Pick<
  Config,
  "host" | "publicUrl" | "trustedProxies" | "webhookAllowedNetworks" | "webhookProxyUrl"
>;

/**
 * Where webhooks may go. A server that only its own machine reaches is somebody's who tries things: it may reach that
 * machine, also by plain HTTP. Every other one needs https and public addresses, but for the networks that are configured.
 * @param configured with the public URL that it has where none is configured. A process that listens nowhere knows none,
 * and is taken for one that others reach.
 */
export function outgoingPolicy(configured: Configured): OutgoingPolicy {
  const { webhookAllowedNetworks, webhookProxyUrl } = configured;
  const isAtHome = isReachedFromHereAlone(configured);
  const networks = webhookAllowedNetworks.map(toNetwork);
  return {
    allowsHttp: isAtHome || (networks.length > 0 && "to allowed networks"),
    allowedNetworks: [...networks, ...(isAtHome ? LOOPBACK_NETWORKS : [])],
    ...(webhookProxyUrl !== undefined && { proxyUrl: webhookProxyUrl }),
  };
}

/** A proxy on the same machine would make it everybody's. */
function isReachedFromHereAlone({ host, publicUrl, trustedProxies }: Configured): boolean {
  const isFromHere = publicUrl !== undefined && isLoopback(hostOf(publicUrl));
  return isFromHere && isLoopback(host) && trustedProxies.length === 0;
}

function toNetwork(address: string): string {
  return address.includes("/") ? address : `${address}/${isIP(address) === 6 ? 128 : 32}`;
}

function hostOf(publicUrl: string): string {
  return new URL(publicUrl.replaceAll("{subdomain}", "subdomain")).hostname.replace(/^\[|\]$/g, "");
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isLoopback(host: string): boolean {
  if (/(^|\.)localhost$/.test(host)) return true;
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 6 ? "ipv6" : "ipv4");
}
