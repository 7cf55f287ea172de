import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import { promisify } from "node:util";
import { makeCertificates, skipWithoutOpenssl } from "../test/certificates.ts";
import { startNameServer } from "../test/name-server.ts";
import { PATIENCE_MS } from "../test/patience.ts";
import { findClosedPort, startReceiver, startSilentReceiver } from "../test/receiver.ts";
import { Outgoing } from "./outgoing.ts";

const ITSELF = ["127.0.0.0/8"];
const skip = skipWithoutOpenssl;
const PROGRAM = `
  const { Outgoing } = await import(process.argv[1]);
  await using outgoing = new Outgoing({ allowsHttp: true, allowedNetworks: ["127.0.0.0/8"] });
  const posted = await outgoing.post({ url: process.argv[2], headers: {}, body: "" });
  console.log(JSON.stringify(posted));
`;

test("the variables that name a proxy for other programs are not obeyed", async () => {
  await using receiver = await startReceiver();
  await using proxy = await startReceiver();
  const names = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  const variables = Object.fromEntries(names.map((name) => [name, proxy.url]));
  const env = { ...variables, NODE_USE_ENV_PROXY: "1", NO_PROXY: "", no_proxy: "" };
  const module = new URL("outgoing.ts", import.meta.url).href;
  const run = (program: string): Promise<{ stdout: string }> =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, module, receiver.url], {
      env,
    });
  const posted: unknown = JSON.parse((await run(PROGRAM)).stdout);
  assert.equal(typeof posted === "object" && posted !== null && "status" in posted && posted.status, 200);
  assert.deepEqual([receiver.connections, proxy.connections], [1, 0]);
  // The variables do name a proxy: whoever obeys them asks it.
  await run("(await import('node:http')).get(process.argv[2], (response) => response.resume())");
  assert.deepEqual([receiver.connections, proxy.connections], [1, 1]);
});

test("the proxy that is configured gets the address that was checked", { skip }, async () => {
  const { authority, good } = makeCertificates("receiver.test");
  setDefaultCACertificates([authority]);
  await using nameServer = await startNameServer({
    "receiver.test": [["127.0.0.1"]],
    "intranet.test": [["10.0.0.1"]],
  });
  await using proxy = await startProxy();
  await using plain = await startReceiver();
  await using secure = await startReceiver({ certificate: good });
  const policy = {
    allowsHttp: true,
    allowedNetworks: ITSELF,
    proxyUrl: `http://me:p%40ss@127.0.0.1:${proxy.port}`,
  };
  await using outgoing = new Outgoing(policy, { limitMs: PATIENCE_MS, resolver: nameServer.resolver });
  const post = async (url: string): Promise<number | string> => {
    const posted = await outgoing.post({ url, headers: {}, body: "{}" });
    return posted.kind === "answered" ? posted.status : posted.reason;
  };
  assert.equal(await post(`http://receiver.test:${plain.port}/`), 200);
  assert.equal(await post(`https://receiver.test:${secure.port}/`), 200);
  assert.match(String(await post("http://intranet.test/")), /^intranet\.test leads to 10\.0\.0\.1/);
  const closed = `127.0.0.1:${await findClosedPort()}`;
  assert.equal(await post(`http://${closed}/`), "The configured proxy refused to connect (it said 502)");
  const asked = [`127.0.0.1:${plain.port}`, `127.0.0.1:${secure.port}`, closed];
  assert.deepEqual(
    proxy.asked,
    asked.map((to) => `${to} Basic ${Buffer.from("me:p@ss").toString("base64")}`),
  );
  assert.deepEqual([plain.received.length, secure.received.length], [1, 1]);
});

test("a proxy that is down or silent leaves why", async () => {
  await using rude = await startSilentReceiver((socket) => void socket.end());
  await using silent = await startSilentReceiver((socket) => void socket.resume());
  const closed = await findClosedPort();
  const cases = [
    { port: closed, told: "The configured proxy couldn't be reached", limitMs: PATIENCE_MS },
    { port: rude.port, told: "The configured proxy couldn't be reached", limitMs: PATIENCE_MS },
    { port: silent.port, told: "No connection within 0.3 seconds", limitMs: 300 },
  ];
  for (const { port, told, limitMs } of cases) {
    const policy = { allowsHttp: true, allowedNetworks: ITSELF, proxyUrl: `http://127.0.0.1:${port}` };
    await using outgoing = new Outgoing(policy, { limitMs });
    const posted = await outgoing.post({ url: `http://127.0.0.1:${closed}/`, headers: {}, body: "" });
    assert.equal(posted.kind === "failed" && posted.reason, told);
  }
});

/** A proxy that connects to whatever it is asked for, and keeps what that was. */
async function startProxy(): Promise<AsyncDisposable & { port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer();
  server.on("connect", (request, socket) => {
    asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
    const to = new URL(`http://${request.url}/`);
    const through = connect(Number(to.port || 80), to.hostname);
    socket.on("error", () => through.destroy()).on("close", () => through.destroy());
    through.on("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    through.once("connect", () => {
      socket.write("HTTP/1.1 200 Connected\r\n\r\n");
      socket.pipe(through).pipe(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    asked,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}
