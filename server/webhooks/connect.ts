import { once } from "node:events";
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { callbackify } from "node:util";
import type { buildConnector } from "undici";
import { isInAllowedNetwork, type OutgoingPolicy } from "./address.ts";
import { NotConnected } from "./failure.ts";
import { openTunnel } from "./proxy.ts";
import { resolveChecked, type AddressResolver } from "./resolve.ts";

/** What every connection is made by. */
export interface ConnectOptions {
  readonly policy: OutgoingPolicy;
  readonly limitMs: number;
  readonly resolver: AddressResolver | undefined;
  /** Aborted when no connection is wanted any more. */
  readonly closing: AbortSignal;
}

/** How long one address of several has to answer, in milliseconds: across an ocean, with a packet lost. */
const ADDRESS_TIMEOUT_MS = 2500;

/**
 * What undici shall connect by. Each connection looks its host up anew, checks every address that it gets and goes to
 * one of exactly those, so a name that leads elsewhere a moment later gains nothing (DNS rebinding).
 */
export function guardedConnector(options: ConnectOptions): buildConnector.connector {
  const open = callbackify((target: buildConnector.Options) => openSocket(target, options));
  return (target, callback) => {
    open(target, (error, socket) => (error === null ? callback(null, socket) : callback(error, null)));
  };
}

async function openSocket(target: buildConnector.Options, options: ConnectOptions): Promise<Socket> {
  const isTls = target.protocol === "https:";
  const port = Number(target.port || (isTls ? 443 : 80));
  const signal = AbortSignal.any([AbortSignal.timeout(options.limitMs), options.closing]);
  const addresses = await resolveChecked(target.hostname, options.policy, options.resolver);
  if (!isTls) requireAllowedPlain(addresses, options.policy);
  try {
    signal.throwIfAborted();
    const socket = await openTcp({ host: target.hostname, port, addresses }, options.policy.proxyUrl, signal);
    return isTls ? await startTls(socket, target.hostname, signal) : socket;
  } catch (error) {
    if (signal.aborted) throw new NotConnected("No connection was made within the time limit");
    throw error;
  }
}

/** What is readable on its way stays in the networks that are let through by name. @throws NotConnected */
function requireAllowedPlain(addresses: readonly string[], policy: OutgoingPolicy): void {
  if (policy.allowsHttp === true) return;
  const outside = addresses.find((address) => !isInAllowedNetwork(address, policy));
  if (outside === undefined) return;
  const reason = `${outside} is reached by https alone: plain http is let through to the networks that are allowed by name`;
  throw new NotConnected(reason, "refused address");
}

async function openTcp(
  to: { host: string; port: number; addresses: string[] },
  proxyUrl: string | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  if (proxyUrl !== undefined) return await openTunnel(new URL(proxyUrl), to, signal);
  const socket = connectTcp({
    host: to.host,
    port: to.port,
    lookup: only(to.addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    noDelay: true,
  });
  return await ready(socket, "connect", signal);
}

/** Stands in for DNS when the socket asks for its addresses: it gets those that have been checked. */
function only(addresses: string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? "", all[0]?.family);
  };
}

/** The name is the one in the URL, never a Host header's: it decides whose certificate is good. */
async function startTls(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const name = isIP(host) === 0 ? { servername: host.replace(/\.$/, "") } : { host };
  return await ready(connectTls({ socket, ...name, ALPNProtocols: ["http/1.1"] }), "secureConnect", signal);
}

async function ready(
  socket: Socket,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
): Promise<Socket> {
  // An error that comes before undici listens must not end the process; it shows when undici writes.
  socket.on("error", () => undefined);
  try {
    await once(socket, event, { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket;
}
