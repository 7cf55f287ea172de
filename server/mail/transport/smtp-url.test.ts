import assert from "node:assert/strict";
import { lookup } from "node:dns/promises";
import { test } from "node:test";
import { makeCertificates, skipWithoutOpenssl } from "../../test/certificates.ts";
import { letterWith } from "../../test/letters.ts";
import { startMailServer } from "../../test/mail-server.ts";
import { makeTransport } from "./transport.ts";

const nothing = () => Promise.resolve();
const folder = "/nowhere";
const skip = skipWithoutOpenssl;

/** Sends to a mail server that must not be handed anything, and gives the reason. */
async function reasonFrom(url: string): Promise<string> {
  await using transport = makeTransport({ smtpUrl: url, folder });
  const outcome = await transport.send(letterWith(), () => assert.fail("nothing may be handed over"));
  assert.equal(outcome.kind, "try_again", JSON.stringify(outcome));
  return outcome.kind === "try_again" ? outcome.reason : "";
}

test("a wrong password and a missing server are the configuration's fault, not the mail's", async () => {
  await using server = await startMailServer({
    authOptional: false,
    onAuth: ({ username, password }, _session, done) =>
      username === "ada" && password === "p@ss:word" ? done(null, { user: "ada" }) : done(new Error("Wrong")),
  });
  const host = `127.0.0.1:${server.port}`;
  const refused = /did not accept the user name and password of SMTP_URL: "5\d\d .*Correct SMTP_URL\.$/;
  assert.match(await reasonFrom(`smtp://ada:wrong@${host}`), refused);
  assert.match(await reasonFrom(server.url), refused);
  await using signedIn = makeTransport({ smtpUrl: `smtp://ada:p%40ss%3Aword@${host}`, folder });
  assert.equal((await signedIn.send(letterWith(), nothing)).kind, "sent");
  await server[Symbol.asyncDispose]();
  assert.match(await reasonFrom(server.url), /can't be reached.*ECONNREFUSED/);

  await using open = await startMailServer({ disabledCommands: ["AUTH"] });
  assert.match(
    await reasonFrom(`smtp://ada:secret@127.0.0.1:${open.port}`),
    /Correct SMTP_URL: the mail server takes no user name and password\.$/,
  );
});

test(
  "encryption is used where it is offered, and only with a certificate that is trusted",
  { skip },
  async () => {
    // By name, as certificates mostly are, where the name leads to the address that the server listens on.
    const known = await lookup("localhost", { all: true }).catch(() => []);
    const host = known.some(({ address }) => address === "127.0.0.1") ? "localhost" : "127.0.0.1";
    const { authority, good, expired, selfSigned } = makeCertificates(host);
    for (const kind of [{ hideSTARTTLS: false }, { secure: true }]) {
      for (const [certificate, reason] of [
        [selfSigned, /certificate is not trusted: self-signed certificate/],
        [expired, /certificate is not trusted: /],
        [good, /certificate is not trusted: unable to verify/],
      ] as const) {
        await using server = await startMailServer({ ...kind, ...certificate });
        assert.match(await reasonFrom(server.url), reason);
        assert.equal(server.dots, 0);
      }
      await using server = await startMailServer({ ...kind, ...good });
      const url = server.url.replace("127.0.0.1", host);
      await using trusting = makeTransport({
        smtpUrl: `${url}?tls.ca=${encodeURIComponent(authority)}`,
        folder,
      });
      assert.deepEqual(await trusting.send(letterWith(), nothing), { kind: "sent", answer: "250 Taken" });
      assert.equal(server.mails[0]?.encrypted, true);
    }
  },
);

test("a password goes to another machine only encrypted, unless the URL says otherwise", async () => {
  const passwords: string[] = [];
  await using server = await startMailServer({
    disabledCommands: ["STARTTLS"],
    onAuth: ({ password }, _session, done) => {
      passwords.push(password ?? "");
      done(null, { user: "ada" });
    },
  });
  // Not a loopback address by its name, and yet this machine.
  const elsewhere = `smtp://ada:secret@0.0.0.0:${server.port}`;
  assert.match(
    await reasonFrom(elsewhere),
    /did not agree to encrypt: ".*Add \?requireTLS=false to SMTP_URL if/,
  );
  assert.deepEqual(passwords, []);
  await using told = makeTransport({ smtpUrl: `${elsewhere}?requireTLS=false`, folder });
  assert.equal((await told.send(letterWith(), nothing)).kind, "sent");
  assert.deepEqual(passwords, ["secret"]);
});

test("a URL that names no mail server is said at once", () => {
  for (const smtpUrl of ["mail.example.com", "http://mail.example.com", "smtp://", "smtp:mail"])
    assert.throws(() => makeTransport({ smtpUrl, folder }), /SMTP_URL must look like/);
});
