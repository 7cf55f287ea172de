import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { startNameServer } from "../test/name-server.ts";
import { PATIENCE_MS } from "../test/patience.ts";
import { startReceiver } from "../test/receiver.ts";
import { whyForbidden } from "./address.ts";
import type { Posted } from "./exchange.ts";
import { Outgoing } from "./outgoing.ts";
import { resolveChecked } from "./resolve.ts";

const HAS_IPV6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);
/** All that leads to this machine. */
const EVERYWHERE = HAS_IPV6 ? "::" : "0.0.0.0";
const CLOSED = { allowsHttp: true, allowedNetworks: [] };
const OPEN_TO_ITSELF = { allowsHttp: true, allowedNetworks: ["127.0.0.0/8", "::1/128"] };

/** Hosts that lead to this machine, to its network or to a cloud's metadata, in all the ways to write them. */
const HOSTS_WRITTEN = `
  127.0.0.1 127.0.0.1. 127.1 127.0.1 127.255.255.254 127.0.0.2 0 0.0.0.0 0.1.2.3 2130706433 017700000001
  0x7f000001 0x7F.0.0.1 0x7f.1 0177.0.0.1 0177.0x0.0.1 0177.0.1 00000177.0.0.1 0x000000007f.1 127.0x0.0.0x1
  3232235521 0xa9fea9fe 2852039166 0251.0376.0251.0376 １２７.０.０.１ ①②⑦.0.0.1 127。0。0。1 127．0．0．1 １２７｡0｡0｡1
  %31%32%37.0.0.1 127%2e0.0.1 localhost LOCALHOST localhost. a.localhost a.b.localhost. ⓛocalhost loc%61lhost
  ｌｏｃａｌｈｏｓｔ 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 169.254.169.254
  169.254.1.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 198.18.0.1 192.0.0.1 192.0.2.1 198.51.100.1
  203.0.113.1 192.88.99.1 100.100.100.200 192.0.0.192 168.63.129.16 [::1] [0:0:0:0:0:0:0:1]
  [0000:0000:0000:0000:0000:0000:0000:0001] [::0.0.0.1] [::] [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:7f00:1]
  [::FFFF:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:0:127.0.0.1] [::ffff:10.0.0.1] [::ffff:a9fe:a9fe]
  [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:a00:1::1]
  [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:db8::1] [3fff::1] [fe80::1] [febf::1] [fec0::1] [fc00::1]
  [fd00:ec2::254] [fdff::1] [ff02::1] [100::1] [2001:10::1] [2001:20::1] [2001:2::1] [5f00::1] [4000::1]
  [2a01:4f8::5efe:7f00:1] [2a01:4f8::200:5efe:10.0.0.1] [fe80::1%25lo] [::1%25lo] [::1%lo] [127.0.0.1]
  [v1.127.0.0.1]
`
  .trim()
  .split(/\s+/);

/** Names that anybody can have lead anywhere, as 127.0.0.1.nip.io does. */
const NAMES = {
  "127.0.0.1.nip.test": [["127.0.0.1"]],
  "spoofed.test": [["::1"]],
  "nothing.test": [["0.0.0.0"]],
  "mapped.test": [["::ffff:127.0.0.1"]],
  "translated.test": [["64:ff9b::7f00:1"]],
  "metadata.google.internal": [["169.254.169.254"]],
  "intranet.test": [["10.0.0.1"]],
  "half.test": [["93.184.216.34", "127.0.0.1"]],
  "other-half.test": [["2606:4700::1111", "127.0.0.1"]],
  "xn--bcher-kva.test": [["127.0.0.1"]],
};
const HOSTS_NAMED = [...Object.keys(NAMES), "bücher.test", "SPOOFED.test", "spoofed%2Etest", "spoofed。test"];

const NOT_SENT =
  /only addresses of the public internet are let through$|^The address must (not lead to|have a valid host)/;

test("no way to write an address of this machine or its network gets a connection", async () => {
  await using nameServer = await startNameServer(NAMES);
  await using canary = await startReceiver({ host: EVERYWHERE });
  await using outgoing = new Outgoing(CLOSED, { limitMs: PATIENCE_MS, resolver: nameServer.resolver });
  const hosts = [...HOSTS_WRITTEN, ...HOSTS_NAMED];
  assert.ok(new Set(hosts).size >= 100);
  for (const host of hosts) {
    const posted = await outgoing.post({ url: `http://${host}:${canary.port}/`, headers: {}, body: "{}" });
    assert.ok(posted.kind === "failed" && posted.is_refused_address, `${host}: ${JSON.stringify(posted)}`);
    assert.match(posted.reason, NOT_SENT);
  }
  assert.equal(canary.connections, 0);
});

test("the canary sings when its network is let through", async () => {
  await using nameServer = await startNameServer(NAMES);
  await using canary = await startReceiver({ host: EVERYWHERE });
  await using outgoing = new Outgoing(OPEN_TO_ITSELF, {
    limitMs: PATIENCE_MS,
    resolver: nameServer.resolver,
  });
  const hosts = [
    "127.0.0.1",
    "2130706433",
    "[::ffff:127.0.0.1]",
    "localhost",
    "bücher.test",
    ...(HAS_IPV6 ? ["[::1]", "spoofed.test"] : []),
  ];
  for (const host of hosts) {
    const posted = await outgoing.post({ url: `http://${host}:${canary.port}/`, headers: {}, body: "{}" });
    assert.equal(posted.kind, "answered", `${host}: ${JSON.stringify(posted)}`);
  }
  assert.equal(canary.received.length, hosts.length);
  const private10 = await outgoing.post({ url: "http://intranet.test/", headers: {}, body: "{}" });
  assert.deepEqual(withoutDuration(private10), {
    kind: "failed",
    reason:
      "intranet.test leads to 10.0.0.1, an address in a private network: only addresses of the public internet are let through",
    is_refused_address: true,
  });
});

test("a name that turns from a public address to this machine is refused when it is asked again", async () => {
  await using nameServer = await startNameServer({ "turning.test": [["93.184.216.34"], ["127.0.0.1"]] });
  await using canary = await startReceiver();
  await using outgoing = new Outgoing(CLOSED, { limitMs: PATIENCE_MS, resolver: nameServer.resolver });
  // Only looked up, as a test sends nothing to the machines of others.
  assert.deepEqual(await resolveChecked("turning.test", CLOSED, nameServer.resolver), ["93.184.216.34"]);
  const posted = await outgoing.post({ url: `http://turning.test:${canary.port}/`, headers: {}, body: "{}" });
  assert.deepEqual(withoutDuration(posted), {
    kind: "failed",
    reason:
      "turning.test leads to 127.0.0.1, a loopback address: only addresses of the public internet are let through",
    is_refused_address: true,
  });
  assert.equal(canary.connections, 0);
});

test("a name is looked up once for a connection, which goes to what was checked", async () => {
  // 127.0.0.2 is let through and 127.0.0.1 isn't: who looks the name up a second time lands at the canary.
  const policy = { allowsHttp: true, allowedNetworks: ["127.0.0.2/32"] };
  await using nameServer = await startNameServer({ "turning.test": [["127.0.0.2"], ["127.0.0.1"]] });
  await using canary = await startReceiver({ host: "127.0.0.1" });
  await using outgoing = new Outgoing(policy, { limitMs: PATIENCE_MS, resolver: nameServer.resolver });
  const message = { url: `http://turning.test:${canary.port}/`, headers: {}, body: "{}" };
  const first = await outgoing.post(message);
  assert.deepEqual(withoutDuration(first), {
    kind: "failed",
    reason: "The connection was refused",
    is_refused_address: false,
  });
  const second = await outgoing.post(message);
  assert.equal(second.kind === "failed" && second.is_refused_address, true);
  assert.equal(canary.connections, 0);
});

test("an open connection is used again, and a new one is checked again", async () => {
  const policy = { allowsHttp: true, allowedNetworks: ["127.0.0.2/32"] };
  await using nameServer = await startNameServer({ "turning.test": [["127.0.0.2"], ["127.0.0.1"]] });
  await using receiver = await startReceiver({ host: "127.0.0.2" });
  await using outgoing = new Outgoing(policy, { limitMs: PATIENCE_MS, resolver: nameServer.resolver });
  const message = { url: `http://turning.test:${receiver.port}/`, headers: {}, body: "{}" };
  for (const _ of [1, 2, 3]) {
    assert.equal((await outgoing.post(message)).kind, "answered");
    await setImmediate();
  }
  assert.equal(receiver.connections, 1);
  const otherLane = await outgoing.post({ ...message, lane: "another" });
  assert.equal(otherLane.kind === "failed" && otherLane.is_refused_address, true);
  assert.equal(receiver.connections, 1);
});

test("addresses of the public internet are let through, also inside IPv6 forms", () => {
  const addresses = [
    "8.8.8.8",
    "1.1.1.1",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "2a01:4f8::1",
    "::ffff:8.8.8.8",
  ];
  for (const address of [...addresses, "64:ff9b::808:808"])
    assert.equal(whyForbidden(address, CLOSED), undefined, address);
  const allowed = { allowsHttp: false, allowedNetworks: ["10.1.0.0/16", "fd00::/8"] };
  assert.equal(whyForbidden("10.1.2.3", allowed), undefined);
  assert.equal(whyForbidden("::ffff:10.1.2.3", allowed), undefined);
  assert.equal(whyForbidden("fd12::1", allowed), undefined);
  assert.equal(whyForbidden("10.2.0.1", allowed), "an address in a private network");
  assert.equal(whyForbidden("fe80::1", allowed), "a link-local address");
});

function withoutDuration(posted: Posted): Omit<Posted, "duration_ms"> {
  const { duration_ms: _, ...rest } = posted;
  return rest;
}
