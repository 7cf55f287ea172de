import { Resolver } from "node:dns/promises";
import { whyForbidden, type OutgoingPolicy } from "./address.ts";
import { NotConnected } from "./failure.ts";
import { literalAddresses } from "./url.ts";

/** Who is asked for the addresses of a name: what node:dns gives, or a test's. */
export type AddressResolver = Pick<Resolver, "resolve4" | "resolve6">;

/** How long a DNS server has in milliseconds before the next one is asked; all get twice as long in the second round. */
const DNS_TIMEOUT_MS = 1500;
const DNS_TRIES = 2;
/** How many addresses of a name are tried: more are no help, and a hostile zone could name thousands. */
const MOST_ADDRESSES = 6;
/** What DNS says when a name is unknown, has no address or can't be one. */
const UNKNOWN_NAME = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

/**
 * The addresses that a connection to a host may be made to, looked up now and each one checked. One that is not let
 * through refuses the host, whatever the others are: a name that is half public is no mistake that anybody makes.
 * Throws NotConnected when there is none, or one that is refused.
 *
 * DNS is asked directly and not through the system's function: that one occupies one of four threads, which files
 * and passwords need too, for as long as a slow name server likes. So /etc/hosts isn't read.
 */
export async function resolveChecked(
  host: string,
  policy: OutgoingPolicy,
  resolver: AddressResolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES }),
): Promise<string[]> {
  const literal = literalAddresses(host);
  const addresses = literal.length > 0 ? literal : await lookUp(host, resolver);
  for (const address of addresses) {
    const kind = whyForbidden(address, policy);
    if (kind !== undefined) throw new NotConnected(refusal(host, address, kind), "refused address");
  }
  return addresses.slice(0, MOST_ADDRESSES);
}

function refusal(host: string, address: string, kind: string): string {
  const where = host === address ? `The address is ${address}` : `${host} leads to ${address}`;
  return `${where}, ${kind}: only addresses of the public internet are let through`;
}

async function lookUp(host: string, resolver: AddressResolver): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const codes = answers.map((answer) => (answer.status === "rejected" ? codeOf(answer.reason) : "ENODATA"));
  const code = codes.find((each) => !UNKNOWN_NAME.has(each));
  throw new NotConnected(
    code === undefined
      ? `No address was found for the name ${host}`
      : `The name ${host} couldn't be looked up (${code})`,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
