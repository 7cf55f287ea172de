import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "./config.ts";

const smtp = { SMTP_URL: "smtp://mail.example.com:587" };

test("mails come from the address that is set, or from the service's public name", () => {
  for (const [given, sender] of [
    [{ ...smtp, MAIL_FROM: "lms@example.com", PUBLIC_URL: "https://learn.acme.com" }, "lms@example.com"],
    [{ ...smtp, MAIL_FROM: "lms@localhost" }, "lms@localhost"],
    [{ ...smtp, PUBLIC_URL: "https://learn.acme.com:8443/app" }, "notifications@learn.acme.com"],
    [{ ...smtp, PUBLIC_URL: "https://{subdomain}.acme.com" }, "notifications@acme.com"],
    [{ ...smtp, PUBLIC_URL: "https://acme.com/{subdomain}" }, "notifications@acme.com"],
    [{}, "notifications@localhost"],
    [smtp, "notifications@localhost"],
    ...[
      "http://localhost:4000",
      "http://10.0.0.1",
      "http://[::1]:4000",
      "http://lms",
      "https://lms.local",
      "https://lms.internal",
      "https://learn.example",
    ].map((PUBLIC_URL) => [{ ...smtp, PUBLIC_URL }, "notifications@localhost"] as const),
  ] as const)
    assert.equal(readConfig(given).mailFrom, sender, JSON.stringify(given));
});

test("a mail server without a name is refused before anything starts, and no password is shown", () => {
  for (const [SMTP_URL, problem] of [
    ["smtp://", "SMTP_URL: must name a mail server, such as smtps://user:password@smtp.example.com"],
    ["smtp:///path", "SMTP_URL: must name a mail server, such as smtps://user:password@smtp.example.com"],
    [
      "http://mail:verysecret@example.com",
      "SMTP_URL: must be an address that begins with smtp:// or smtps://",
    ],
  ] as const) {
    assert.throws(() => readConfig({ SMTP_URL }), { message: problem });
  }
});
