import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import dns from "dns2";
import { PATIENCE_MS } from "./patience.ts";

/** A name server on this machine, and who asks it. */
export interface NameServer extends AsyncDisposable {
  readonly resolver: Resolver;
}

/**
 * Starts a name server. Takes for each name what it leads to; with several lists it leads to the first one when it is
 * asked first, and so on, and stays with the last. It knows no other names. Dispose it to stop it.
 */
export async function startNameServer(
  names: Readonly<Record<string, readonly string[][]>>,
): Promise<NameServer> {
  const asked = new Map<string, number>();
  const server = dns.createUDPServer((request, send) => {
    const response = dns.Packet.createResponseFromRequest(request);
    const [question] = request.questions;
    const answers = question && names[question.name];
    if (question === undefined || answers === undefined) {
      response.header.rcode = 3;
      void send(response);
      return;
    }
    const key = `${question.name} ${question.type}`;
    const times = asked.get(key) ?? 0;
    asked.set(key, times + 1);
    const family = question.type === dns.Packet.TYPE.AAAA;
    for (const address of answers[Math.min(times, answers.length - 1)] ?? []) {
      if (isIPv6(address) !== family) continue;
      response.answers.push(dns.Packet.createResourceFromQuestion(question, { ttl: 0, address }));
    }
    void send(response);
  });
  await server.listen(0, "127.0.0.1");
  const resolver = new Resolver({ timeout: PATIENCE_MS, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  return {
    resolver,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}
