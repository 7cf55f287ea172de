import assert from "node:assert/strict";
import { test } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import { makeCertificates, skipWithoutOpenssl } from "../test/certificates.ts";
import { startNameServer } from "../test/name-server.ts";
import { PATIENCE_MS } from "../test/patience.ts";
import { startReceiver, startSilentReceiver } from "../test/receiver.ts";
import { Outgoing } from "./outgoing.ts";

const POLICY = { allowsHttp: false, allowedNetworks: ["127.0.0.0/8"] };
const NAMES = { "receiver.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]] };
const skip = skipWithoutOpenssl;

test("a certificate that doesn't vouch for the name leaves why, and nothing is sent", { skip }, async () => {
  const { authority, good, expired, selfSigned } = makeCertificates("receiver.test");
  setDefaultCACertificates([authority]);
  const stranger = makeCertificates("receiver.test").good;
  await using nameServer = await startNameServer(NAMES);
  await using outgoing = new Outgoing(POLICY, { limitMs: PATIENCE_MS, resolver: nameServer.resolver });
  const cases = [
    { certificate: good, host: "receiver.test", told: "200" },
    { certificate: good, host: "RECEIVER.test.", told: "200" },
    { certificate: good, host: "other.test", told: "The certificate is for another name than other.test" },
    { certificate: good, host: "127.0.0.1", told: "The certificate is for another name than 127.0.0.1" },
    { certificate: expired, host: "receiver.test", told: "The certificate has expired" },
    {
      certificate: selfSigned,
      host: "receiver.test",
      told: "The certificate is self-signed, so no known authority vouches for it",
    },
    {
      certificate: stranger,
      host: "receiver.test",
      told: "The certificate can't be verified: the server doesn't send the certificates between its own and a known authority's",
    },
  ];
  for (const { certificate, host, told } of cases) {
    await using receiver = await startReceiver({ certificate });
    const posted = await outgoing.post({ url: `https://${host}:${receiver.port}/`, headers: {}, body: "{}" });
    assert.equal(posted.kind === "failed" ? posted.reason : String(posted.status), told);
    assert.equal(receiver.received.length, told === "200" ? 1 : 0);
  }
});

test("a server that doesn't speak TLS, or stops while it begins, leaves why", async () => {
  await using nameServer = await startNameServer(NAMES);
  await using plain = await startReceiver();
  await using silent = await startSilentReceiver((socket) => void socket.resume());
  await using closing = await startSilentReceiver((socket) => void socket.once("data", () => socket.end()));
  const cases = [
    {
      port: plain.port,
      told: "No TLS is spoken there: the address may have to begin with http://, or name another port",
      limitMs: PATIENCE_MS,
    },
    { port: silent.port, told: "No connection within 0.2 seconds", limitMs: 200 },
    {
      port: closing.port,
      told: "The connection was closed before an answer came",
      limitMs: PATIENCE_MS,
    },
  ];
  for (const { port, told, limitMs } of cases) {
    await using outgoing = new Outgoing(POLICY, { limitMs, resolver: nameServer.resolver });
    const posted = await outgoing.post({ url: `https://receiver.test:${port}/`, headers: {}, body: "{}" });
    assert.equal(posted.kind === "failed" && posted.reason, told);
  }
});
