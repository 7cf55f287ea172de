import assert from "node:assert/strict";
import { test } from "node:test";
import addressparser from "nodemailer/lib/addressparser";
import { letterWith } from "../../test/letters.ts";
import { startMailServer } from "../../test/mail-server.ts";
import { readMail } from "../../test/read-mail.ts";
import { markFact } from "../rendering/facts.ts";
import { fitSubject } from "../rendering/subject.ts";
import { composeLetter, addressProblem } from "./letter.ts";
import { makeTransport } from "./transport.ts";

const nothing = () => Promise.resolve();

/** What people, and people who mean harm, write into names and titles. */
const nasty: readonly [written: string, read: string][] = [
  ["Ada\r\nBcc: eve@example.com", "Ada Bcc: eve@example.com"],
  ["Ada\nX-Evil: 1\n\n<script>", "Ada X-Evil: 1 <script>"],
  ["Ada\rTo: eve@example.com", "Ada To: eve@example.com"],
  ["Ada\r\n\r\n.\r\nMAIL FROM:<eve@example.com>", "Ada . MAIL FROM:<eve@example.com>"],
  ["Ada\u0000\u0007\u001b[31m\u007f\u0085\u2028\u2029B", "Ada [31m B"],
  ['"Ada", <eve@example.com>', '"Ada", <eve@example.com>'],
  ["Ada, eve@example.com; bob@example.com", "Ada, eve@example.com; bob@example.com"],
  ["eve@example.com", "eve@example.com"],
  ["group: eve@example.com;", "group: eve@example.com;"],
  ['(a comment) \\ back\\"slash', '(a comment) \\ back\\"slash'],
  ["=?utf-8?Q?Eve=0D=0ABcc:_eve@example.com?=", "= ?utf-8?Q?Eve=0D=0ABcc:_eve@example.com?="],
  ["=?utf-8?B?DQpCY2M6IGV2ZQ==?= x", "= ?utf-8?B?DQpCY2M6IGV2ZQ== ?= x"],
  ["Ada \u202etxt.exe\u202c \u2067x\u2069 end", "Ada txt.exe x end"],
  ["\u2068Ada\u2069 \u2068\u202etxt.exe\u2069 \u2068end", "\u2068Ada\u2069 txt.exe end"],
  ["\ufeffعبد الله بن \u200fمحمد", "عبد الله بن \u200fمحمد"],
  ["消防安全 — Żółć ñ ß", "消防安全 — Żółć ñ ß"],
  ["👩‍🚒 Fire 🔥", "👩‍🚒 Fire 🔥"],
  ["half a pair \ud83d end", "half a pair \ufffd end"],
  ["${process.exit(1)} {{constructor}} %s %n", "${process.exit(1)} {{constructor}} %s %n"],
  ["x".repeat(1000), `${"x".repeat(99)}…`],
  ["课".repeat(1000), `${"课".repeat(99)}…`],
  ["  \t ", ""],
  ["", ""],
];

/** The headers of every mail, in their order; what is not among them was smuggled in. */
const names = [
  [
    "auto-submitted",
    "x-auto-response-suppress",
    "list-unsubscribe",
    "list-unsubscribe-post",
    "content-language",
  ],
  ["from", "to", "subject", "message-id", "date", "mime-version", "content-type"],
].flat();

test("no name and no title can write a header, a recipient or a second mail", async () => {
  await using server = await startMailServer();
  await using transport = makeTransport({ smtpUrl: server.url, folder: "/nowhere" });
  for (const [written, read] of nasty) {
    const label = JSON.stringify(written).slice(0, 80);
    server.mails.length = 0;
    const letter = letterWith({
      from: { name: written, address: "no-reply@example.com" },
      to: { name: written, address: "ada@example.com" },
      subject: `Lesson: ${written}`,
      text: `Hello ${written},\n${written}`,
      html: `<p>${written}</p>`,
    });
    assert.deepEqual(await transport.send(letter, nothing), { kind: "sent", answer: "250 Taken" }, label);
    assert.deepEqual(
      server.mails.map(({ to, from }) => [from, to]),
      [["no-reply@example.com", ["ada@example.com"]]],
    );
    const raw = server.mails[0]?.raw ?? "";
    const mail = readMail(raw);
    const headers = new Map(mail.headers);
    const sent = names.filter((name) => name !== "subject" || headers.has("subject"));
    assert.deepEqual(
      mail.headers.map(([name]) => name),
      sent,
      label,
    );
    const subject = `Lesson: ${written.length === 1000 ? written : read}`.trim();
    assert.equal(headers.get("subject"), subject.length > 200 ? `${subject.slice(0, 199)}…` : subject, label);
    for (const [name, address] of [
      ["to", "ada@example.com"],
      ["from", "no-reply@example.com"],
    ] as const) {
      const [line = ""] = raw.replace(/\r\n[ \t]/g, " ").match(new RegExp(`^${name}: .*$`, "im")) ?? [];
      const boxes = addressparser(line.slice(name.length + 2), { flatten: true });
      assert.deepEqual(
        boxes.map((box) => box.address),
        [address],
        `${label} ${line}`,
      );
      const shown = headers.get(name) ?? "";
      const unquoted = shown.replace(/^"(.*)" </, (_, inner: string) => `${inner.replace(/\\(.)/g, "$1")} <`);
      assert.equal(unquoted, read === "" ? address : `${read} <${address}>`, label);
    }
    for (const line of raw.split("\r\n")) {
      assert.ok(Buffer.byteLength(line) <= 998, `${label}: a line is too long`);
      assert.doesNotMatch(line, /[^\t\x20-\x7e]/, `${label}: a line is not plain ASCII`);
    }
    assert.equal(mail.html.includes("\u0000"), false);
  }
});

test("a subject that was made to fit still fits when it is sent, whatever a title holds", async () => {
  const titles = [
    "=?".repeat(40),
    "=?utf-8?Q?x?= ".repeat(6),
    `${"x".repeat(52)}=?=?=?`,
    "a ==?? b".repeat(9),
  ];
  for (const title of titles) {
    const subject = fitSubject(`New for you: ${markFact(title)}`, "ltr");
    const { bytes } = await composeLetter(letterWith({ subject }));
    const sent = new Map(readMail(bytes.toString("latin1")).headers).get("subject");
    assert.equal(sent, subject);
    assert.ok(subject.length < 70, `${subject.length}: ${subject}`);
  }
});

/** Two addresses, none, or something that a server could read as more than an address. */
const badAddresses = [
  [
    "a@example.com, b@example.com",
    "a@example.com,b@example.com",
    "a,b@example.com",
    "a@example.com;b@example.com",
  ],
  ["a@example.com\r\nRCPT TO:<b@example.com>", "a@example.com\nBcc: b@example.com", "a\u0000@example.com"],
  [
    "<a@example.com>",
    "Ada <a@example.com>",
    "a@example.com>",
    '"a b"@example.com',
    "a@b@example.com",
    "@example.com",
  ],
  ["a@", "a", "", " a@example.com", "a@example.com ", "a@exam ple.com", "a@[127.0.0.1]", "a(x)@example.com"],
  ["a\u202e@example.com", "a\u00a0b@example.com", "a@exa\u2028mple.com", `${"a".repeat(65)}@example.com`],
  [`a@${"b".repeat(260)}.com`, "a@example.com:25", "a@example.com/x", "a@xn--\u0000.com", "a\\@example.com"],
].flat();

test("an address that could reach a second person, or nobody, is refused before any server hears of it", async () => {
  await using server = await startMailServer();
  await using transport = makeTransport({ smtpUrl: server.url, folder: "/nowhere" });
  for (const address of badAddresses) {
    const outcome = await transport.send(letterWith({ to: { name: "Ada", address } }), () =>
      assert.fail("committed"),
    );
    assert.equal(outcome.kind, "address_refused", address);
  }
  assert.equal(server.connections, 0);
  const good = [
    "a+b@example.com",
    "o'neil@example.co.uk",
    "a.b_c-d@sub.example.com",
    "ada@exämple.com",
    "用户@例子.广告",
  ];
  for (const address of good) {
    assert.equal(addressProblem(address), null, address);
    assert.equal(
      (await transport.send(letterWith({ to: { name: "", address } }), nothing)).kind,
      "sent",
      address,
    );
  }
  assert.deepEqual(
    server.mails.map(({ to }) => to),
    good.map((address) => [address]),
  );
});

test("every script travels in an encoding that fits it", async () => {
  const texts = {
    en: ["Hello Ada,\r\nplain words", "7bit"],
    long: ["word ".repeat(400).trim(), "quoted-printable"],
    de: ["Übung für Größere\r\nund viele weitere Wörter", "quoted-printable"],
    ar: ["مرحبا بك في الدرس الجديد\r\nالسلامة من الحرائق", "base64"],
    zh: ["您好，\r\n新的课程：消防安全", "base64"],
  } as const;
  for (const [locale, [text, encoding]] of Object.entries(texts)) {
    const { bytes } = await composeLetter(letterWith({ locale, text, html: `<p dir="auto">${text}</p>` }));
    const mail = readMail(bytes.toString("latin1"));
    assert.equal(mail.text, text, locale);
    assert.equal(mail.html, `<p dir="auto">${text}</p>`, locale);
    assert.deepEqual(mail.encodings, [encoding, encoding], locale);
    assert.match(bytes.toString("latin1"), /Content-Type: text\/plain; charset=utf-8\r\n/);
  }
});

test("a header that is not the caller's to set is a mistake in the code", async () => {
  const bad: Record<string, string>[] = [
    { To: "eve@example.com" },
    { bcc: "eve@example.com" },
    { "Content-Type": "text/html" },
    { "X-A\r\nBcc": "eve@example.com" },
    { "List-Unsubscribe": `<https://example.com/${"x".repeat(1000)}>` },
  ];
  for (const headers of bad) await assert.rejects(composeLetter(letterWith({ headers })), /the header /);
  for (const message_id of ["", "x", "a b@example.com", "a@example.com>\r\nBcc: x@y"])
    await assert.rejects(composeLetter(letterWith({ message_id })), /Message-ID must look like/);
});
