import assert from "node:assert/strict";
import { test } from "node:test";
import { startReceiver } from "../test/receiver.ts";
import { Outgoing } from "../webhooks/outgoing.ts";
import { outgoingPolicy } from "./outgoing-policy.ts";

const loopback = ["127.0.0.0/8", "::1/128"];
const none = { trustedProxies: [], webhookAllowedNetworks: [], webhookProxyUrl: undefined };

test("a server that only its own machine reaches may reach that machine; others need https and public addresses", () => {
  const home = { allowsHttp: true, allowedNetworks: loopback };
  const away = { allowsHttp: false, allowedNetworks: [] };
  const cases: [string, string | undefined, object][] = [
    ["127.0.0.1", "http://127.0.0.1:3000", home],
    ["::1", "http://localhost:8080", home],
    ["127.0.0.1", "http://{subdomain}.localhost:8080", home],
    ["127.0.0.1", "http://[::1]:8080", home],
    ["127.0.0.1", "https://lectern.example.com", away],
    ["127.0.0.1", "https://{subdomain}.example.com", away],
    // What does the jobs alone listens nowhere, so it can't know.
    ["127.0.0.1", undefined, away],
    ["0.0.0.0", "http://0.0.0.0:3000", away],
    ["::", "http://localhost", away],
  ];
  for (const [host, publicUrl, policy] of cases) {
    assert.deepEqual(outgoingPolicy({ ...none, host, publicUrl }), policy, `${host} ${publicUrl}`);
  }
  const proxied = { host: "127.0.0.1", publicUrl: "http://127.0.0.1:3000", trustedProxies: ["127.0.0.1"] };
  assert.deepEqual(outgoingPolicy({ ...none, ...proxied }), away);
});

test("networks that are configured are let through, and they alone by plain http", async () => {
  const policy = outgoingPolicy({
    host: "0.0.0.0",
    publicUrl: "https://lectern.example.com",
    trustedProxies: [],
    webhookAllowedNetworks: ["127.0.0.2", "10.1.0.0/16", "fd00::1"],
    webhookProxyUrl: "http://proxy.example.com:3128",
  });
  assert.deepEqual(policy, {
    allowsHttp: "to allowed networks",
    allowedNetworks: ["127.0.0.2/32", "10.1.0.0/16", "fd00::1/128"],
    proxyUrl: "http://proxy.example.com:3128",
  });
  await using receiver = await startReceiver({ host: "127.0.0.2" });
  const { proxyUrl: _proxy, ...direct } = policy;
  await using outgoing = new Outgoing(direct);
  const post = (url: string) => outgoing.post({ url, headers: {}, body: "{}" });
  const let_through = await post(`http://127.0.0.2:${receiver.port}/`);
  assert.equal(let_through.kind, "answered");
  const refused = await post("http://93.184.215.14/");
  assert.deepEqual(refused.kind === "failed" && [refused.is_refused_address, refused.reason], [
    true,
    "93.184.215.14 is reached by https alone: plain http is let through to the networks that are allowed by name",
  ]);
});
