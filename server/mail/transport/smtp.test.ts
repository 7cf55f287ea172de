import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { letterWith } from "../../test/letters.ts";
import {
  startMailServer,
  type Behaviour,
  type MailManner,
  type MailMoment,
  type MailServer,
} from "../../test/mail-server.ts";
import { pause, withLonger } from "../../test/patience.ts";
import { readMail } from "../../test/read-mail.ts";
import type { MailTransport } from "./outcome.ts";
import type { SmtpLimits } from "./smtp.ts";
import { makeTransport } from "./transport.ts";

function transportTo(server: Pick<MailServer, "url">, limitMs: Partial<SmtpLimits> = {}): MailTransport {
  return makeTransport({ smtpUrl: server.url, folder: "/nowhere", limitMs });
}

/** How long is waited for a slow server, from a time after which it is quick to one that is enough for the slowest machine. */
const SLOW_MS = [250, 2_000, 10_000];

const nothing = () => Promise.resolve();

/** More than the operating system keeps for a receiver, so that the sender sees what happens in the middle. */
const bigLetter = letterWith({ html: "<p>Line after line.</p>\n".repeat(100_000) });

test("a mail arrives once, whole, and can be accepted only after the commit", async () => {
  await using server = await startMailServer();
  await using transport = transportTo(server);
  const seen: number[] = [];
  const outcome = await transport.send(letterWith(), async () => {
    await delay(60);
    seen.push(server.dots, server.mails.length);
  });
  assert.deepEqual(outcome, { kind: "sent", answer: "250 Taken" });
  assert.deepEqual(seen, [0, 0]);
  assert.equal(server.mails.length, 1);
  const { raw, ...envelope } = server.mails[0] ?? assert.fail("no mail arrived");
  assert.deepEqual(envelope, {
    from: "no-reply@example.com",
    to: ["ada@example.com"],
    encrypted: false,
    connection: 1,
  });
  const { headers, text, html } = readMail(raw);
  assert.deepEqual(
    headers.map(([name, value]) => [name, name === "content-type" ? value.split(";")[0] : value]),
    [
      ["auto-submitted", "auto-generated"],
      ["x-auto-response-suppress", "All"],
      ["list-unsubscribe", "<https://lectern.example.com/mail/off/x>"],
      ["list-unsubscribe-post", "List-Unsubscribe=One-Click"],
      ["content-language", "en"],
      ["from", "Acme <no-reply@example.com>"],
      ["to", "Ada Lovelace <ada@example.com>"],
      ["subject", "A new lesson: Fire safety"],
      ["message-id", "<assigned.7.41@lectern.example.com>"],
      ["date", "Sat, 21 Nov 2026 09:00:00 +0000"],
      ["mime-version", "1.0"],
      ["content-type", "multipart/alternative"],
    ],
  );
  assert.equal(text, letterWith().text.replaceAll("\n", "\r\n"));
  assert.equal(html, letterWith().html.replaceAll("\n", "\r\n"));
});

type Refusal = readonly [
  moment: MailMoment,
  answer: MailManner,
  kind: string,
  reason: RegExp,
  commits: number,
];

const refusals: readonly Refusal[] = [
  ["connect", "421 4.3.2 Too busy", "try_again", /asked to try later: "421 4\.3\.2 Too busy"/, 0],
  ["connect", "554 5.7.1 No service for you", "try_again", /takes no mail from here.*Check SMTP_URL/, 0],
  ["connect", "cut", "try_again", /can't be reached, or ended the connection/, 0],
  ["mail", "451 4.7.1 Later", "try_again", /asked to try later/, 0],
  ["mail", "550 5.7.1 Not your address", "try_again", /refused the sender.*Check MAIL_FROM/, 0],
  ["mail", "552 5.3.4 Too big", "refused", /refused this mail: "552/, 0],
  ["mail", "530 5.7.0 Authentication required", "try_again", /user name and password of SMTP_URL/, 0],
  ["rcpt", "450 4.2.1 Greylisted", "try_again", /"450 4\.2\.1 Greylisted"/, 0],
  [
    "rcpt",
    "550 5.1.1 No such user",
    "address_refused",
    /does not take mail for this address: "550 5\.1\.1 No such/,
    0,
  ],
  ["rcpt", "550 No such user here", "address_refused", /"550 No such user here"/, 0],
  ["rcpt", "552 5.2.2 Mailbox full", "address_refused", /Mailbox full/, 0],
  ["rcpt", "554 5.7.1 Relay access denied", "try_again", /refused to pass this mail on.*Check SMTP_URL/, 0],
  ["rcpt", "550 relay not permitted", "try_again", /relay not permitted/, 0],
  ["rcpt", "550 5.1.8 Bad sender's domain", "try_again", /Check SMTP_URL and MAIL_FROM/, 0],
  ["rcpt", "550 5.2.252 SendAsDenied", "try_again", /Check SMTP_URL and MAIL_FROM/, 0],
  ["rcpt", "553 Sender address rejected: not owned by user svc", "try_again", /not owned by user svc/, 0],
  ["rcpt", "550 You must authenticate first", "try_again", /Check SMTP_URL and MAIL_FROM/, 0],
  ["rcpt", "552 5.3.4 Too big", "refused", /Too big/, 0],
  ["rcpt", "cut", "try_again", /ended the connection/, 0],
  ["dot", "451 4.3.0 Disk full", "try_again", /Disk full/, 1],
  ["dot", "421 4.3.2 Going down", "try_again", /Going down/, 1],
  ["dot", "552 5.3.4 Too big", "refused", /refused this mail: "552 5\.3\.4 Too big"/, 1],
  ["dot", "554 This is spam", "refused", /This is spam/, 1],
  ["dot", "550 5.7.26 The sender is unauthenticated", "try_again", /Check SMTP_URL and MAIL_FROM/, 1],
  ["dot", "554 5.2.252 SendAsDenied; svc not allowed to send as notify", "try_again", /SendAsDenied/, 1],
  ["dot", "554 Message rejected: Email address is not verified.", "try_again", /not verified/, 1],
  ["dot", "550 5.1.1 No such user", "address_refused", /does not take mail for this address/, 1],
  ["dot", "550 5.2.1 Mailbox disabled", "address_refused", /Mailbox disabled/, 1],
  ["dot", "cut", "unsure", /after the mail was handed over.*may or may not/, 1],
  ["dot", "keep_and_cut", "unsure", /after the mail was handed over.*may or may not/, 1],
];

/** One refusal by a server that takes commands in one go (as most do) or one by one. */
async function tryRefusal(hidePIPELINING: boolean, refusal: Refusal): Promise<void> {
  const [moment, answer, kind, reason, commits] = refusal;
  await using server = await startMailServer({ hidePIPELINING });
  await using transport = transportTo(server);
  const label = `${moment}: ${answer}`;
  server.behave = (now) => (now === moment ? answer : "go_on");
  let committed = 0;
  const outcome = await transport.send(letterWith(), async () => void (committed += 1));
  assert.equal(outcome.kind, kind, `${label}: ${JSON.stringify(outcome)}`);
  assert.match("reason" in outcome ? outcome.reason : "", reason, label);
  assert.equal(committed, commits, label);
  assert.equal(server.mails.length, answer === "keep_and_cut" ? 1 : 0, label);
  server.behave = () => "go_on";
  assert.deepEqual(await transport.send(letterWith(), nothing), { kind: "sent", answer: "250 Taken" }, label);
  // A clear refusal costs no new connection; after all else it is not known what the server waits for.
  const clear = (moment === "mail" || moment === "rcpt" || moment === "dot") && /^(?!421)\d/.test(answer);
  assert.equal(server.connections, clear ? 1 : 2, label);
}

test("each way in which a server fails has its outcome, and the next mail goes out", async () => {
  await Promise.all(refusals.map((refusal) => tryRefusal(false, refusal)));
  await Promise.all(refusals.map((refusal) => tryRefusal(true, refusal)));
});

test("what is the server's fault is told from what is one letter's", async () => {
  await using server = await startMailServer();
  await using transport = transportTo(server);
  for (const [moment, answer, fault] of [
    ["connect", "421 4.3.2 Too busy", "server"],
    ["connect", "cut", "server"],
    ["mail", "451 4.7.1 Later", "server"],
    ["mail", "550 5.7.1 Not your address", "server"],
    ["rcpt", "530 5.7.0 Authentication required", "server"],
    ["rcpt", "421 4.7.0 Too many from you", "server"],
    ["rcpt", "450 4.7.1 Greylisted", "letter"],
    ["rcpt", "452 4.2.2 Mailbox full", "letter"],
    ["rcpt", "554 5.7.1 Client host blocked", "either"],
    ["dot", "451 4.3.0 Disk full", "either"],
    ["dot", "421 4.3.2 Going down", "either"],
  ] as const) {
    server.hangUp();
    await pause(10);
    server.behave = (now) => (now === moment ? answer : "go_on");
    const outcome = await transport.send(letterWith(), nothing);
    assert.deepEqual("fault" in outcome && [moment, answer, outcome.fault], [moment, answer, fault]);
  }
});

test("nothing goes to a domain that is reserved for examples, such as that of the demo's people", async () => {
  await using server = await startMailServer();
  await using transport = transportTo(server);
  const to = { name: "Ada", address: "ada@demo.example" };
  const { kind } = await transport.send(letterWith({ to }), nothing);
  assert.equal(kind, "address_refused");
  assert.equal(server.connections, 0);
});

test("a connection lost in the middle of the text is never followed by the last dot", async () => {
  await using server = await startMailServer();
  await using transport = transportTo(server);
  for (const manner of ["cut", "452 4.3.1 Out of space", "552 5.2.2 Over quota"] as const) {
    let committed = 0;
    server.behave = (moment) => (moment === "text" ? manner : "go_on");
    const outcome = await transport.send(bigLetter, async () => void (committed += 1));
    assert.equal(
      outcome.kind,
      manner.startsWith("552") ? "address_refused" : "try_again",
      JSON.stringify(outcome),
    );
    assert.equal(committed, 0);
  }
  await pause(20);
  assert.equal(server.dots, 0);
  server.behave = () => "go_on";
  assert.deepEqual(await transport.send(bigLetter, nothing), { kind: "sent", answer: "250 Taken" });
  const { html } = readMail(server.mails[0]?.raw ?? "");
  assert.equal(html.length, bigLetter.html.length + 100_000);
});

test("a connection lost during the commit, or a commit that fails, sends no dot", async () => {
  await using server = await startMailServer();
  await using transport = transportTo(server);
  let settled = false;
  const lost = await transport.send(letterWith(), async () => {
    server.hangUp();
    await pause(50);
    settled = true;
  });
  assert.equal(lost.kind, "try_again", JSON.stringify(lost));
  assert.ok(settled, "the outcome came before the commit was settled");
  const failing = transport.send(letterWith(), () => Promise.reject(new Error("the database is gone")));
  await assert.rejects(failing, { message: "the database is gone" });
  await pause(20);
  assert.equal(server.dots, 0);
  assert.equal((await transport.send(letterWith(), nothing)).kind, "sent");
  assert.equal(server.dots, 1);
});

function slowAt(slow: MailMoment, ms: number): Behaviour {
  return async (moment) => {
    if (moment === slow) await delay(ms);
    return "go_on" as const;
  };
}

test("a shutdown waits for the mail on its way, and not for ever", async () => {
  await using server = await startMailServer();
  server.behave = slowAt("dot", 80);
  const closing = async (closeMs: number) => {
    const transport = transportTo(server, { closeMs });
    const handedOver = Promise.withResolvers<void>();
    const sending = [
      transport.send(letterWith(), async () => handedOver.resolve()),
      transport.send(letterWith(), nothing),
    ];
    await handedOver.promise;
    await transport[Symbol.asyncDispose]();
    return Promise.all(sending);
  };
  const [first, second] = await closing(5000);
  assert.deepEqual(first, { kind: "sent", answer: "250 Taken" });
  assert.deepEqual(second, { kind: "try_again", fault: "server", reason: "The server was shutting down." });
  server.behave = slowAt("dot", 500);
  const [cut, waiting] = await closing(50);
  assert.equal(cut?.kind, "unsure");
  assert.equal(waiting?.kind, "try_again");
});

test("a server that is slow is waited for so long and no longer", async () => {
  const unanswered = "The mail was handed over, and the mail server did not answer in time.";
  const away = { kind: "try_again", fault: "server" } as const;
  const unsure = { kind: "unsure", reason: `${unanswered} It may or may not have been accepted.` };
  const slow = [
    ["connect", "greetingMs", { ...away, reason: "The mail server did not greet in time." }],
    ["rcpt", "silenceMs", { ...away, reason: "The mail server did not answer in time." }],
    ["dot", "silenceMs", unsure],
    ["dot", "mailMs", unsure],
  ] as const;
  await Promise.all(
    slow.map(([moment, limit, outcome]) =>
      withLonger(SLOW_MS, async (limitMs) => {
        await using server = await startMailServer();
        await using transport = transportTo(server, { [limit]: limitMs });
        server.behave = slowAt(moment, 3 * limitMs);
        assert.deepEqual(await transport.send(letterWith(), nothing), outcome);
      }),
    ),
  );
});

/** Ten mails to a server that says goodbye to the fourth of every connection; every one arrives, in order. */
async function sendTen(goodbye: MailManner): Promise<void> {
  await using server = await startMailServer();
  await using transport = transportTo(server);
  let onThisConnection = 0;
  server.behave = (moment) => {
    if (moment === "connect") onThisConnection = 0;
    if (moment !== "mail") return "go_on";
    onThisConnection += 1;
    return onThisConnection > 3 ? goodbye : "go_on";
  };
  const ids = Array.from({ length: 10 }, (_, at) => `<${at}@example.com>`);
  const outcomes = await Promise.all(
    ids.map((message_id) => transport.send(letterWith({ message_id }), nothing)),
  );
  const sent = { kind: "sent", answer: "250 Taken" };
  assert.deepEqual(
    outcomes,
    ids.map(() => sent),
    goodbye,
  );
  assert.deepEqual(
    server.mails.map(({ raw }) => new Map(readMail(raw).headers).get("message-id")),
    ids,
    goodbye,
  );
  assert.equal(server.connections, goodbye === "go_on" ? 1 : 4, goodbye);
  // A server ends what nobody uses, and says nothing.
  server.behave = () => "go_on";
  server.hangUp();
  await pause(20);
  assert.deepEqual(await transport.send(letterWith(), nothing), sent);
}

test("many mails go over one connection, and a server's limits for it lose none", async () => {
  const goodbyes = [
    "go_on",
    "421 4.7.0 Too many",
    "452 4.5.3 Too many",
    "554 5.7.0 Too many",
    "cut",
  ] as const;
  await Promise.all(goodbyes.map(sendTen));
});
