import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIPv6, type Socket } from "node:net";
import { NotConnected } from "./failure.ts";

/**
 * A connection through the operator's proxy (CONNECT, RFC 9110 9.3.6). The proxy is given an address that has been
 * checked, not the name: were it to look the name up again, it could find another. Throws NotConnected when it won't.
 */
export async function openTunnel(
  proxy: URL,
  to: { addresses: string[]; port: number },
  signal: AbortSignal,
): Promise<Socket> {
  const address = to.addresses[0] ?? "";
  const authority = `${isIPv6(address) ? `[${address}]` : address}:${to.port}`;
  const request = (proxy.protocol === "https:" ? requestHttps : requestHttp)(proxy, {
    method: "CONNECT",
    path: authority,
    agent: false,
    headers: { host: authority, ...authorization(proxy) },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const stop = (): void => void request.destroy(new Error("The time is up"));
  signal.addEventListener("abort", stop, { once: true });
  request.once("error", () => reject(new NotConnected("The configured proxy couldn't be reached")));
  request.once("connect", (response, socket: Socket) => {
    socket.on("error", () => undefined);
    if (response.statusCode === 200) return resolve(socket);
    socket.destroy();
    reject(new NotConnected(`The configured proxy refused to connect (it said ${response.statusCode})`));
  });
  request.end();
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Node takes a URL's user name and password for Authorization, which is for the server behind a proxy. */
function authorization(proxy: URL): Record<string, string> {
  if (proxy.username === "") return {};
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}
