import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** What the service may send requests to, as whoever operates it has configured. */
export interface OutgoingPolicy {
  /** Whether http is let through beside https: to every address, or to the allowed networks alone. */
  readonly allowsHttp: boolean | "to allowed networks";
  /** Networks in CIDR notation that are let through though they are not public. */
  readonly allowedNetworks: readonly string[];
  /** The proxy that every request takes. The variables that other programs obey (HTTP_PROXY) don't count. */
  readonly proxyUrl?: string;
}

/** What stands behind "an address that is" for each range that is told apart; all others are reserved. */
const KINDS: Readonly<Record<string, string>> = {
  broadcast: "a broadcast address",
  carrierGradeNat: "an address in a carrier's private network",
  linkLocal: "a link-local address",
  loopback: "a loopback address",
  multicast: "a multicast address",
  private: "an address in a private network",
  uniqueLocal: "an address in a private network",
  unspecified: "an address that means this machine",
};

/**
 * Where clouds hand their credentials to whoever asks: Amazon, Google and Azure, Azure's agent (a public address!),
 * Alibaba, Oracle, and Amazon over IPv6. All but one lie in ranges that are refused anyway; they are named for the message.
 */
const METADATA = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
]);

/** All addresses that are given out to the public internet over IPv6 (RFC 4291); what lies outside is not routed. */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");
/** Translates to IPv4 where a network speaks IPv6 only (RFC 6052), so it counts as the address inside. */
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96");

/**
 * Why no request may go to an address: what it is, such as "a loopback address", or undefined where it may.
 * Takes an address as DNS or a parsed URL gives it. Only public unicast addresses pass, so a range that nobody has
 * thought of is refused; IPv6 forms that carry an IPv4 address count as that one or are refused.
 */
export function whyForbidden(address: string, policy: OutgoingPolicy): string | undefined {
  if (isIP(address) === 0 || address.includes("%")) return "no plain address";
  const parsed = unwrap(ipaddr.parse(address));
  if (isInAllowedNetwork(address, policy)) return undefined;
  if (METADATA.has(parsed.toString())) return "a cloud's metadata service";
  const range = parsed.range();
  if (range !== "unicast") return KINDS[range] ?? "a reserved address";
  if (parsed instanceof ipaddr.IPv4) return undefined;
  if (!parsed.match(GLOBAL_IPV6)) return "a reserved address";
  const tunnelled = isatap(parsed);
  return tunnelled && whyForbidden(tunnelled, policy);
}

/** Whether an address lies in a network that is let through by name. Takes it as DNS or a parsed URL gives it. */
export function isInAllowedNetwork(address: string, { allowedNetworks }: OutgoingPolicy): boolean {
  const parsed = unwrap(ipaddr.parse(address));
  return allowedNetworks.some((network) => contains(network, parsed));
}

function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4) return address;
  return address.isIPv4MappedAddress() || address.match(NAT64) ? lastIPv4(address) : address;
}

function lastIPv4(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

/** The IPv4 address that a tunnel to inside a site leads to (RFC 5214): the prefix is public, the end need not be. */
function isatap(address: ipaddr.IPv6): string | undefined {
  const [, , , , flags, marker] = address.parts;
  const isTunnel = marker === 0x5efe && (flags === 0 || flags === 0x0200);
  return isTunnel ? lastIPv4(address).toString() : undefined;
}

function contains(network: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const range = ipaddr.parseCIDR(network);
  return range[0].kind() === address.kind() && address.match(range);
}
