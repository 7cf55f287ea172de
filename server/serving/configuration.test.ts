import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { skipWithoutOpenssl } from "../test/certificates.ts";
import { createTestDatabase, type TestDatabase } from "../test/database.ts";
import { runCommand, startLectern } from "../test/lectern.ts";
import { startServer } from "../test/server.ts";

let folder: string;
let database: TestDatabase;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "lectern-tls-"));
  database = await createTestDatabase();
});
after(async () => {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test("each wrong value is one line that names its variable, before anything starts", async () => {
  const DATA_DIR = join(folder, "never made");
  const wrong = {
    HOST: "example",
    PORT: "65536",
    WORKERS: "0",
    DATABASE_URL: "mysql://x",
    DATABASE_POOLING: "some",
    TRUSTED_PROXIES: "10.0.0.0/33",
    LOG_LEVEL: "loud",
    TLS_CERT_FILE: "cert.pem",
  };
  const { code, stdout, stderr } = await runCommand({ DATA_DIR, ...wrong }, ["start"]);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
  const lines = stderr.trimEnd().split("\n");
  assert.equal(lines.length, Object.keys(wrong).length, stderr);
  for (const name of Object.keys(wrong))
    assert.equal(lines.filter((line) => line.includes(name)).length, 1, stderr);
  assert.equal(existsSync(DATA_DIR), false);
});

test("a database that is away is said", async () => {
  const DATABASE_URL = "postgres://nobody:secret@127.0.0.1:1/none";
  for (const command of ["start", "migrate"]) {
    const { code, stderr } = await runCommand({ DATABASE_URL, PORT: "0" }, [command]);
    assert.equal(code, 1);
    assert.match(stderr, /^lectern: The database can't be reached: .+ECONNREFUSED/);
    assert.ok(!stderr.includes("secret"), stderr);
  }
});

test("an address that is open to other machines needs TLS, or the operator's word", async () => {
  const DATA_DIR = join(folder, "never made");
  const { code, stderr } = await runCommand({ DATA_DIR, HOST: "0.0.0.0", PORT: "0" }, ["start"]);
  assert.equal(code, 1);
  assert.match(stderr, /^lectern: HOST=0\.0\.0\.0 .+TLS_CERT_FILE.+TRUSTED_PROXIES.+ALLOW_PLAIN_HTTP/);
  assert.equal(existsSync(DATA_DIR), false);
  await using told = await startLectern({
    DATABASE_URL: database.ownerUrl,
    HOST: "0.0.0.0",
    ALLOW_PLAIN_HTTP: "true",
  });
  assert.match(told.address, /^http:\/\/0\.0\.0\.0:\d+$/);
});

test("a plain request from elsewhere is refused, with or without a key; one that a trusted proxy got by TLS is not", async () => {
  await using lectern = await startServer({ allowPlainHttp: false, trustedProxies: ["10.0.0.1"] });
  const ask = (remoteAddress: string, headers: Record<string, string>) =>
    lectern.acme.request({ method: "GET", url: "/api/v1/ping", remoteAddress, headers });
  const plain = await ask("10.0.0.2", {});
  assert.deepEqual(plain.body, {
    type: "error",
    status: 403,
    error: "Forbidden",
    message: "Use HTTPS. The key that was just sent could be read: make a new one",
    request_id: plain.body.request_id,
  });
  const secure = { "x-forwarded-proto": "https" };
  assert.equal((await ask("10.0.0.2", secure)).status, 403);
  assert.equal((await ask("10.0.0.1", secure)).status, 200);
  assert.equal((await ask("10.0.0.1", { "x-forwarded-proto": "http" })).status, 403);
  assert.equal((await ask("10.0.0.1", { ...secure, authorization: "" })).status, 401);
});

test("with a certificate it speaks HTTPS and nothing else", { skip: skipWithoutOpenssl }, async () => {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  makeCertificate(cert, key);
  const settings = { DATABASE_URL: database.ownerUrl, TLS_CERT_FILE: cert, TLS_KEY_FILE: key };
  await using lectern = await startLectern(settings);
  assert.match(lectern.address, /^https:\/\/127\.0\.0\.1:\d+$/);
  assert.deepEqual(await getUnverified(`${lectern.address}/healthz`), '{"status":"ok"}');
  await assert.rejects(fetch(lectern.address.replace("https", "http")));
  assert.equal(await lectern.stop(), 0);

  const mixed = await runCommand({ ...settings, TLS_KEY_FILE: cert }, ["serve"]);
  assert.equal(mixed.code, 1);
  assert.match(mixed.stderr, /^lectern: TLS_CERT_FILE and TLS_KEY_FILE can't be used together: .+\n$/);
  const missing = await runCommand({ ...settings, TLS_KEY_FILE: join(folder, "none.pem") }, ["serve"]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /^lectern: TLS_KEY_FILE=\S+none\.pem can't be read: .+ENOENT/);
});

function makeCertificate(cert: string, key: string): void {
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  const words = [
    "req",
    "-x509",
    ...curve,
    "-nodes",
    "-days",
    "1",
    "-subj",
    "/CN=localhost",
    "-keyout",
    key,
    "-out",
    cert,
  ];
  // Node can't make a certificate; Debian has the program that can.
  execFileSync("openssl", words, { stdio: "ignore" });
}

/** Nobody has signed the certificate of the test. */
async function getUnverified(url: string): Promise<string> {
  const asked = request(url, { rejectUnauthorized: false }).end();
  const [answer]: IncomingMessage[] = await once(asked, "response");
  return answer === undefined ? "" : text(answer);
}
